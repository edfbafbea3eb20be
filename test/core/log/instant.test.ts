import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseInstant } from '../../../lib/core/log/instant.ts';

const ok = (ms: number) => ({ kind: 'ok', ms });
const reject = (reason: RegExp) => ({ kind: 'reject', reason: expect.stringMatching(reason) });

describe('milliseconds', () => {
  test.each([
    ['631152000000', 631_152_000_000],
    ['1795946399900', 1_795_946_399_900],
    ['001795946400000', 1_795_946_400_000],
    ['9007199254740991', 9_007_199_254_740_991],
  ])('O8: %s is that instant', (text, ms) => {
    expect(parseInstant(text)).toEqual(ok(ms));
  });

  test.each(['1700000000', '631151999999', '0', '1'])('O8: %s reads as seconds', (text) => {
    expect(parseInstant(text)).toEqual(reject(/before 1990 in milliseconds.*send milliseconds/));
  });

  test.each(['9007199254740992', '9'.repeat(400)])('O8: %s is refused, not rounded', (text) => {
    expect(parseInstant(text)).toEqual(reject(/is beyond 2\^53 - 1/));
  });
});

describe('RFC 3339', () => {
  test.each([
    ['2026-11-29T10:00:00Z', 1_795_946_400_000],
    ['2026-11-29T11:00:00+01:00', 1_795_946_400_000],
    ['2026-11-28T23:30:00-10:30', 1_795_946_400_000],
    ['2026-11-29t10:00:00z', 1_795_946_400_000],
    ['2026-11-29T10:00:00-00:00', 1_795_946_400_000],
    ['2026-11-30T09:59:00+23:59', 1_795_946_400_000],
    ['2026-11-29T10:00:00.5Z', 1_795_946_400_500],
    ['2026-11-29T10:00:00.05+00:00', 1_795_946_400_050],
    ['2026-11-29T10:00:00.123999999Z', 1_795_946_400_123],
    ['1970-01-01T00:00:00Z', 0],
    ['1969-12-31T23:59:59.9999Z', -1],
    ['1985-01-01T00:00:00Z', 473_385_600_000],
    ['2000-02-29T00:00:00Z', 951_782_400_000],
    ['2024-02-29T23:59:59.999Z', 1_709_251_199_999],
    ['0000-01-01T00:00:00Z', -62_167_219_200_000],
    ['0000-02-29T00:00:00Z', -62_162_121_600_000],
    ['9999-12-31T23:59:59.999Z', 253_402_300_799_999],
  ])('O8: %s is %d', (text, ms) => {
    expect(parseInstant(text)).toEqual(ok(ms));
  });

  test.each([
    '2026-02-30T00:00:00Z',
    '2026-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-12-32T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
  ])('O12: no calendar has %s', (text) => {
    expect(parseInstant(text)).toEqual(reject(/names a day that no calendar has/));
  });

  test.each([
    ...['', 'abc', '-1', '+1795946400000', '1795946400000.0', '1.8e12', ' 1795946400000'],
    ...['2026-11-29', '2026-11-29T10:00Z', '2026-11-29T10:00:00', '20261129T100000Z'],
    ...['2026-11-29 10:00:00Z', '2026-11-29T10:00:00.Z', '2026-11-29T10:00:00,5Z'],
    ...['2026-11-29T24:00:00Z', '2026-11-29T10:60:00Z', '2016-12-31T23:59:60Z'],
    ...['2026-11-29T10:00:00+24:00', '2026-11-29T10:00:00+01:60', '2026-11-29T10:00:00+0100'],
    ...['2026-11-29T10:00:00+01', '2026-11-29T10:00:00 Z', '2026-11-29T10:00:00ZZ'],
    ...['12026-11-29T10:00:00Z', '-2026-11-29T10:00:00Z', '٢٠٢٦-11-29T10:00:00Z'],
    ...['2026-11-29T10:00:00Z\n', 'x2026-11-29T10:00:00Z'],
  ])('O12: %j is no instant', (text) => {
    expect(parseInstant(text)).toEqual(
      reject(/is not a time: use milliseconds since 1970 .* or RFC 3339 such as \S+Z$/),
    );
  });

  test('O12: a plus that a query turned into a space is refused with the fix', () => {
    expect(parseInstant('2026-11-29T11:00:00 01:00')).toEqual(reject(/write a plus .* as %2B$/));
  });

  const years1600To3000 = fc.integer({ min: Date.UTC(1600, 0), max: Date.UTC(3000, 0) });

  test('O8: agrees with the calendar of the platform in every zone', () => {
    const offsetMinutes = fc.integer({ min: -1_439, max: 1_439 });

    fc.assert(
      fc.property(years1600To3000, offsetMinutes, (ms, minutes) => {
        const local = new Date(ms + minutes * 60_000).toISOString().slice(0, -1);

        expect(parseInstant(`${local}${zone(minutes)}`)).toEqual(ok(ms));
      }),
      { numRuns: 1_000 },
    );
  });

  test('O12: takes exactly the days that exist', () => {
    const yearMonthDay = fc.tuple(
      fc.integer({ min: 1600, max: 3000 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 31 }),
    );

    fc.assert(
      fc.property(yearMonthDay, ([year, month, day]) => {
        const utc = new Date(Date.UTC(year, month - 1, day));
        const text = `${year}-${two(month)}-${two(day)}T00:00:00Z`;

        expect(parseInstant(text)).toEqual(
          utc.getUTCDate() === day ? ok(utc.getTime()) : reject(/no calendar has/),
        );
      }),
      { numRuns: 1_000 },
    );
  });
});

function zone(minutes: number): string {
  const ahead = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(ahead / 60))}:${two(ahead % 60)}`;
}

function two(n: number): string {
  return String(n).padStart(2, '0');
}
