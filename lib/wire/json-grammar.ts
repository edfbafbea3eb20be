/**
 * Whether bytes are one JSON text (RFC 8259), decided without making values of it: a parser makes of 4 MiB
 * of empty arrays a hundred MiB of objects, which nobody needs when the text is what is kept. Nesting is
 * up to its sender, so it is counted and not recursed into. The bytes must be valid UTF-8.
 */

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const LETTER_U = 0x75;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const encoder = new TextEncoder();
/** By their first letter. */
const WORDS = new Map(
  ['true', 'false', 'null'].map((word) => [word.charCodeAt(0), encoder.encode(word)]),
);
/** What can follow a backslash, beside `u` and four hex digits. */
const ESCAPED = new Set(encoder.encode('"\\/bfnrt'));

/** Bytes that a string holds as they are. */
const PLAIN = new Uint8Array(256).fill(1, SPACE);
PLAIN[QUOTE] = 0;
PLAIN[BACKSLASH] = 0;

/** Where a text ceases to be JSON. */
const FAULT = -1;

export function isJsonText(source: Uint8Array): boolean {
  const nesting = new Nesting();
  let position = skipSpace(source, 0);
  for (;;) {
    position = beginValue(source, position, nesting);
    if (position === FAULT) return false;
    if (nesting.awaitsValue) continue;

    position = endValues(source, position, nesting);
    if (position === FAULT) return false;
    if (nesting.depth === 0) return position === source.length;
  }
}

/** Whether these bytes, valid UTF-8, stand between the quotes of a JSON string as they are. */
export function isPlainText(source: Uint8Array): boolean {
  for (let position = 0; position < source.length; position++) {
    if (PLAIN[source[position] as number] === 0) return false;
  }
  return true;
}

const INITIAL_DEPTH = 64;

/** What the values at hand lie in: 1 for an object, 0 for an array. */
class Nesting {
  depth = 0;
  /** An array or object was opened that holds something: its first value comes next. */
  awaitsValue = false;
  #kinds = new Uint8Array(INITIAL_DEPTH);

  get isInObject(): boolean {
    return this.#kinds[this.depth - 1] === 1;
  }

  open(kind: 0 | 1): void {
    if (this.depth === this.#kinds.length) {
      const grown = new Uint8Array(2 * this.#kinds.length);
      grown.set(this.#kinds);
      this.#kinds = grown;
    }
    this.#kinds[this.depth++] = kind;
  }
}

/** Moves behind a scalar or an empty array or object, or to the first value of one that is not empty. */
function beginValue(source: Uint8Array, start: number, nesting: Nesting): number {
  const byte = source[start];
  nesting.awaitsValue = false;
  if (byte === QUOTE) return stringEnd(source, start);
  if (byte !== OPEN_ARRAY && byte !== OPEN_OBJECT) return scalarEnd(source, start);

  const isObject = byte === OPEN_OBJECT;
  const inside = skipSpace(source, start + 1);
  if (source[inside] === (isObject ? CLOSE_OBJECT : CLOSE_ARRAY)) return inside + 1;
  nesting.open(isObject ? 1 : 0);
  nesting.awaitsValue = true;
  return isObject ? nameEnd(source, inside) : inside;
}

/** Behind a value: closes what ends here, and moves to the next value, or to the end of the text. */
function endValues(source: Uint8Array, start: number, nesting: Nesting): number {
  let position = skipSpace(source, start);
  while (nesting.depth > 0) {
    const byte = source[position];
    position = skipSpace(source, position + 1);
    if (byte === COMMA) return nesting.isInObject ? nameEnd(source, position) : position;
    if (byte !== (nesting.isInObject ? CLOSE_OBJECT : CLOSE_ARRAY)) return FAULT;
    nesting.depth--;
  }
  return position;
}

/** Moves behind the name of a member and its colon. */
function nameEnd(source: Uint8Array, start: number): number {
  if (source[start] !== QUOTE) return FAULT;
  const end = stringEnd(source, start);
  if (end === FAULT) return FAULT;
  const colon = skipSpace(source, end);
  return source[colon] === COLON ? skipSpace(source, colon + 1) : FAULT;
}

function stringEnd(source: Uint8Array, start: number): number {
  const { length } = source;
  for (let position = start + 1; position < length; ) {
    while (position < length && PLAIN[source[position] as number] === 1) position++;
    if (source[position] === QUOTE) return position + 1;
    if (source[position] !== BACKSLASH) return FAULT;
    position = escapeEnd(source, position + 1);
    if (position === FAULT) return FAULT;
  }
  return FAULT;
}

function escapeEnd(source: Uint8Array, start: number): number {
  const escaped = source[start];
  if (escaped === LETTER_U) return isHex(source, start + 1) ? start + 5 : FAULT;
  return escaped !== undefined && ESCAPED.has(escaped) ? start + 1 : FAULT;
}

function isHex(source: Uint8Array, start: number): boolean {
  for (let position = start; position < start + 4; position++) {
    const byte = source[position] ?? 0;
    // A bit more makes capitals small, and of digits what they are.
    const small = byte | 0x20;
    if (!(isDigit(byte) || (small >= 0x61 && small <= 0x66))) return false;
  }
  return true;
}

function scalarEnd(source: Uint8Array, start: number): number {
  const byte = source[start] ?? 0;
  if (byte === MINUS || isDigit(byte)) return numberEnd(source, start);

  const word = WORDS.get(byte);
  if (word === undefined) return FAULT;
  for (let index = 1; index < word.length; index++) {
    if (source[start + index] !== word[index]) return FAULT;
  }
  return start + word.length;
}

function numberEnd(source: Uint8Array, start: number): number {
  let position = source[start] === MINUS ? start + 1 : start;
  // A zero at the front stands alone.
  position = source[position] === ZERO ? position + 1 : digitsEnd(source, position);
  if (position !== FAULT && source[position] === DOT) position = digitsEnd(source, position + 1);
  if (position === FAULT || ((source[position] ?? 0) | 0x20) !== 0x65) return position;

  const sign = source[position + 1];
  return digitsEnd(source, position + (sign === MINUS || sign === 0x2b ? 2 : 1));
}

/** At least one. */
function digitsEnd(source: Uint8Array, start: number): number {
  let position = start;
  while (isDigit(source[position] ?? 0)) position++;
  return position === start ? FAULT : position;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

function skipSpace(source: Uint8Array, start: number): number {
  let position = start;
  for (; position < source.length; position++) {
    const byte = source[position];
    if (byte !== SPACE && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
  }
  return position;
}
