/** Objects on an S3. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Objects } from '../../../lib/aws/objects.ts';
import { type AwsStore, createAwsStore } from '../../support/aws-store.ts';

let store: AwsStore;
let objects: Objects;

beforeAll(async () => {
  store = await createAwsStore();
  objects = store.connect().objects;
});
afterAll(() => store.drop());

const bytes = (text: string) => new Uint8Array(Buffer.from(text));
const LARGE = new Uint8Array(3_000_000).map((_, index) => index % 251);

test('an object comes back as it was put', async () => {
  await objects.put('ab/i/c/small', bytes('content'));
  await objects.put('ab/i/c/large', LARGE);

  expect(await objects.get('ab/i/c/small')).toEqual(bytes('content'));
  expect(Buffer.compare((await objects.get('ab/i/c/large')) ?? bytes(''), LARGE)).toBe(0);
  expect(await objects.get('ab/i/c/other')).toBeUndefined();
});

test('an object is never overwritten', async () => {
  await objects.put('twice', bytes('first'));
  await objects.put('twice', bytes('second'));

  expect(await objects.get('twice')).toEqual(bytes('first'));
});

test('ranges are half-open', async () => {
  await objects.put('ranged', bytes('0123456789'));
  const range = (start: number, end: number) => objects.getRange('ranged', { start, end });

  expect(await range(0, 1)).toEqual(bytes('0'));
  expect(await range(3, 7)).toEqual(bytes('3456'));
  expect(await range(9, 10)).toEqual(bytes('9'));
  expect(await objects.getRange('none', { start: 0, end: 1 })).toBeUndefined();
});

test.each([
  [5, 11],
  [10, 12],
])('a range [%i, %i) beyond the end is damage', async (start, end) => {
  await objects.put('short', bytes('0123456789'));

  await expect(objects.getRange('short', { start, end })).rejects.toMatchObject({
    kind: 'corrupt',
    message: `object short ends before byte ${end}`,
  });
});

test('a list goes over a thousand names in order; all of them are deleted', async () => {
  const names = Array.from({ length: 1_005 }, (_, n) => `many/${String(n).padStart(4, '0')}`);
  await objects.put('many', bytes('no name of the list'));
  for (let start = 0; start < names.length; start += 100) {
    const part = names.slice(start, start + 100);
    await Promise.all(part.map((name) => objects.put(name, bytes('x'))));
  }
  const first = await objects.list({ prefix: 'many/' });
  const second = await objects.list({ prefix: 'many/', page: first.next ?? 'no page' });

  expect(first.names).toHaveLength(1_000);
  expect([...first.names, ...second.names]).toEqual(names);
  expect(second.next).toBeUndefined();

  await objects.deleteMany([...names, 'many/absent']);
  expect(await objects.list({ prefix: 'many/' })).toEqual({ names: [] });
  expect(await objects.get('many')).toEqual(bytes('no name of the list'));
});

test('whoever has the URL reads the object', async () => {
  await objects.put('shared/x y', bytes('0123456789'));
  const url = await objects.presignedUrl('shared/x y', 60);
  const answer = await fetch(url, { headers: { range: 'bytes=2-4' } });

  expect(answer.status).toBe(206);
  expect(await answer.text()).toBe('234');
});
