import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  Malformed,
  VARINT_BYTES_MAX,
  VarintReader,
  varintBytes,
  writeVarint,
} from '../../lib/wire/varint.ts';

const LARGEST = Number.MAX_SAFE_INTEGER;

function encode(value: number): Uint8Array {
  const target = new Uint8Array(varintBytes(value));
  expect(writeVarint(target, value, 0)).toBe(target.length);
  return target;
}

const read = (...bytes: readonly number[]) =>
  new VarintReader(Uint8Array.from(bytes)).next('number');

/** Every power of two and its neighbours, where a group of seven bits begins or ends. */
const edges = fc
  .integer({ min: 0, max: 53 })
  .chain((power) => fc.constantFrom(2 ** power - 1, 2 ** power, 2 ** power + 1))
  .filter(Number.isSafeInteger);
const value = fc.oneof(fc.maxSafeNat(), edges);

describe('a varint', () => {
  test.each([
    [0, [0x00]],
    [1, [0x01]],
    [127, [0x7f]],
    [128, [0x80, 0x01]],
    [300, [0xac, 0x02]],
    [16_383, [0xff, 0x7f]],
    [16_384, [0x80, 0x80, 0x01]],
    [2 ** 32, [0x80, 0x80, 0x80, 0x80, 0x10]],
    [LARGEST, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f]],
  ])('of %d has these bytes for ever', (number, bytes) => {
    expect([...encode(number)]).toEqual(bytes);
    expect(read(...bytes)).toBe(number);
  });

  test('survives the round trip, in as many bytes as were foretold', () => {
    fc.assert(
      fc.property(value, (number) => {
        const bytes = encode(number);
        expect(bytes.length).toBeLessThanOrEqual(VARINT_BYTES_MAX);
        expect(read(...bytes)).toBe(number);
      }),
    );
  });

  test('stands before another one, and the reader between them', () => {
    fc.assert(
      fc.property(fc.array(value), (numbers) => {
        const bytes = numbers.flatMap((number) => [...encode(number)]);
        const reader = new VarintReader(Uint8Array.from(bytes));

        expect(numbers.map(() => reader.next('number'))).toEqual(numbers);
        expect(reader.position).toBe(bytes.length);
      }),
    );
  });

  test('is refused cut off anywhere', () => {
    fc.assert(
      fc.property(value, (number) => {
        const bytes = encode(number);
        for (let length = 0; length < bytes.length; length++) {
          expect(() => read(...bytes.subarray(0, length))).toThrow(
            new Malformed('number at 0 is cut off'),
          );
        }
      }),
    );
  });

  test.each([
    ['2^53', [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10]],
    ['the largest of eight bytes', [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]],
    ['nine bytes', [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00]],
    ['ten bytes', [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]],
  ])('is refused above 2^53 - 1: %s', (_what, bytes) => {
    expect(() => read(...bytes)).toThrow(new Malformed('number at 0 is above 2^53 - 1'));
  });
});

describe('taking bytes', () => {
  const source = Uint8Array.of(1, 2, 3, 4);

  test('gives a view and moves behind it', () => {
    const reader = new VarintReader(source, 1);
    const taken = reader.take(2, 'part');

    expect([...taken]).toEqual([2, 3]);
    expect(taken.buffer).toBe(source.buffer);
    expect(reader.position).toBe(3);
    expect([...reader.take(1, 'part')]).toEqual([4]);
    expect([...reader.take(0, 'part')]).toEqual([]);
  });

  test.each([1, 5, LARGEST])('is refused beyond the end: %d', (length) => {
    expect(() => new VarintReader(source, 4).take(length, 'part')).toThrow(
      new Malformed(`part of ${length} bytes at 4 is cut off`),
    );
  });
});
