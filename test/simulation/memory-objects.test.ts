/** The bucket in memory: what its calls answer, and how many there were. */
import { expect, test } from 'vitest';
import { createMemoryObjects } from './memory-objects.ts';

const bytes = (...values: number[]) => Uint8Array.from(values);

test('an object is written once and read whole or in part', async () => {
  const objects = createMemoryObjects();
  const sent = bytes(1, 2, 3, 4);
  await objects.put('a', sent);
  await objects.put('a', bytes(1, 2, 3, 4));
  sent[0] = 9;

  expect(await objects.get('a')).toEqual(bytes(1, 2, 3, 4));
  expect(await objects.getRange('a', { start: 1, end: 3 })).toEqual(bytes(2, 3));
  expect(await objects.get('b')).toBeUndefined();
  expect(await objects.getRange('b', { start: 0, end: 1 })).toBeUndefined();
  await expect(objects.getRange('a', { start: 2, end: 5 })).rejects.toThrow('4 bytes');
  expect(objects.calls).toEqual({ put: 2, get: 5, list: 0, delete: 0 });
});

test('other bytes under a taken name are an error', async () => {
  const objects = createMemoryObjects();
  await objects.put('a', bytes(1));

  await expect(objects.put('a', bytes(2))).rejects.toThrow('is there already: a');
  expect(await objects.get('a')).toEqual(bytes(1));
});

test('names are listed by prefix in the order of UTF-8 bytes, page by page', async () => {
  const objects = createMemoryObjects();
  const names = ['p/1', 'p/2', 'p/\uff5e', 'p/\u{1f600}'];
  for (const name of [...names, 'o/9', 'q/0'].reverse()) await objects.put(name, bytes());

  expect(await objects.list({ prefix: 'p/' })).toEqual({ names });
  expect(await objects.list({ prefix: 'p/', namesMax: 3 })).toEqual({
    names: names.slice(0, 3),
    next: 'p/\uff5e',
  });
  expect(await objects.list({ prefix: 'p/', page: 'p/\uff5e' })).toEqual({ names: names.slice(3) });
  expect(await objects.list({ prefix: 'p/', page: 'p/\u{1f600}' })).toEqual({ names: [] });
  expect(await objects.list({ prefix: 'x' })).toEqual({ names: [] });
});

test('a page has a thousand names', async () => {
  const objects = createMemoryObjects();
  const names = Array.from({ length: 1001 }, (_, index) => String(index).padStart(4, '0'));
  for (const name of names) await objects.put(name, bytes());

  const first = await objects.list({ prefix: '' });
  expect(first.names).toEqual(names.slice(0, 1000));
  expect(await objects.list({ prefix: '', page: first.next ?? '' })).toEqual({ names: ['1000'] });
});

test('objects are deleted, those that are absent too', async () => {
  const objects = createMemoryObjects();
  await objects.put('a', bytes(1));
  await objects.put('b', bytes(1));
  await objects.deleteMany(['a', 'x']);

  expect(objects.names()).toEqual(['b']);
  expect(objects.calls.delete).toBe(1);
  expect(await objects.presignedUrl('b/c', 60)).toBe('https://objects.invalid/b%2Fc?expires=60');
});
