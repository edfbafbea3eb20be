import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Position } from '../../../lib/core/log/position.ts';
import { describePosition, parsePosition } from '../../../lib/core/log/position-syntax.ts';

const ok = (position: Position) => ({ kind: 'ok', position });
const reject = (reason: RegExp) => ({ kind: 'reject', reason: expect.stringMatching(reason) });
const LISTS_ALL =
  /is not a position: use first, last, next, stored .* offset .* negative .* ts:.* or ago:/;

describe('a position is written', () => {
  test.each<[rule: string, text: string, position: Position]>([
    ['O1', 'first', { kind: 'first' }],
    ['O2', 'last', { kind: 'last' }],
    ['O3', 'next', { kind: 'next' }],
    ['O4', '0', { kind: 'offset', offset: 0 }],
    ['O4', '1', { kind: 'offset', offset: 1 }],
    ['O4', '0042', { kind: 'offset', offset: 42 }],
    ['O6', '9007199254740991', { kind: 'offset', offset: 2 ** 53 - 1 }],
    ['O7', '-0', { kind: 'offset', offset: 0 }],
    ['O7', '-1', { kind: 'from-end', count: 1n }],
    ['O7', '-100', { kind: 'from-end', count: 100n }],
    ['O7', '-9007199254740993', { kind: 'from-end', count: 2n ** 53n + 1n }],
    ['O7', '-9223372036854775808', { kind: 'from-end', count: 2n ** 63n }],
    ['O8', 'ts:1795946400000', { kind: 'time', ms: 1_795_946_400_000 }],
    ['O8', 'ts:631152000000', { kind: 'time', ms: 631_152_000_000 }],
    ['O8', 'ts:2026-11-29T10:00:00Z', { kind: 'time', ms: 1_795_946_400_000 }],
    ['O8', 'ts:2026-11-29T11:00:00+01:00', { kind: 'time', ms: 1_795_946_400_000 }],
    ['O8', 'ts:2026-11-28T23:30:00-10:30', { kind: 'time', ms: 1_795_946_400_000 }],
    ['O8', 'ts:1985-01-01T00:00:00Z', { kind: 'time', ms: 473_385_600_000 }],
    ['O9', 'ago:1h', { kind: 'ago', ms: 3_600_000 }],
    ['O9', 'ago:60m', { kind: 'ago', ms: 3_600_000 }],
    ['O9', 'ago:3600000ms', { kind: 'ago', ms: 3_600_000 }],
    ['O9', 'ago:1D', { kind: 'ago', ms: 86_400_000 }],
    ['O9', 'ago:1ms', { kind: 'ago', ms: 1 }],
    ['O9', 'ago:0s', { kind: 'ago', ms: 0 }],
    ['O9', '1h', { kind: 'ago', ms: 3_600_000 }],
    ['O9', '60m', { kind: 'ago', ms: 3_600_000 }],
    ['O9', '3600000ms', { kind: 'ago', ms: 3_600_000 }],
    ['O9', '1D', { kind: 'ago', ms: 86_400_000 }],
    ['O10', 'stored', { kind: 'stored' }],
  ])('%s: %s', (_rule, text, position) => {
    expect(parsePosition(text)).toEqual(ok(position));
  });

  test.each([
    ...['', 'firs', 'First', 'FIRST', ' first', 'first ', 'first\n', 'earliest', 'Stored'],
    ...['5.0', '1e3', '0x10', '--5', '+5', '5 ', ' 5', '-', '- 5', '5,0', '5_000', '٥', '5n'],
    ...['true', 'null', 'NaN', 'Infinity', 'undefined', '{}', '[]'],
    ...['1H', '1.5h', '-1h', 'h', '1d', '1h30m', '99999999999999999999Y'],
    ...['ts', 'TS:1795946400000', 'ago', 'Ago:1h', 'at:5', 'offset:5'],
    ...['5'.repeat(65), `ts:2026-11-29T10:00:00.${'1'.repeat(50)}Z`],
  ])('O12: not as %j', (text) => {
    expect(parsePosition(text)).toEqual(reject(LISTS_ALL));
  });

  test.each([
    ...['ts:', 'ts:abc', 'ts:-1', 'ts: 1795946400000', 'ts:first', 'ts:ts:1795946400000'],
    ...['ts:2026-11-29', 'ts:2026-11-29T11:00:00 01:00'],
  ])('O12: not as %j, which no instant follows', (text) => {
    expect(parsePosition(text)).toEqual(reject(/is not a time: use milliseconds since 1970/));
  });

  test('O12: not with a day that does not exist', () => {
    expect(parsePosition('ts:2026-02-30T00:00:00Z')).toEqual(reject(/no calendar has/));
  });

  test.each(['ts:1700000000', 'ts:631151999999', 'ts:0'])('O8: not in seconds: %s', (text) => {
    expect(parsePosition(text)).toEqual(reject(/milliseconds/));
  });

  test.each([
    ...['ago:', 'ago:h', 'ago:1H', 'ago:1.5h', 'ago:-1h', 'ago:3600000', 'ago:1h '],
    ...['ago:ago:1h', 'ago:first'],
  ])('O9: not as %j, which no duration follows', (text) => {
    expect(parsePosition(text)).toEqual(reject(/is not a duration: use an integer with one of/));
  });

  test.each(['9007199254740992', '9223372036854775808', '9'.repeat(64)])(
    'O12: not as %s, beyond what a number holds exactly',
    (text) => {
      expect(parsePosition(text)).toEqual(reject(/is beyond 2\^53 - 1/));
    },
  );

  test('O7: not farther from the end than 2^63', () => {
    expect(parsePosition('-9223372036854775809')).toEqual(reject(/is below -2\^63/));
  });

  test('O4: any offset by its digits', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (n) => {
        expect(parsePosition(`${n}`)).toEqual(ok({ kind: 'offset', offset: n }));
      }),
    );
  });

  test('O7: any count from the end by its digits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 63n }), (count) => {
        expect(parsePosition(`-${count}`)).toEqual(ok({ kind: 'from-end', count }));
      }),
    );
  });

  test('O12: a single wrong character before or behind is never ignored', () => {
    const valid = fc.constantFrom(
      'first',
      'last',
      'next',
      'stored',
      '-100',
      '1h',
      'ts:1795946400000',
    );
    const stray = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 });

    fc.assert(
      fc.property(valid, stray, (text, character) => {
        fc.pre(!/[0-9-]/.test(character));

        expect(parsePosition(character + text).kind).toBe('reject');
        expect(parsePosition(`${text} ${character}`).kind).toBe('reject');
      }),
    );
  });
});

test.each<[rule: string, why: string, position: Position]>([
  ['O1', 'first retained message', { kind: 'first' }],
  ['O2', 'start of the newest chunk', { kind: 'last' }],
  ['O3', 'only messages published after this request', { kind: 'next' }],
  ['O4', 'the offset asked for', { kind: 'offset', offset: 42 }],
  ['O7', '100 before the end', { kind: 'from-end', count: 100n }],
  ['O8', 'first message at or after 1795946400000', { kind: 'time', ms: 1_795_946_400_000 }],
  ['O9', 'first message at or after 1h ago', { kind: 'ago', ms: 3_600_000 }],
  ['O10', 'the stored offset of the consumer', { kind: 'stored' }],
])('%s: an answer explains itself: %s', (_rule, why, position) => {
  expect(describePosition(position)).toBe(why);
});
