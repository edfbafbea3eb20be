/** What readers of packed segments are told of a piece that is not there, or not as it was (SPEC O16). */
import { describe, expect, test } from 'vitest';
import type { Objects } from '../../lib/aws/objects.ts';
import { LostMessages, StoreError } from '../../lib/ports/store-error.ts';
import {
  append,
  bodiesOf,
  createStream,
  placeOf,
  publish,
  readRange,
  STREAM,
  STREAM_ID,
} from '../contract/contract-steps.ts';
import { at, batchOf } from '../support/batches.ts';
import { type MemoryAws, openMemoryAws } from '../support/memory-aws.ts';
import { noise } from '../support/noise.ts';
import { collectAll, objectsOf, packAll, publishSegments } from './segment-steps.ts';

const MAX = Number.MAX_SAFE_INTEGER;
const read = (store: MemoryAws, from: number, end: number) =>
  readRange(store, { from, end, bytesMax: MAX });
const failure = (caught: Promise<unknown>) =>
  caught.then(
    () => 'read',
    (error: unknown) => error,
  );

/** Segments [0, 20), [20, 40), [40, 50) in pieces of ten messages: 0, 10, 20, 30. */
async function openPacked(): Promise<MemoryAws> {
  const store = openMemoryAws({ packing: { pieceBytes: MAX / 4, pieceObjectsMax: 10 } });
  await publishSegments(store, 50, { inSegment: 20 });
  await packAll(store);
  await collectAll(store);
  return store;
}

describe('a piece that is lost', () => {
  test('O16: ends the page before it, and is told exactly', async () => {
    const store = await openPacked();
    await store.objects.deleteMany([objectsOf(store, 'pieces')[1] ?? '']);
    const reader = store.another();
    expect((await read(reader, 8, 50)).map(placeOf)).toMatchObject([{ base: 8 }, { base: 9 }]);

    const lost = await failure(read(reader, 12, 50));
    expect(lost).toBeInstanceOf(LostMessages);
    expect(lost).toMatchObject({ start: 12, end: 20, kind: 'corrupt' });
    expect(reader.told).toEqual(['object_lost']);
    expect(await read(reader, 20, 50)).toHaveLength(30);
  });

  test('O16: is looked for three times before it is', async () => {
    const store = await openPacked();
    await store.objects.deleteMany([objectsOf(store, 'pieces')[1] ?? '']);
    let asked = 0;
    const counting = (objects: Objects): Objects => ({
      ...objects,
      getRange(name, range) {
        asked++;
        return objects.getRange(name, range);
      },
    });
    await failure(read(store.another({ objects: counting }), 12, 20));

    expect(asked).toBe(3);
  });

  test('O16: was dropped meanwhile, so nothing is lost', async () => {
    const store = await openPacked();
    const reader = store.another();
    await read(reader, 0, 1);
    await store.log.trim(STREAM_ID, at(40));
    await collectAll(store);
    expect(objectsOf(store, 'pieces')).toEqual([]);

    const range = { streamId: STREAM_ID, from: at(12), end: at(40), bytesMax: MAX };
    expect(await reader.log.readChunks(range)).toEqual([]);
    expect(reader.told).toEqual([]);
  });
});

describe('a piece that is damaged', () => {
  const damaging = (where: (bytes: Uint8Array, start: number) => number) => (objects: Objects) => ({
    ...objects,
    async getRange(name: string, range: { start: number; end: number }) {
      const bytes = await objects.getRange(name, range);
      const position = bytes && where(bytes, range.start);
      return bytes?.map((byte, index) => (index === position ? byte ^ 1 : byte));
    },
  });

  test('is an error that names the object and the block, and hides no other', async () => {
    const store = openMemoryAws();
    await createStream(store, { segment_max_bytes: 5_000_000 });
    for (let n = 0; n < 8; n++) await publish(store, append(batchOf(noise(1_000_000))));
    await packAll(store);
    // Of the second block, which begins behind a million bytes.
    const second = damaging((bytes, start) => (start <= 3 ? 1_100_000 - start : bytes.length));
    const reader = store.another({ objects: second });
    const error = await failure(read(reader, 0, 2));

    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ kind: 'corrupt', sideEffects: 'none' });
    expect(String(error)).toMatch(/object \S+\/s\/\S+, block at offset 1: /);
    expect(await read(reader, 0, 1)).toHaveLength(1);
    expect(await read(reader, 2, 5)).toHaveLength(3);
  });

  test('in its index is an error that names the object', async () => {
    const store = await openPacked();
    const reader = store.another({ objects: damaging((bytes) => bytes.length - 30) });

    expect(String(await failure(read(reader, 0, 2)))).toMatch(/object \S+\/s\/\S+, its index: /);
    expect(bodiesOf(await read(reader, 40, 50))).toHaveLength(10);
  });
});

test('LR2: readers of the same page at the same time ask for it once', async () => {
  const store = await openPacked();
  const reader = store.another();
  await reader.log.tail(STREAM);
  const before = store.objects.calls.get;
  await Promise.all(Array.from({ length: 50 }, () => read(reader, 3, 9)));

  expect(store.objects.calls.get - before).toBe(2);
});
