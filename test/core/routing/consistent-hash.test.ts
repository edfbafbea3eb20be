import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ConsistentHash } from '../../../lib/core/routing/consistent-hash.ts';

function hashOf(weights: Readonly<Record<string, number>>): ConsistentHash<string> {
  return new ConsistentHash(
    Object.entries(weights).map(([id, weight]) => ({ id, weight, value: id })),
  );
}

const keys = (count: number) => Array.from({ length: count }, (_, at) => `key-${at}`);

/** The part of the keys that belongs to `id`. */
function share(hash: ConsistentHash<string>, id: string, of = keys(10_000)): number {
  return of.filter((key) => hash.pick(key) === id).length / of.length;
}

test('X1: two of weight 1 share the keys, whatever they are called', () => {
  for (const [a, b] of [
    ['stream=q1', 'stream=q2'],
    ['stream=a', 'exchange=a'],
    ['stream=orders-0', 'stream=orders-1'],
  ] as const) {
    const part = share(hashOf({ [a]: 1, [b]: 1 }), a);
    expect(part).toBeGreaterThan(0.4);
    expect(part).toBeLessThan(0.6);
  }
});

test('X1: a weight of 3 beside one of 1 takes three quarters', () => {
  const part = share(hashOf({ a: 1, b: 3 }), 'b');
  expect(part).toBeGreaterThan(0.65);
  expect(part).toBeLessThan(0.85);
});

test('X1: the largest weight beside the smallest leaves it a thousandth', () => {
  const part = share(hashOf({ a: 1, b: 1_000 }), 'a', keys(100_000));
  expect(part).toBeGreaterThan(0.0005);
  expect(part).toBeLessThan(0.002);
});

test('X1: one-letter keys and numbers are spread too', () => {
  const numbers = Array.from({ length: 1_000 }, (_, at) => String(at));
  for (const id of ['a', 'b', 'c', 'd']) {
    const part = share(hashOf({ a: 1, b: 1, c: 1, d: 1 }), id, numbers);
    expect(part).toBeGreaterThan(0.18);
    expect(part).toBeLessThan(0.32);
  }
});

test('X1: without destinations nothing is picked', () => {
  expect(hashOf({}).pick('a')).toBeUndefined();
});

const destinations = fc.dictionary(
  fc.string({ minLength: 1, maxLength: 8 }),
  fc.integer({ min: 1, max: 1_000 }),
  { minKeys: 2, maxKeys: 12 },
);

test('X1: when a destination goes, its keys move and no others; when it returns, they return', () => {
  fc.assert(
    fc.property(destinations, fc.nat(), (weights, which) => {
      const ids = Object.keys(weights);
      const gone = ids[which % ids.length];
      const left = Object.fromEntries(Object.entries(weights).filter(([id]) => id !== gone));
      const [all, without] = [hashOf(weights), hashOf(left)];
      const again = hashOf({ ...left, ...(gone !== undefined && { [gone]: weights[gone] ?? 0 }) });
      for (const key of keys(200)) {
        const before = all.pick(key);
        if (before !== gone) expect(without.pick(key)).toBe(before);
        expect(again.pick(key)).toBe(before);
      }
    }),
    { numRuns: 50 },
  );
});

test('X1: of n alike, one that goes moves a part of 1/n of the keys', () => {
  for (const count of [3, 10]) {
    const weights = Object.fromEntries(Array.from({ length: count }, (_, at) => [`q${at}`, 1]));
    const { q1: _, ...left } = weights;
    const [all, without] = [hashOf(weights), hashOf(left)];
    const moved = keys(10_000).filter((key) => all.pick(key) !== without.pick(key));
    expect(moved.length / 10_000).toBeLessThan(1 / count + 0.02);
  }
});

test('X1: a key belongs to the same destination in every process, and in the next version', () => {
  const hash = hashOf({ 'stream=q1': 1, 'stream=q2': 1, 'stream=q3': 1 });
  expect(keys(12).map((key) => hash.pick(key)?.at(-1))).toMatchInlineSnapshot(`
    [
      "3",
      "2",
      "3",
      "2",
      "3",
      "2",
      "3",
      "1",
      "3",
      "2",
      "2",
      "1",
    ]
  `);
});
