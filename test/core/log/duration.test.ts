import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AssertionFailed } from '../../../lib/core/assert.ts';
import { formatDuration, parseDuration } from '../../../lib/core/log/duration.ts';

const ok = (ms: number) => ({ kind: 'ok', ms });
const reject = (reason: RegExp) => ({ kind: 'reject', reason: expect.stringMatching(reason) });
const NOT_ONE = /is not a duration: use an integer with one of the units Y M D h m s ms/;
const TOO_LONG = /is longer than 2\^53 - 1 milliseconds/;

describe('a duration', () => {
  test.each([
    ['10Y', 315_360_000_000],
    ['10M', 25_920_000_000],
    ['10D', 864_000_000],
    ['10h', 36_000_000],
    ['10m', 600_000],
    ['10s', 10_000],
    ['500ms', 500],
    [10, 10],
    [86_400_000, 86_400_000],
    ['007D', 604_800_000],
    ['9007199254740991ms', 9_007_199_254_740_991],
    ['285616Y', 9_007_186_176_000_000],
    [9_007_199_254_740_991, 9_007_199_254_740_991],
  ])('reads %j as %d ms', (value, ms) => {
    expect(parseDuration(value)).toEqual(ok(ms));
  });

  test.each(['0s', '0ms', '0Y', 0, -0])('reads %j as no time at all', (value) => {
    expect(parseDuration(value)).toEqual(ok(0));
  });

  test.each([
    ...['', 'D', 'M', 'ms', 'Year', 'invalid'],
    ...['-1D', '+1D', '1.5h', '1e3s', '0x1h'],
    ...['1A', '1y', '1d', '1H', '1S', '1MS', '1Ms'],
    ...['1D2', '1D2h', '1DD', 'D1'],
    ...['1 D', ' 1D', '1D ', '1D\n', '٥D'],
    ...['10', '-10', '0'],
  ])('is not %j', (text) => {
    expect(parseDuration(text)).toEqual(reject(NOT_ONE));
  });

  test.each([-10, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('is not the number %d', (value) => {
    expect(parseDuration(value)).toEqual(reject(NOT_ONE));
  });

  test.each([
    '99999999999999999999Y',
    '9007199254740992ms',
    '9007199254740993ms',
    '9007199254741s',
    '285617Y',
    '9'.repeat(400).concat('D'),
    9_007_199_254_740_992,
    1e16,
  ])('is refused beyond 2^53 - 1 ms, not rounded: %j', (value) => {
    expect(parseDuration(value)).toEqual(reject(TOO_LONG));
  });

  test.each([
    [0, '0ms'],
    [1, '1ms'],
    [999, '999ms'],
    [1_000, '1s'],
    [1_500, '1500ms'],
    [90_000, '90s'],
    [60_000, '1m'],
    [8_640_000, '144m'],
    [3_600_000, '1h'],
    [86_400_000, '1D'],
    [90_000_000, '25h'],
    [604_800_000, '7D'],
    [2_592_000_000, '1M'],
    [31_104_000_000, '12M'],
    [31_536_000_000, '1Y'],
  ])('of %d ms is written %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  test.each([-1, 1.5, 2 ** 53, Number.NaN])('of %d ms is a fault of this program', (ms) => {
    expect(() => formatDuration(ms)).toThrow(AssertionFailed);
  });

  test('comes back from its text', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (ms) => {
        expect(parseDuration(formatDuration(ms))).toEqual(ok(ms));
      }),
    );
  });

  test('has one text, however it was written, in the largest unit that fits', () => {
    const units = [
      ['Y', 31_536_000_000],
      ['M', 2_592_000_000],
      ['D', 86_400_000],
      ['h', 3_600_000],
      ['m', 60_000],
      ['s', 1_000],
    ] as const;

    fc.assert(
      fc.property(fc.constantFrom(...units), fc.integer({ min: 1, max: 9_999 }), (unit, count) => {
        const ms = count * unit[1];
        const largest = units.find(([, unitMs]) => ms % unitMs === 0) ?? unit;

        expect(parseDuration(`${count}${unit[0]}`)).toEqual(ok(ms));
        expect(formatDuration(ms)).toBe(`${ms / largest[1]}${largest[0]}`);
      }),
    );
  });
});
