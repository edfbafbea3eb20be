/** How much one run of the maintenance takes upon itself, whatever the size of a stream. */
import { expect, test } from 'vitest';
import type { Table } from '../../lib/aws/table.ts';
import { append, createStream, publish, STREAM, STREAM_ID } from '../contract/contract-steps.ts';
import { at, batchOfSize } from '../support/batches.ts';
import { type MemoryAws, openMemoryAws } from '../support/memory-aws.ts';

const HOUR_MS = 3_600_000;
const NEVER = new AbortController().signal;

/** A segment of 10 objects, and behind it one of many, three seconds apart. */
async function openStream(objects: number): Promise<MemoryAws> {
  const store = openMemoryAws();
  await createStream(store, { segment_max_bytes: 1_000 });
  await publish(store, ...Array.from({ length: 11 }, () => append(batchOfSize(1, 100))));
  const stream = await store.catalog.load(STREAM);
  const settings = { segment_max_age: 10 * 24 * HOUR_MS };
  await store.catalog.saveSettings(STREAM_ID, { settings, expected: stream?.revision ?? 0 });
  for (let n = 1; n < objects; n++) {
    await store.clock.advance(3_000);
    await publish(store, append(batchOfSize(1, 100)));
  }
  return store;
}

test('objects are looked for where something was dropped, not in all that a stream holds', async () => {
  const store = await openStream(3_000);
  // Of a publish that came to nothing, among what was dropped.
  const [name = ''] = store.objects.names();
  await store.objects.put(name.replace(/.{4}$/, 'ZZZZ'), Uint8Array.of(1));
  await store.log.trim(STREAM_ID, at(10));
  await store.clock.advance(2 * HOUR_MS);
  const before = store.objects.calls.list;
  await store.maintenance.run(NEVER);

  expect(store.objects.names()).toHaveLength(3_000);
  expect(store.objects.calls.list - before).toBeLessThanOrEqual(3);
});

test('work that only a newer version knows is left to it', async () => {
  const store = await openStream(1);
  const item = {
    k: { S: 'D1' },
    s: { S: `000000000001?${STREAM_ID}` },
    v: { B: Uint8Array.of(1) },
  };
  await store.table.put({ item }, 'once');

  expect(await store.maintenance.run(NEVER)).toEqual({
    done: 0,
    failed: 0,
    overdueMs: 0,
    trimmed: [],
  });
  expect(store.table.items()).toContainEqual(item);
});

test('work that is under way ends at once when it is told to, and goes on where it was', async () => {
  const ending = new AbortController();
  const interrupting = (table: Table): Table => ({
    ...table,
    async deleteMany(keys) {
      await table.deleteMany(keys);
      ending.abort();
    },
  });
  const store = await openStream(20);
  await store.catalog.remove(STREAM, STREAM_ID);
  const objects = store.objects.names();
  const stopped = store.another({ table: interrupting });

  // The segment that ended is no work any more.
  expect(await stopped.maintenance.run(ending.signal)).toMatchObject({ done: 1, failed: 0 });
  expect(store.objects.names()).toEqual(objects);
  expect(stopped.told).toEqual([]);
  expect(await store.maintenance.run(NEVER)).toMatchObject({ done: 2, failed: 0 });
  expect(store.objects.names()).toEqual([]);
});
