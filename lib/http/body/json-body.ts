/** JSON as clients send it: valid UTF-8, and no number that would be rounded (SPEC Words, P10). */
import { isUtf8 } from 'node:buffer';
import { invalid, LogError } from '../../services/log-error.ts';
import { isJsonText } from '../../wire/json-grammar.ts';
import type { JsonPiece } from '../../wire/json-text.ts';

const SPACE = 0x20;
const QUOTE = 0x22;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;

export type JsonObject = Readonly<Record<string, unknown>>;

/** Not `TextDecoder`, which drops a byte order mark: it is part of what was sent. */
export function utf8Text(bytes: Uint8Array, place: string): string {
  if (!isUtf8(bytes)) throw invalid(place, `${place} is not valid UTF-8`);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** That the bytes are one JSON text. Nothing is made of it: what is kept is the text. */
export function requireJson(bytes: Uint8Array, place: string): void {
  if (!isUtf8(bytes)) throw invalid(place, `${place} is not valid UTF-8`);
  if (!isJsonText(bytes)) throw notJson(place);
}

/** A value of a text that was found to be JSON. One with others in it comes as an empty one of its kind. */
export function shallowValue(source: Uint8Array, { start, end }: JsonPiece): unknown {
  if (source[start] === OPEN_OBJECT) return {};
  if (source[start] === OPEN_ARRAY) return [];
  const text = Buffer.from(source.buffer, source.byteOffset + start, end - start).toString('utf8');
  if (source[start] === QUOTE && !text.includes('\\')) return text.slice(1, -1);
  return JSON.parse(text);
}

/** The same, but an integer that is not written as one is NaN, which no schema takes. */
export function exactValue(source: Uint8Array, piece: JsonPiece): unknown {
  const value = shallowValue(source, piece);
  if (typeof value !== 'number' || !Number.isInteger(value)) return value;
  return isWrittenAsInteger(source.subarray(piece.start, piece.end)) ? value : Number.NaN;
}

export function isObjectAt(source: Uint8Array, { start }: Pick<JsonPiece, 'start'>): boolean {
  return source[start] === OPEN_OBJECT;
}

export function isArrayAt(source: Uint8Array, { start }: Pick<JsonPiece, 'start'>): boolean {
  return source[start] === OPEN_ARRAY;
}

function notJson(place: string, cause?: unknown): LogError {
  return new LogError(`${place} is not valid JSON`, {
    code: 'invalid_request',
    details: { field: place },
    cause,
  });
}

/** An integer that was written as one: 1.0, 1e3 and what exceeds 2^53 - 1 become NaN, and fail. */
export function parseExactJson(bytes: Uint8Array, place = 'the body'): unknown {
  const text = utf8Text(bytes, place);
  try {
    return JSON.parse(text, (_name, value, context?: { readonly source?: string }) => {
      if (typeof value !== 'number' || !Number.isInteger(value)) return value;
      return INTEGER.test(context?.source ?? '') ? value : Number.NaN;
    });
  } catch (cause) {
    // A text nested too deeply for the walk over it (RangeError) is no request either.
    throw notJson(place, cause);
  }
}

const INTEGER = /^-?[0-9]+$/;

/** For a number at a known place, where a walk over all of the text would cost too much. */
export function isWrittenAsInteger(written: Uint8Array): boolean {
  return INTEGER.test(Buffer.from(written).toString('latin1'));
}

/** The whole of a text, without the white space before it. */
export function pieceOf(source: Uint8Array): JsonPiece {
  const start = source.findIndex((byte) => byte > SPACE);
  return { start: Math.max(start, 0), end: source.length };
}

export function asObject(value: unknown, place: string): JsonObject {
  if (isObject(value)) return value;
  throw invalid(place, `${place} must be a JSON object`);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
