/**
 * The item after an update. Every right side and every position in a list means the item before it;
 * the order in which the update names things does not matter.
 */
import type { Attribute, Item } from '../../../lib/aws/table.ts';
import { hasMember } from './attribute-order.ts';
import {
  comparePaths,
  type DocumentPath,
  elementOf,
  type PathElement,
  valueAt,
} from './document-path.ts';
import { setValue, wrongOperand } from './set-value.ts';
import type { MemberChange, Update } from './update.ts';
import { ValidationException } from './validation-exception.ts';

type Change =
  | { readonly kind: 'write'; readonly path: DocumentPath; readonly value: Attribute }
  | { readonly kind: 'remove'; readonly path: DocumentPath };

export function applyUpdate(update: Update, before: Item): Item {
  const changes = [
    ...update.sets.map(({ path, value }) => write(path, setValue(value, before))),
    ...update.adds.map((change) => addMembers(change, before)),
    ...update.deletes.flatMap((change) => deleteMembers(change, before)),
    ...update.removes.map(remove),
  ];
  for (const { path } of changes) checkParent(path, before);

  // Written from the first position on, so that what lies beyond the end is appended in order; then
  // removed from the last on, so that no position moves before its turn.
  const ordered = changes.sort((a, b) => comparePaths(a.path, b.path));
  const writes = ordered.filter((change) => change.kind === 'write');
  const removals = ordered.filter(
    ({ kind, path }) => kind === 'remove' && valueAt(before, path) !== undefined,
  );
  let item: Attribute = { M: before };
  for (const { path, value } of writes) item = withValue(item, path, value);
  for (const { path } of removals.reverse()) item = without(item, path);
  return 'M' in item ? item.M : before;
}

function write(path: DocumentPath, value: Attribute): Change {
  return { kind: 'write', path, value };
}

function remove(path: DocumentPath): Change {
  return { kind: 'remove', path };
}

function addMembers({ path, value }: MemberChange, before: Item): Change {
  const present = valueAt(before, path);
  if (present === undefined) return write(path, value);
  if ('N' in present && 'N' in value) {
    return write(
      path,
      setValue({ kind: 'sum', left: literal(present), right: literal(value) }, before),
    );
  }
  if (!('BS' in present && 'BS' in value)) throw wrongOperand();
  const added = value.BS.filter((member) => !hasMember(present.BS, member));
  return write(path, { BS: [...present.BS, ...added].sort(Buffer.compare) });
}

/** An empty set is no attribute; deleting from none changes nothing. */
function deleteMembers({ path, value }: MemberChange, before: Item): Change[] {
  const present = valueAt(before, path);
  if (present === undefined) return [];
  if (!('BS' in present && 'BS' in value)) throw wrongOperand();
  const BS = present.BS.filter((member) => !hasMember(value.BS, member));
  return [BS.length === 0 ? remove(path) : write(path, { BS })];
}

function literal(value: Attribute): { readonly kind: 'value'; readonly value: Attribute } {
  return { kind: 'value', value };
}

function checkParent(path: DocumentPath, before: Item): void {
  const parent = valueAt(before, path.slice(0, -1));
  const wanted = path.at(-1)?.kind === 'index' ? 'L' : 'M';
  if (parent !== undefined && wanted in parent) return;
  throw new ValidationException(
    'The document path provided in the update expression is invalid for update',
  );
}

function withValue(
  container: Attribute | undefined,
  path: DocumentPath,
  value: Attribute,
): Attribute {
  const [element, ...rest] = path;
  if (element === undefined || container === undefined) return value;
  const inner = rest.length === 0 ? value : withValue(elementOf(container, element), rest, value);
  return withElement(container, element, inner);
}

function without(container: Attribute, path: DocumentPath): Attribute {
  const [element, ...rest] = path;
  if (element === undefined) return container;
  const child = elementOf(container, element);
  if (child !== undefined && rest.length > 0) {
    return withElement(container, element, without(child, rest));
  }
  if (element.kind === 'index' && 'L' in container) {
    return { L: container.L.filter((_, index) => index !== element.index) };
  }
  if (element.kind !== 'name' || !('M' in container)) return container;
  const entries = Object.entries(container.M).filter(([name]) => name !== element.name);
  return { M: Object.fromEntries(entries) };
}

function withElement(container: Attribute, element: PathElement, value: Attribute): Attribute {
  if (element.kind === 'name' && 'M' in container) {
    return { M: { ...container.M, [element.name]: value } };
  }
  if (element.kind !== 'index' || !('L' in container)) return container;
  const list = [...container.L];
  list[Math.min(element.index, list.length)] = value;
  return { L: list };
}
