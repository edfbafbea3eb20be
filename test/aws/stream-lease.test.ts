/** A lease saves work; nothing goes by it alone. */
import { expect, test } from 'vitest';
import type { Objects } from '../../lib/aws/objects.ts';
import type { Table } from '../../lib/aws/table.ts';
import { StoreError } from '../../lib/ports/store-error.ts';
import { STREAM_ID } from '../contract/contract-steps.ts';
import { at } from '../support/batches.ts';
import { type MemoryAws, openMemoryAws } from '../support/memory-aws.ts';
import {
  collectAll,
  maintain,
  objectsOf,
  packAll,
  publishSegments,
  SOON_MS,
  walk,
} from './segment-steps.ts';

const LEASE_MS = 60_000;
const everyOffset = (count: number) => Array.from({ length: count }, (_, offset) => offset);

/** Two segments that ended, and one who is at the first piece, and waits. */
async function openPacking() {
  const waiting = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const slow = (objects: Objects): Objects => ({
    ...objects,
    async put(name, bytes) {
      if (name.includes('/s/')) {
        begun.resolve();
        await waiting.promise;
      }
      await objects.put(name, bytes);
    },
  });
  const store = openMemoryAws();
  await publishSegments(store, 41, { inSegment: 20 });
  await store.clock.advance(SOON_MS);
  const slowRun = maintain(store.another({ objects: slow }));
  await begun.promise;
  const finish = () => {
    waiting.resolve();
    return slowRun;
  };
  return { store, finish };
}

test('another maintainer leaves what one is at, and comes again', async () => {
  const { store, finish } = await openPacking();
  const gets = store.objects.calls.get;
  expect(await maintain(store)).toMatchObject({ failed: 0 });
  expect(store.objects.calls.get).toBe(gets);
  await finish();
  expect(objectsOf(store, 'pieces')).toHaveLength(2);

  await store.clock.advance(LEASE_MS);
  await maintain(store);
  expect(objectsOf(store, 'pieces')).toHaveLength(2);
  expect(store.objects.calls.put).toBe(41 + 2);
});

test('one that outstayed its lease changes nothing: what others packed stays', async () => {
  const { store, finish } = await openPacking();
  await maintain(store);
  await store.clock.advance(LEASE_MS + 1);
  expect(await maintain(store)).toMatchObject({ failed: 0 });
  const pieces = objectsOf(store, 'pieces');
  expect(pieces).toHaveLength(2);
  const segments = await segmentItems(store);

  expect(await finish()).toMatchObject({ failed: 0 });
  expect(await segmentItems(store)).toEqual(segments);
  expect(await walk(store.another(), 1_000)).toEqual(everyOffset(41));
  // Its own piece is nobody's, and goes.
  expect(objectsOf(store, 'pieces')).toHaveLength(3);
  await collectAll(store);
  await collectAll(store);
  expect(objectsOf(store, 'pieces')).toEqual(pieces);
  expect(await walk(store.another(), 1_000)).toEqual(everyOffset(41));
});

test('one that wakes up after its id was passed over changes nothing', async () => {
  const { store, finish } = await openPacking();
  await maintain(store);
  await store.clock.advance(LEASE_MS + 1);
  await maintain(store);
  await collectAll(store);
  await collectAll(store);
  const segments = await segmentItems(store);

  await finish();
  expect(await segmentItems(store)).toEqual(segments);
  expect(await walk(store.another(), 1_000)).toEqual(everyOffset(41));
});

test('one that wakes up when its piece was collected changes nothing', async () => {
  const waiting = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const slow = (table: Table): Table => ({
    ...table,
    async transact(steps, token) {
      begun.resolve();
      await waiting.promise;
      return await table.transact(steps, token);
    },
  });
  const store = openMemoryAws();
  await publishSegments(store, 21, { inSegment: 20 });
  await store.clock.advance(SOON_MS);
  const slowRun = maintain(store.another({ table: slow }));
  await begun.promise;
  // One that can pack nothing itself.
  const blind = (objects: Objects): Objects => ({ ...objects, get: async () => undefined });
  const other = store.another({ objects: blind });
  await other.log.trim(STREAM_ID, at(1));
  await collectAll(other);
  expect(objectsOf(store, 'pieces')).toEqual([]);
  waiting.resolve();
  await slowRun;

  expect(await walk(store.another(), 1_000)).toEqual(everyOffset(21).slice(1));
});

test('the lease of one that failed is no lease any more', async () => {
  const store = openMemoryAws();
  await publishSegments(store, 21, { inSegment: 20 });
  const failing = (objects: Objects): Objects => ({
    ...objects,
    put: () => Promise.reject(new StoreError('away', { kind: 'unavailable', sideEffects: 'none' })),
  });
  const unlucky = store.another({ objects: failing });
  await store.clock.advance(SOON_MS);
  expect(await maintain(unlucky)).toMatchObject({ failed: 1 });

  expect(await maintain(store)).toMatchObject({ failed: 0 });
  expect(objectsOf(store, 'pieces')).toHaveLength(1);
  await packAll(store);
});

function segmentItems({ table }: MemoryAws) {
  return table.items().filter(({ k }) => k && 'S' in k && k.S.startsWith('G'));
}
