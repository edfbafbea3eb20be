/**
 * Points in time as readers write them: milliseconds since 1970 UTC or RFC 3339 text, both to integer
 * milliseconds (negative before 1970). Never asks a clock, and never guesses: text that two people
 * could read differently is rejected.
 */
import { quote } from '../quote.ts';

export type ParsedInstant =
  | { readonly kind: 'ok'; readonly ms: number }
  | { readonly kind: 'reject'; readonly reason: string };

/**
 * 1990-01-01T00:00:00Z. Smaller integers are seconds by mistake, since as seconds they reach to the
 * year 21970; taken as milliseconds they would silently mean "from the very first message" (SPEC O8).
 */
const EARLIEST_INTEGER_MS = 631_152_000_000;

/** Seconds end at 59: the milliseconds since 1970 have no place for a leap second. */
const RFC_3339 =
  /^\d{4}-\d{2}-\d{2}[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

const ACCEPTED =
  'use milliseconds since 1970 such as 1795946400000, or RFC 3339 such as 2026-11-29T10:00:00Z';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** From 0001-01-01 to 1970-01-01 in the Gregorian calendar, as RFC 3339 extends it backwards. */
const DAYS_BEFORE_1970 = 719_162;

export function parseInstant(text: string): ParsedInstant {
  if (/^[0-9]+$/.test(text)) return fromInteger(text);
  if (RFC_3339.test(text)) return fromRfc3339(text);
  return reject(`${quote(text)} is not a time: ${ACCEPTED}${plusHint(text)}`);
}

function fromInteger(digits: string): ParsedInstant {
  const ms = Number(digits);
  if (ms > Number.MAX_SAFE_INTEGER)
    return reject(`${quote(digits)} is beyond 2^53 - 1: ${ACCEPTED}`);
  if (ms < EARLIEST_INTEGER_MS) {
    return reject(
      `${quote(digits)} is before 1990 in milliseconds, as if given in seconds: ` +
        'send milliseconds, or RFC 3339 for a time that long ago',
    );
  }
  return { kind: 'ok', ms };
}

/** Columns are fixed up to the second: `yyyy-mm-ddThh:mm:ss`, then fraction and zone. */
function fromRfc3339(text: string): ParsedInstant {
  const [year, month, day] = [number(text, 0, 4), number(text, 5, 7), number(text, 8, 10)];
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) {
    return reject(`${quote(text)} names a day that no calendar has: ${ACCEPTED}`);
  }

  const zone = text.slice(/z$/i.test(text) ? -1 : -6);
  const timeMs =
    number(text, 11, 13) * HOUR_MS +
    number(text, 14, 16) * MINUTE_MS +
    number(text, 17, 19) * 1_000;
  // What is finer than stored timestamps is cut off: rounding up could skip the message meant.
  const fraction = text.slice(20, text.length - zone.length);
  const fractionMs = Number(fraction.slice(0, 3).padEnd(3, '0'));

  const localMs = daysSince1970(year, month, day) * DAY_MS + timeMs + fractionMs;
  return { kind: 'ok', ms: localMs - zoneMs(zone) };
}

function number(text: string, start: number, end: number): number {
  return Number(text.slice(start, end));
}

/** How far a zone's clocks are ahead of UTC: `+01:00` is 3 600 000. */
function zoneMs(zone: string): number {
  if (zone.length === 1) return 0;

  const aheadMs = number(zone, 1, 3) * HOUR_MS + number(zone, 4, 6) * MINUTE_MS;
  return zone.startsWith('-') ? -aheadMs : aheadMs;
}

function daysSince1970(year: number, month: number, day: number): number {
  const past = year - 1;
  const leapDays = Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400);
  let days = 365 * past + leapDays - DAYS_BEFORE_1970;
  for (let earlier = 1; earlier < month; earlier++) days += daysInMonth(year, earlier);
  return days + day - 1;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** A bare plus in a query arrives as a space, which must not become another instant (SPEC O12). */
function plusHint(text: string): string {
  return / \d{2}:\d{2}$/.test(text) ? ', and write a plus in a query as %2B' : '';
}

function reject(reason: string): ParsedInstant {
  return { kind: 'reject', reason };
}
