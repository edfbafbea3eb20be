/** Paths into an item, `#p.#q[1]`: read from tokens, looked up, ordered, and compared with each other. */
import type { Attribute, Item } from '../../../lib/aws/table.ts';
import type { Bindings } from './bindings.ts';
import type { Tokens } from './tokens.ts';
import { ValidationException } from './validation-exception.ts';

export type PathElement =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number };

export type DocumentPath = readonly PathElement[];

export function parsePath(tokens: Tokens, bindings: Bindings): DocumentPath {
  const path: PathElement[] = [parseName(tokens, bindings)];
  for (;;) {
    if (tokens.skip('.')) path.push(parseName(tokens, bindings));
    else if (tokens.skip('[')) path.push(parseIndex(tokens));
    else return path;
  }
}

function parseName(tokens: Tokens, bindings: Bindings): PathElement {
  const { kind, text } = tokens.peek();
  if (kind !== 'word' && kind !== 'alias') throw tokens.unexpected();
  tokens.next();
  return { kind: 'name', name: bindings.name(text) };
}

function parseIndex(tokens: Tokens): PathElement {
  if (tokens.peek().kind !== 'integer') throw tokens.unexpected();
  const index = Number(tokens.next().text);
  tokens.expect(']');
  return { kind: 'index', index };
}

export function valueAt(item: Item, path: DocumentPath): Attribute | undefined {
  return path.reduce<Attribute | undefined>(elementOf, { M: item });
}

export function elementOf(
  container: Attribute | undefined,
  element: PathElement,
): Attribute | undefined {
  if (container === undefined) return undefined;
  if (element.kind === 'index') return 'L' in container ? container.L[element.index] : undefined;
  const isThere = 'M' in container && Object.hasOwn(container.M, element.name);
  return isThere ? container.M[element.name] : undefined;
}

/** Elements of one list by their index, so that they can be appended, and removed from the last on. */
export function comparePaths(a: DocumentPath, b: DocumentPath): number {
  for (const [depth, element] of a.entries()) {
    const order = compareElements(element, b[depth]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareElements(a: PathElement, b: PathElement | undefined): number {
  if (b === undefined) return 1;
  if (a.kind === 'index' && b.kind === 'index') return a.index - b.index;
  const [left, right] = [pathText([a]), pathText([b])];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

export function isSamePath(a: DocumentPath, b: DocumentPath): boolean {
  return comparePaths(a, b) === 0;
}

/** No two paths that an update writes may be the same, lie in each other, or disagree about a type. */
export function checkDisjoint(paths: readonly DocumentPath[]): void {
  for (const [index, path] of paths.entries()) {
    for (const other of paths.slice(0, index)) checkPair(other, path);
  }
}

function checkPair(one: DocumentPath, two: DocumentPath): void {
  const depth = one.findIndex((element, index) => compareElements(element, two[index]) !== 0);
  const [a, b] = [one[depth], two[depth]];
  const places = `path one: ${pathText(one)}, path two: ${pathText(two)}`;
  if (a === undefined || b === undefined) {
    throw new ValidationException(
      `Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; ${places}`,
    );
  }
  if (a.kind === b.kind) return;
  throw new ValidationException(
    `Invalid UpdateExpression: Two document paths conflict with each other; must remove or rewrite one of these paths; ${places}`,
  );
}

function pathText(path: DocumentPath): string {
  const parts = path.map((element) =>
    element.kind === 'name' ? element.name : `[${element.index}]`,
  );
  return `[${parts.join(', ')}]`;
}
