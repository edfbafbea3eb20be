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
