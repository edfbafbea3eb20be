/**
 * Lengths of time as settings and positions write them: `<integer><unit>`, or a number of
 * milliseconds. Equal lengths have one canonical text. Zero is a length here; whether it makes sense
 * is for the caller to say.
 */
import { assert } from '../assert.ts';
import { quote } from '../quote.ts';

export type ParsedDuration =
  | { readonly kind: 'ok'; readonly ms: number }
  | { readonly kind: 'reject'; readonly reason: string };

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Largest first. A year is 365 days and a month 30, so that a length never depends on its start. */
const UNITS_MS: ReadonlyMap<string, number> = new Map([
  ['Y', 365 * DAY_MS],
  ['M', 30 * DAY_MS],
  ['D', DAY_MS],
  ['h', HOUR_MS],
  ['m', MINUTE_MS],
  ['s', SECOND_MS],
  ['ms', 1],
]);

const ACCEPTED =
  'use an integer with one of the units Y M D h m s ms (case-sensitive), such as "7D" or "500ms"';

/** Text without a unit is refused: "10" would be read as seconds by one and as days by another. */
export function parseDuration(value: string | number): ParsedDuration {
  return typeof value === 'number' ? fromNumber(value) : fromText(value);
}

/** The largest unit that divides the length exactly: 24 hours are `1D`, 25 are `25h`. */
export function formatDuration(ms: number): string {
  assert(
    Number.isSafeInteger(ms) && ms >= 0,
    () => `a duration is an integer from 0 to 2^53 - 1, not ${ms}`,
  );

  for (const [unit, unitMs] of UNITS_MS) {
    if (ms > 0 && ms % unitMs === 0) return `${ms / unitMs}${unit}`;
  }
  return '0ms';
}

function fromNumber(ms: number): ParsedDuration {
  if (!Number.isInteger(ms) || ms < 0) return notDuration(`${ms}`);
  if (ms > Number.MAX_SAFE_INTEGER) return tooLong(`${ms}`);

  // JSON knows a -0, which is equal to 0 but prints and compares otherwise.
  return { kind: 'ok', ms: Math.abs(ms) };
}

function fromText(text: string): ParsedDuration {
  const digits = /^[0-9]+/.exec(text)?.[0] ?? '';
  const unitMs = UNITS_MS.get(text.slice(digits.length));
  if (digits === '' || unitMs === undefined) return notDuration(quote(text));

  // Doubles round only above 2^53, so a product that is too large never rounds down to a safe one.
  const ms = Number(digits) * unitMs;
  return ms > Number.MAX_SAFE_INTEGER ? tooLong(quote(text)) : { kind: 'ok', ms };
}

function notDuration(shown: string): ParsedDuration {
  return { kind: 'reject', reason: `${shown} is not a duration: ${ACCEPTED}` };
}

function tooLong(shown: string): ParsedDuration {
  return {
    kind: 'reject',
    reason: `${shown} is longer than 2^53 - 1 milliseconds: use a shorter one`,
  };
}
