/** JSON as clients send it: valid UTF-8, and no number that would be rounded (SPEC Words, P10). */
import { isUtf8 } from 'node:buffer';
import { invalid, LogError } from '../../services/log-error.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** Not `TextDecoder`, which drops a byte order mark: it is part of what was sent. */
export function utf8Text(bytes: Uint8Array, place: string): string {
  if (!isUtf8(bytes)) throw invalid(place, `${place} is not valid UTF-8`);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

export function parseJson(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw notJson(place, cause);
  }
}

function notJson(place: string, cause: unknown): LogError {
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

export function asObject(value: unknown, place: string): JsonObject {
  if (isObject(value)) return value;
  throw invalid(place, `${place} must be a JSON object`);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
