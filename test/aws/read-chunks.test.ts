/** What readers of objects ask for, and what they are told of an object that is not there (PROTOCOL R8). */
import { describe, expect, test } from 'vitest';
import type { Objects } from '../../lib/aws/objects.ts';
import type { Batch } from '../../lib/ports/log-store.ts';
import { LostMessages, StoreError } from '../../lib/ports/store-error.ts';
import { encodeRecords } from '../../lib/wire/record.ts';
import {
  append,
  bodiesOf,
  createStream,
  publish,
  readRange,
  STREAM,
  STREAM_ID,
} from '../contract/contract-steps.ts';
import { at, batchOfSize } from '../support/batches.ts';
import { type MemoryAws, openMemoryAws } from '../support/memory-aws.ts';

const MAX = Number.MAX_SAFE_INTEGER;
const read = (store: MemoryAws, from: number, end: number) =>
  readRange(store, { from, end, bytesMax: MAX });
const failure = (caught: Promise<unknown>) =>
  caught.then(
    () => 'read',
    (error: unknown) => error,
  );

/** Twenty objects of two messages: the first sixteen are in the index, four in the tail. */
async function openStream(): Promise<MemoryAws> {
  const store = openMemoryAws();
  await createStream(store);
  for (let n = 0; n < 20; n++) await publish(store, append([`a${n}`, `b${n}`]));
  return store;
}

async function deleteObject(store: MemoryAws, number: number): Promise<void> {
  const range = { streamId: STREAM_ID, from: at(2 * number), end: at(2 * number + 1), bytesMax: 1 };
  const [object] = await store.directReads.plan(range, 1);
  const name = decodeURIComponent(new URL(object?.url ?? '').pathname.slice(1));
  await store.objects.deleteMany([name]);
}

describe('an object that is lost', () => {
  test.each([
    ['in the index', 3],
    ['in the tail', 18],
  ])('O16: %s ends the page before it, and is told exactly', async (_where, number) => {
    const store = await openStream();
    await deleteObject(store, number);
    const reader = store.another();
    const before = await read(reader, 2 * number - 2, 40);
    expect(bodiesOf(before)).toEqual([`a${number - 1}`, `b${number - 1}`]);

    const lost = await failure(read(reader, 2 * number + 1, 40));
    expect(lost).toBeInstanceOf(LostMessages);
    expect(lost).toMatchObject({ start: 2 * number + 1, end: 2 * number + 2, kind: 'corrupt' });
    expect(reader.told).toEqual(['object_lost']);
    expect(reader.metrics()).toContain('varve_lost_objects_total 1');
    const behind = await read(reader, 2 * number + 2, 40);
    expect(bodiesOf(behind)).toHaveLength(40 - (2 * number + 2));
  });

  test('O16: is looked for in a fresh tail twice before it is', async () => {
    const store = await openStream();
    await deleteObject(store, 18);
    let asked = 0;
    const counting = (objects: Objects): Objects => ({
      ...objects,
      get(name) {
        asked++;
        return objects.get(name);
      },
    });
    await failure(read(store.another({ objects: counting }), 36, 38));

    expect(asked).toBe(3);
  });

  test('O16: was dropped meanwhile, so nothing is lost', async () => {
    const store = await openStream();
    await deleteObject(store, 3);
    const reader = store.another();
    await reader.log.tail(STREAM);
    await store.log.trim(STREAM_ID, at(8));

    const range = { streamId: STREAM_ID, from: at(6), end: at(40), bytesMax: MAX };
    expect(await reader.log.readChunks(range)).toEqual([]);
    expect(reader.told).toEqual([]);
  });
});

test('bytes that fail their check are an error that names the object', async () => {
  const store = await openStream();
  const damaging = (objects: Objects): Objects => ({
    ...objects,
    async get(name) {
      const bytes = await objects.get(name);
      return bytes?.map((byte, index) => (index === bytes.length - 1 ? byte ^ 1 : byte));
    },
  });
  const error = await failure(read(store.another({ objects: damaging }), 6, 8));

  expect(error).toBeInstanceOf(StoreError);
  expect(error).toMatchObject({ kind: 'corrupt', sideEffects: 'none' });
  expect(String(error)).toMatch(/object [0-9a-f]{2}\/0{31}1\/c\/[0-9A-Z]{26}/);
});

test('LR2: readers of the same object at the same time ask for it once', async () => {
  const store = await openStream();
  const reader = store.another();
  const before = store.objects.calls.get;
  await Promise.all(Array.from({ length: 50 }, () => read(reader, 10, 12)));

  expect(store.objects.calls.get - before).toBe(1);
});

test('a request that failed is not remembered', async () => {
  const store = await openStream();
  let fails = true;
  const failing = (objects: Objects): Objects => ({
    ...objects,
    get: (name) => {
      if (!fails) return objects.get(name);
      return Promise.reject(new StoreError('away', { kind: 'unavailable', sideEffects: 'none' }));
    },
  });
  const reader = store.another({ objects: failing });
  expect(await failure(read(reader, 10, 12))).toMatchObject({ kind: 'unavailable' });
  fails = false;

  expect(bodiesOf(await read(reader, 10, 12))).toEqual(['a5', 'b5']);
});

test('what was read is kept only as far as there is room for it', async () => {
  const store = openMemoryAws();
  await createStream(store);
  for (let n = 0; n < 24; n++) await publish(store, append(batchOfSize(4, 1_000_000)));
  const reader = store.another();
  const gets = async (from: number) => {
    const before = store.objects.calls.get;
    await read(reader, from, from + 1);
    return store.objects.calls.get - before;
  };
  for (let n = 0; n < 24; n++) expect(await gets(4 * n)).toBe(1);

  expect(await gets(4 * 23)).toBe(0);
  expect(await gets(0)).toBe(1);
});

test.each([
  ['was read', true],
  ['was stored here', false],
])(
  'what %s takes the room of its bytes, of which content types are no logical ones',
  async (_how, isRead) => {
    const store = openMemoryAws();
    await createStream(store);
    for (let n = 0; n < 30; n++) await publish(store, append(batchOfTypes(10_000)));
    const reader = isRead ? store.another() : store;
    const gets = async (from: number) => {
      const before = store.objects.calls.get;
      await read(reader, from, from + 1);
      return store.objects.calls.get - before;
    };
    if (isRead) for (let n = 0; n < 30; n++) await gets(10_000 * n);

    expect(await gets(10_000 * 29)).toBe(0);
    expect(await gets(0)).toBe(1);
  },
);

/** Messages of 0 logical bytes, and of 260 bytes each. */
function batchOfTypes(count: number): Batch {
  const contentType = `text/${'x'.repeat(250)}`;
  const records = Array.from({ length: count }, () => ({ body: new Uint8Array(), contentType }));
  return { count, records: encodeRecords(records), bytes: 0, jsonChecked: false };
}
