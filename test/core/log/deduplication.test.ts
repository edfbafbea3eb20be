import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  forgottenThrough,
  judgeValues,
  NEVER_MS,
  NO_VALUES,
  parseCacheTtl,
  type RecordedValue,
  type ValuedMessage,
  valueKey,
} from '../../../lib/core/log/deduplication.ts';

interface Arrival {
  readonly value: string;
  readonly waitMs: number;
  readonly ttlMs: number | undefined;
}

/** A list, the oldest first: what everybody would write who never heard of numbers. */
function naive(arrivals: readonly Arrival[], size: number, ttlMs: number | null): boolean[] {
  let cache: { value: string; expiresMs: number }[] = [];
  let nowMs = 0;
  return arrivals.map((arrival) => {
    nowMs += arrival.waitMs;
    const isKnown = cache.some(
      ({ value, expiresMs }) => value === arrival.value && nowMs < expiresMs,
    );
    if (isKnown) return true;
    const lifeMs = arrival.ttlMs ?? ttlMs ?? Number.POSITIVE_INFINITY;
    cache = [...cache, { value: arrival.value, expiresMs: nowMs + lifeMs }].slice(-size);
    return false;
  });
}

const arrival: fc.Arbitrary<Arrival> = fc.record({
  value: fc.constantFrom('A', 'B', 'C', 'D', 'E'),
  waitMs: fc.nat(3),
  ttlMs: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
});
const size = fc.integer({ min: 1, max: 4 });
const ttl = fc.option(fc.integer({ min: 1, max: 30 }));

function memoryOf(recorded: readonly RecordedValue[]) {
  return {
    count: recorded.length,
    find: (value: string) => recorded.findLast((one) => one.value === value),
  };
}

describe('values', () => {
  test('M3 M4: are remembered as in a list of the latest', () => {
    fc.assert(
      fc.property(
        fc.array(arrival, { maxLength: 40 }),
        size,
        ttl,
        (arrivals, cache_size, cache_ttl) => {
          const settings = { header: 'h', cache_size, cache_ttl };
          const recorded: RecordedValue[] = [];
          let nowMs = 0;
          const known = arrivals.map(({ value, waitMs, ttlMs }) => {
            nowMs += waitMs;
            const message = { index: 0, value, bytes: 1, ...(ttlMs !== undefined && { ttlMs }) };
            const judged = judgeValues([message], memoryOf(recorded), { settings, nowMs });
            recorded.push(...judged.recorded);
            return judged.duplicates.length === 1;
          });

          expect(known).toEqual(naive(arrivals, cache_size, cache_ttl));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test('M3 P1: of one request are judged as if they came one by one', () => {
    fc.assert(
      fc.property(
        fc.array(arrival, { maxLength: 20 }),
        size,
        ttl,
        (arrivals, cache_size, cache_ttl) => {
          const messages: ValuedMessage[] = arrivals.map(({ value, ttlMs }, index) => {
            return { index, value, bytes: 1, ...(ttlMs !== undefined && { ttlMs }) };
          });
          const settings = { header: 'h', cache_size, cache_ttl };
          const { duplicates, recorded } = judgeValues(messages, NO_VALUES, { settings, nowMs: 0 });

          const atOnce = arrivals.map((one) => ({ ...one, waitMs: 0 }));
          const known = new Set(duplicates.map(({ index }) => index));
          expect([...arrivals.keys()].map((index) => known.has(index))).toEqual(
            naive(atOnce, cache_size, cache_ttl),
          );
          expect(recorded.map(({ number }) => number)).toEqual(
            Array.from({ length: arrivals.length - duplicates.length }, (_, index) => index + 1),
          );
        },
      ),
    );
  });

  test('M4: without a time, or with a very long one, are remembered until they are pushed out', () => {
    const settings = { header: 'h', cache_size: 2, cache_ttl: null };
    const expiresMs = (ttlMs?: number) =>
      judgeValues(
        [{ index: 0, value: 'A', bytes: 1, ...(ttlMs !== undefined && { ttlMs }) }],
        NO_VALUES,
        {
          settings,
          nowMs: 5,
        },
      ).recorded[0]?.expiresMs;

    expect([expiresMs(), expiresMs(Number.MAX_SAFE_INTEGER), expiresMs(7)]).toEqual([
      NEVER_MS,
      NEVER_MS,
      12,
    ]);
  });

  test('M3: are pushed out when so many others came behind them', () => {
    expect([0, 1, 2, 3, 9].map((count) => forgottenThrough(count, 2))).toEqual([0, 0, 0, 1, 7]);
  });

  test('M2: are the same only under the same header', () => {
    const keys = [
      valueKey('a', 'b'),
      valueKey('ab', ''),
      valueKey('a', 'B'),
      valueKey('a', '\ud800'),
      valueKey('a', '\ud801'),
      valueKey('a","b', ''),
      valueKey('a', '","b'),
    ];

    expect(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size).toBe(keys.length);
  });
});

test.each(['1', '10000', '010', '9007199254740991'])('M4: %s ms are a time to live', (text) => {
  expect(parseCacheTtl(text)).toEqual({ kind: 'ok', ttlMs: Number(text) });
});

test.each(['', '0', '-1', '1.5', '1e3', 'abc', 'true', ' 1', '9007199254740992', '٣'])(
  'M4: %j is none',
  (text) => {
    expect(parseCacheTtl(text)).toEqual({
      kind: 'reject',
      reason: expect.stringContaining('x-cache-ttl'),
    });
  },
);
