import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  compareBytes,
  encodeUlid,
  formatUlid,
  isSameUlid,
  parseUlid,
  ulidOf,
  ulidTimeMs,
} from '../../lib/format/ulid.ts';

const TIME_MAX = 2 ** 48 - 1;
const ulids = fc
  .tuple(fc.nat(TIME_MAX), fc.bigInt({ min: 0n, max: 2n ** 80n - 1n }))
  .map(([timeMs, chance]) => encodeUlid(timeMs, chance.toString(16).padStart(20, '0')));

test.each([
  [0, '0'.repeat(20), '00000000000000000000000000'],
  [TIME_MAX, 'f'.repeat(20), '7ZZZZZZZZZZZZZZZZZZZZZZZZZ'],
  [1_795_946_400_000, '00112233445566778899', '01M8KBYJ80008J4CT4ANK7F24S'],
])('the id of %d ms and %s is %s', (timeMs, random, text) => {
  const ulid = encodeUlid(timeMs, random);

  expect(formatUlid(ulid)).toBe(text);
  expect(parseUlid(text)).toEqual(ulid);
  expect(ulidTimeMs(ulid)).toBe(timeMs);
});

test('only the first 20 digits of the randomness count', () => {
  expect(encodeUlid(5, `${'ab'.repeat(10)}cdef`)).toEqual(encodeUlid(5, 'ab'.repeat(10)));
});

test('texts and bytes of ids are one to one, and sort alike', () => {
  fc.assert(
    fc.property(ulids, ulids, (a, b) => {
      expect(parseUlid(formatUlid(a))).toEqual(a);
      const byText = Math.sign(
        formatUlid(a) < formatUlid(b) ? -1 : formatUlid(a) > formatUlid(b) ? 1 : 0,
      );
      expect(Math.sign(compareBytes(a, b))).toBe(byText);
      expect(isSameUlid(a, b)).toBe(byText === 0);
      if (ulidTimeMs(a) < ulidTimeMs(b)) expect(compareBytes(a, b)).toBeLessThan(0);
    }),
  );
});

test.each([
  ['', 'nothing'],
  ['01M8KBYJ80008J4CT4ANK7F24', 'too short'],
  ['01M8KBYJ80008J4CT4ANK7F24SS', 'too long'],
  ['81M8KBYJ80008J4CT4ANK7F24S', 'above 128 bits'],
  ['01m8kbyj80008j4ct4ank7f24s', 'lower case'],
  ['01M8KBYJ80008I4CT4ANK7F24S', 'a digit that is none'],
])('%j is no id: %s', (text) => {
  expect(parseUlid(text)).toBeUndefined();
});

test.each([-1, 2 ** 48, 0.5, Number.NaN])('%d ms have no id', (timeMs) => {
  expect(() => encodeUlid(timeMs, '0'.repeat(20))).toThrow('do not fit 48 bits');
});

test('other numbers of bytes are no id', () => {
  expect(() => ulidOf(new Uint8Array(15))).toThrow('15 bytes');
});

test.each([
  [[], [], 0],
  [[0x7f, 0xff], [0x80], -1],
  [[0x7f, 0xff], [0x7f, 0xff, 0], -1],
  [[0], [1, 2, 3], -1],
  [[2], [1, 9], 1],
])('bytes compare unsigned, a beginning before the whole: %j %j', (a, b, order) => {
  const compared = compareBytes(Uint8Array.from(a), Uint8Array.from(b));

  expect(Math.sign(compared)).toBe(order);
});
