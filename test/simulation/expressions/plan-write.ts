/**
 * What one write makes of the item under its key, or that its condition refuses. Pure; throws
 * ValidationException for what the table would not even look at.
 */
import type { Expression, Item, ItemKey, TransactionStep } from '../../../lib/aws/table.ts';
import { applyUpdate } from './apply-update.ts';
import { createBindings } from './bindings.ts';
import { holds } from './evaluate-condition.ts';
import { itemBytes } from './item-size.ts';
import { parseCondition } from './parse-condition.ts';
import { parseUpdate, writtenPaths } from './parse-update.ts';
import { storedItem } from './stored-form.ts';
import type { Update } from './update.ts';
import { ValidationException } from './validation-exception.ts';

export const ITEM_BYTES_MAX = 400 * 1024;
const PARTITION_KEY_BYTES_MAX = 2048;
const SORT_KEY_BYTES_MAX = 1024;

export type WritePlan =
  | { readonly kind: 'refused' }
  /** No item afterwards: deleted, or none to check. */
  | { readonly kind: 'write'; readonly after: Item | undefined };

export function planWrite(step: TransactionStep, before: Item | undefined): WritePlan {
  const key = keyOf(step);
  const { condition, update } = parse(step);
  if (condition !== undefined && !holds(condition, before ?? {})) return { kind: 'refused' };
  switch (step.kind) {
    case 'check':
      return { kind: 'write', after: before };
    case 'delete':
      return { kind: 'write', after: undefined };
    case 'put':
      return { kind: 'write', after: withinLimit(storedItem(step.item)) };
    case 'update': {
      const item = before ?? { k: { S: key.k }, s: { S: key.s } };
      const after = update === undefined ? item : applyUpdate(update, item);
      return { kind: 'write', after: withinLimit(after) };
    }
  }
}

/** The key that a step is about, checked. */
export function keyOf(step: TransactionStep): ItemKey {
  return checkedKey(step.kind === 'put' ? keyIn(step.item) : step.key);
}

export function checkedKey(key: ItemKey): ItemKey {
  checkKeyPart(key.k, PARTITION_KEY_BYTES_MAX);
  checkKeyPart(key.s, SORT_KEY_BYTES_MAX);
  return key;
}

function keyIn({ k, s }: Item): ItemKey {
  if (k !== undefined && 'S' in k && s !== undefined && 'S' in s) return { k: k.S, s: s.S };
  throw new ValidationException('One of the required keys was not given a value of type S');
}

function checkKeyPart(part: string, bytesMax: number): void {
  const bytes = Buffer.byteLength(part);
  if (bytes > 0 && bytes <= bytesMax) return;
  throw new ValidationException(
    `One or more parameter values were invalid: a key of ${bytes} bytes, not 1 to ${bytesMax}`,
  );
}

function parse(step: TransactionStep) {
  const expression: Expression = step;
  const bindings = createBindings(expression);
  const update = step.kind === 'update' ? parseUpdate(step.update, bindings) : undefined;
  if (update !== undefined) checkKeysUntouched(update);
  const condition =
    expression.condition === undefined ? undefined : parseCondition(expression.condition, bindings);
  bindings.checkAllUsed();
  return { condition, update };
}

function checkKeysUntouched(update: Update): void {
  for (const [first] of writtenPaths(update)) {
    if (first?.kind !== 'name' || (first.name !== 'k' && first.name !== 's')) continue;
    throw new ValidationException(
      `One or more parameter values were invalid: Cannot update attribute ${first.name}. This attribute is part of the key`,
    );
  }
}

function withinLimit(item: Item): Item {
  if (itemBytes(item) <= ITEM_BYTES_MAX) return item;
  throw new ValidationException('Item size has exceeded the maximum allowed size');
}
