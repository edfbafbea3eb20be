/**
 * A member of a JSON object as an attribute of an event: of an event's JSON, and of the headers that
 * attributes are stored as. Read from the text, since a parser may take an escaped name for another
 * (see `services/batch-builder.ts`) and rounds what is no integer.
 */
import type { JsonPiece } from '../wire/json-text.ts';
import { isWrittenAsInteger } from './body/json-body.ts';

const QUOTE = 0x22;
const LETTERS = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Undefined for an array or object, NaN for a number that is not written as an integer. */
export function memberValue(source: Buffer, { start, end }: JsonPiece): unknown {
  const text = source.toString('utf8', start, end);
  if (source[start] === QUOTE) return text.includes('\\') ? JSON.parse(text) : text.slice(1, -1);
  if (LETTERS.has(text)) return LETTERS.get(text);
  if (/^[[{]/.test(text)) return undefined;
  return isWrittenAsInteger(source.subarray(start, end)) ? Number(text) : Number.NaN;
}

/** A view, without which each value would cost one of its own. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
