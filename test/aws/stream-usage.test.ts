/** What a description counts, whatever happens to the stream meanwhile. */
import { expect, test } from 'vitest';
import type { Table } from '../../lib/aws/table.ts';
import { controlKey } from '../../lib/aws/table-key.ts';
import { append, createStream, publish, STREAM, STREAM_ID } from '../contract/contract-steps.ts';
import { at, batchOfSize } from '../support/batches.ts';
import { type MemoryAws, openMemoryAws } from '../support/memory-aws.ts';

/** Segments [0, 20), [20, 40), [40, 50), of 10 messages of 100 bytes an object. */
async function openStream(): Promise<MemoryAws> {
  const store = openMemoryAws();
  await createStream(store, { segment_max_bytes: 2_000 });
  for (let n = 0; n < 5; n++) {
    await publish(store, append(batchOfSize(10, 100)));
    await store.clock.advance(1);
  }
  return store;
}

test('a segment that is sealed while it is counted counts once', async () => {
  const store = await openStream();
  await store.log.trim(STREAM_ID, at(45));
  let isSealed = true;
  const sealing = (table: Table): Table => ({
    ...table,
    async get(key) {
      if (key.k === controlKey(STREAM_ID).k && !isSealed) {
        isSealed = true;
        await publish(store, append(batchOfSize(10, 100)), append(batchOfSize(10, 100)));
      }
      return await table.get(key);
    },
  });
  const reader = store.another({ table: sealing });
  await reader.log.tail(STREAM);
  isSealed = false;
  const usage = await reader.log.usage(STREAM_ID);

  expect(isSealed).toBe(true);
  expect(usage).toMatchObject({ segments: 1 });
  expect(await store.log.usage(STREAM_ID)).toMatchObject({ segments: 2, bytes: 3_000 });
});

test.each([
  ['is lost', (store: MemoryAws, name: string) => store.objects.deleteMany([name])],
  [
    'is damaged',
    async (store: MemoryAws, name: string) => {
      await store.objects.deleteMany([name]);
      await store.objects.put(name, Uint8Array.of(1));
    },
  ],
])('an oldest object that %s has no time, and hides nothing else', async (_what, damage) => {
  const store = await openStream();
  await damage(store, store.objects.names()[0] ?? '');

  const usage = await store.another().log.usage(STREAM_ID);

  expect(usage).toMatchObject({ segments: 3, bytes: 5_000, oldest: { first: 0, end: 20 } });
  expect(usage).not.toHaveProperty('oldestMs');
});
