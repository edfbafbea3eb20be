import { expect, test } from 'vitest';
import { BoundedCache } from '../../lib/embedded/bounded-cache.ts';

test('what was used last stays when there is too much', () => {
  const cache = new BoundedCache<string, number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  expect(cache.get('a')).toBe(1);
  cache.set('c', 3);

  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, undefined, 3]);
});

test('setting a key again replaces its value and takes no second place', () => {
  const cache = new BoundedCache<string, number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  cache.set('a', 3);
  cache.delete('b');
  cache.set('c', 4);

  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([3, undefined, 4]);
  cache.clear();
  expect([cache.get('a'), cache.get('c')]).toEqual([undefined, undefined]);
});

test('a cache that weighs what it holds forgets the oldest until the rest is light enough', () => {
  const cache = new BoundedCache<string, number>(10, (value) => value);
  for (const [key, weight] of [
    ['a', 3],
    ['b', 4],
    ['c', 3],
  ] as const)
    cache.set(key, weight);
  expect(cache.get('a')).toBe(3);
  cache.set('d', 4);
  expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key))).toEqual([3, undefined, 3, 4]);

  cache.set('d', 1);
  cache.set('e', 3);
  expect(['a', 'c', 'd', 'e'].map((key) => cache.get(key))).toEqual([3, 3, 1, 3]);
  cache.delete('a');
  cache.set('f', 3);
  expect(['c', 'd', 'e', 'f'].map((key) => cache.get(key))).toEqual([3, 1, 3, 3]);
  cache.set('g', 11);
  expect(['c', 'd', 'e', 'f', 'g'].map((key) => cache.get(key))).toEqual(Array(5).fill(undefined));
});
