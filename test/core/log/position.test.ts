import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AssertionFailed } from '../../../lib/core/assert.ts';
import { offset } from '../../../lib/core/log/ids.ts';
import {
  type ResolvablePosition,
  type Retained,
  resolvePosition,
} from '../../../lib/core/log/position.ts';

const FIRST: ResolvablePosition = { kind: 'first' };
const LAST: ResolvablePosition = { kind: 'last' };
const NEXT: ResolvablePosition = { kind: 'next' };
const at = (n: number): ResolvablePosition => ({ kind: 'at', offset: offset(n) });
const number = (n: number): ResolvablePosition => ({ kind: 'offset', offset: n });
const back = (count: bigint): ResolvablePosition => ({ kind: 'from-end', count });

const range = (first: number, next: number, lastChunk = first): Retained => ({
  first: offset(first),
  next: offset(next),
  lastChunk: offset(lastChunk),
});
const gap = (requested: number, firstAvailable: number, missing: number) => ({
  offset: firstAvailable,
  gap: { requested, firstAvailable, missing },
});
const clamped = (next: number) => ({ offset: next, clamped: true });

type Row = [rule: string, position: ResolvablePosition, start: object];

describe('an empty stream', () => {
  test.each<Row>([
    ['O1: first', FIRST, { offset: 0 }],
    ['O2: last', LAST, { offset: 0 }],
    ['O3: next', NEXT, { offset: 0 }],
    ['O6: 0', number(0), { offset: 0 }],
    ['O6: 1000, saying that nobody waits for it', number(1_000), clamped(0)],
    ['O7: -100', back(100n), { offset: 0 }],
    ['O8: any time', at(0), { offset: 0 }],
  ])('%s', (_rule, position, start) => {
    expect(resolvePosition(position, range(0, 0))).toEqual(start);
  });
});

describe('one chunk of two messages', () => {
  test.each<Row>([
    ['O1: first', FIRST, { offset: 0 }],
    ['O2: last is the start of the chunk', LAST, { offset: 0 }],
    ['O3: next', NEXT, { offset: 2 }],
    ['O4: 0', number(0), { offset: 0 }],
    ['O4: 1, inside the chunk', number(1), { offset: 1 }],
    ['O8: a time after the newest', at(2), { offset: 2 }],
  ])('%s', (_rule, position, start) => {
    expect(resolvePosition(position, range(0, 2))).toEqual(start);
  });
});

describe('the newest chunk', () => {
  test.each<[rule: string, retained: Retained, start: number]>([
    ['O2: of three, the last with one message', range(0, 6, 5), 5],
    ['O2: a fourth of four messages', range(0, 10, 6), 6],
    ['O2: untouched by a trim below it', range(2, 8, 4), 4],
    ['O2: cut by a trim gives what is left of it', range(6, 8, 4), 6],
    ['O2: trimmed away gives next', range(8, 8, 4), 8],
  ])('%s', (_rule, retained, start) => {
    expect(resolvePosition(LAST, retained)).toEqual({ offset: start });
  });

  test('O1: and first and next meet when everything is trimmed', () => {
    const trimmed = range(8, 8, 4);

    expect(resolvePosition(FIRST, trimmed)).toEqual({ offset: 8 });
    expect(resolvePosition(NEXT, trimmed)).toEqual({ offset: 8 });
  });
});

describe('retained [501, 901)', () => {
  test.each<Row>([
    ['O1: first, without a gap', FIRST, { offset: 501 }],
    ['O3: next', NEXT, { offset: 901 }],
    ['O4: the first retained, without a gap', number(501), { offset: 501 }],
    ['O4: the last retained', number(900), { offset: 900 }],
    ['O5: 500 misses one', number(500), gap(500, 501, 1)],
    ['O5: 100 misses 401', number(100), gap(100, 501, 401)],
    ['O5: 1 misses 500', number(1), gap(1, 501, 500)],
    ['O5: 0 is no exception', number(0), gap(0, 501, 501)],
    ['O6: exactly next, without remark', number(901), { offset: 901 }],
    ['O6: one beyond next', number(902), clamped(901)],
    ['O6: 950', number(950), clamped(901)],
    ['O6: the largest offset', number(2 ** 53 - 1), clamped(901)],
    ['O7: as many as are retained', back(400n), { offset: 501 }],
    ['O7: one less', back(399n), { offset: 502 }],
    ['O7: more than are retained, without a gap', back(1_000n), { offset: 501 }],
    ['O7: -2^63, without overflow', back(2n ** 63n), { offset: 501 }],
    ['O8: a time found inside', at(600), { offset: 600 }],
    ['O8: a time found in what retention dropped, without a gap', at(100), { offset: 501 }],
    ['O8: a time after the newest', at(901), { offset: 901 }],
  ])('%s', (_rule, position, start) => {
    expect(resolvePosition(position, range(501, 901, 890))).toEqual(start);
  });
});

describe('counting from the end', () => {
  test.each([
    [200, 100, 100],
    [30, 100, 0],
    [5, 3, 2],
    [5, 1, 4],
    [5, 5, 0],
    [5, 6, 0],
  ])('O7: of %d messages the newest %d start at %d', (next, count, start) => {
    expect(resolvePosition(back(BigInt(count)), range(0, next))).toEqual({ offset: start });
  });
});

test('O6: 1000 on ten messages waits for the tenth, not the thousandth', () => {
  expect(resolvePosition(number(1_000), range(0, 10))).toEqual(clamped(10));
});

test('O4: every retained offset is met exactly, wherever its chunk begins', () => {
  const retained = range(0, 1_000, 992);
  const offsets = Array.from({ length: 1_000 }, (_, n) => n);

  expect(offsets.map((n) => resolvePosition(number(n), retained))).toEqual(
    offsets.map((n) => ({ offset: n })),
  );
});

describe('whatever is asked of whatever is retained', () => {
  const LARGEST = Number.MAX_SAFE_INTEGER;
  const ranges = fc
    .tuple(fc.maxSafeNat(), fc.maxSafeNat(), fc.maxSafeNat())
    .map((three) => three.toSorted((a, b) => a - b))
    .chain(([a = 0, b = 0, c = 0]) => fc.constantFrom(range(b, c, a), range(a, c, b)));
  const near = (bound: number) =>
    fc
      .integer({ min: -2, max: 2 })
      .map((distance) => Math.min(LARGEST, Math.max(0, bound + distance)));

  test('O5: a start lies in [first, next], and a gap names exactly what is gone', () => {
    const rangeAndOffset = ranges.chain((retained) =>
      fc.tuple(
        fc.constant(retained),
        fc.oneof(fc.maxSafeNat(), near(retained.first), near(retained.next)),
      ),
    );

    fc.assert(
      fc.property(rangeAndOffset, ([retained, n]) => {
        const start = resolvePosition(number(n), retained);

        expect(start.offset).toBe(Math.min(Math.max(n, retained.first), retained.next));
        expect(start.gap !== undefined).toBe(n < retained.first);
        expect(n + (start.gap?.missing ?? 0)).toBe(Math.max(n, retained.first));
        expect(start.clamped === true).toBe(n > retained.next);
      }),
    );
  });

  test('O7: counting back never leaves the range nor rounds', () => {
    fc.assert(
      fc.property(ranges, fc.bigInt({ min: 1n, max: 2n ** 63n }), (retained, count) => {
        const wanted = BigInt(retained.next) - count;
        const start = wanted > retained.first ? Number(wanted) : retained.first;

        expect(resolvePosition(back(count), retained)).toEqual({ offset: start });
      }),
    );
  });

  test('O2: last lies in [first, next], without a gap', () => {
    fc.assert(
      fc.property(ranges, (retained) => {
        const start = resolvePosition(LAST, retained);

        expect(start).toEqual({ offset: Math.max(retained.first, retained.lastChunk) });
        expect(start.offset).toBeLessThanOrEqual(retained.next);
      }),
    );
  });
});

describe('a fault of this program', () => {
  test.each<[what: string, position: ResolvablePosition, retained: Retained]>([
    ['O1: a range that ends before it begins', FIRST, range(5, 4, 0)],
    ['O2: a chunk that begins above next', LAST, range(0, 4, 5)],
    ['O4: half an offset', number(1.5), range(0, 4)],
    ['O7: no message before the end', back(0n), range(0, 4)],
    ['O8: a time found above next', at(5), range(0, 4)],
  ])('%s', (_what, position, retained) => {
    expect(() => resolvePosition(position, retained)).toThrow(AssertionFailed);
  });
});
