/**
 * Finds the pieces of a JSON text, so that they can be kept byte for byte: numbers with all their
 * digits, spacing, repeated members (SPEC P10). Looks at structure only, so the text must have been
 * found to be JSON before (json-grammar); positions are byte positions, ranges half-open.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;
/** What can stand behind a number, `true`, `false` or `null`. */
const SCALAR_ENDS = new Set([COMMA, CLOSE_ARRAY, CLOSE_OBJECT, SPACE, 0x09, 0x0a, 0x0d]);

export interface JsonPiece {
  readonly start: number;
  readonly end: number;
}

const decoder = new TextDecoder();

export interface JsonMember {
  readonly name: string;
  readonly nameStart: number;
  readonly value: JsonPiece;
}

/** The members of the object that begins at `start`, in order; a repeated name more than once. */
export function scanMembers(source: Uint8Array, start: number): JsonMember[] {
  const members: JsonMember[] = [];
  visitMembers(source, start, (member) => members.push(member));
  return members;
}

/** The same one by one: who finds one that is refused throws, and no other is looked at. */
export function visitMembers(
  source: Uint8Array,
  start: number,
  visit: (member: JsonMember) => void,
): void {
  let position = skipSpace(source, skipSpace(source, start) + 1);
  while (position < source.length && source[position] !== CLOSE_OBJECT) {
    const nameStart = position;
    const nameEnd = skipString(source, position);
    position = skipSpace(source, skipSpace(source, nameEnd) + 1);
    const end = skipValue(source, position);
    const name = decodeName(source.subarray(nameStart, nameEnd));
    visit({ name, nameStart, value: { start: position, end } });
    position = skipComma(source, end);
  }
}

/** The elements of the array that begins at `start`. */
export function scanElements(source: Uint8Array, start: number): JsonPiece[] {
  return scanFirstElements(source, start, Number.POSITIVE_INFINITY).elements;
}

/** The same, but of those behind the first `max` only how many there are. */
export function scanFirstElements(
  source: Uint8Array,
  start: number,
  max: number,
): { readonly elements: JsonPiece[]; readonly count: number } {
  const elements: JsonPiece[] = [];
  let count = 0;
  let position = skipSpace(source, skipSpace(source, start) + 1);
  while (position < source.length && source[position] !== CLOSE_ARRAY) {
    const end = skipValue(source, position);
    count++;
    if (count <= max) elements.push({ start: position, end });
    position = skipComma(source, end);
  }
  return { elements, count };
}

/** The same text without the white space between its tokens: one line, whatever it was. */
export function compactJson(source: Uint8Array): Uint8Array {
  const target = new Uint8Array(source.length);
  let length = 0;
  for (let position = 0; position < source.length; ) {
    const byte = source[position] ?? SPACE;
    const end = byte === QUOTE ? skipString(source, position) : position + 1;
    if (byte > SPACE) {
      target.set(source.subarray(position, end), length);
      length += end - position;
    }
    position = end;
  }
  return target.subarray(0, length);
}

/** The compact text of an object without the members of these names. */
export function withoutMembers(source: Uint8Array, names: ReadonlySet<string>): Uint8Array {
  const compact = compactJson(source);
  const kept = scanMembers(compact, 0).filter(({ name }) => !names.has(name));
  const size = kept.reduce((sum, { nameStart, value }) => sum + value.end - nameStart, 2);
  const target = new Uint8Array(size + Math.max(kept.length - 1, 0));
  target[0] = OPEN_OBJECT;
  let length = 1;
  for (const { nameStart, value } of kept) {
    if (length > 1) target[length++] = COMMA;
    target.set(compact.subarray(nameStart, value.end), length);
    length += value.end - nameStart;
  }
  target[length] = CLOSE_OBJECT;
  return target;
}

function decodeName(quoted: Uint8Array): string {
  const text = decoder.decode(quoted);
  return text.includes('\\') ? String(JSON.parse(text)) : text.slice(1, -1);
}

function skipSpace(source: Uint8Array, start: number): number {
  let position = start;
  while ((source[position] ?? QUOTE) <= SPACE) position++;
  return position;
}

function skipComma(source: Uint8Array, start: number): number {
  const position = skipSpace(source, start);
  return source[position] === COMMA ? skipSpace(source, position + 1) : position;
}

function skipString(source: Uint8Array, start: number): number {
  let position = start + 1;
  while (source[position] !== QUOTE) {
    position += source[position] === BACKSLASH ? 2 : 1;
    if (position > source.length) return source.length;
  }
  return position + 1;
}

function skipValue(source: Uint8Array, start: number): number {
  const byte = source[start];
  if (byte === QUOTE) return skipString(source, start);
  return byte === OPEN_ARRAY || byte === OPEN_OBJECT
    ? skipNested(source, start)
    : skipScalar(source, start);
}

/** Depth is counted, not recursed into: the nesting of a text is up to its sender. */
function skipNested(source: Uint8Array, start: number): number {
  let depth = 0;
  let position = start;
  do {
    const byte = source[position];
    if (byte === QUOTE) {
      position = skipString(source, position);
      continue;
    }
    if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) depth++;
    if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--;
    position++;
  } while (depth > 0 && position < source.length);
  return position;
}

function skipScalar(source: Uint8Array, start: number): number {
  // One byte at least, so that a scan gets to its end whatever the text.
  let position = start + 1;
  while (position < source.length && !SCALAR_ENDS.has(source[position] ?? SPACE)) position++;
  return position;
}
