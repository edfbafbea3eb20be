/** What it costs to store, find and remove offsets of consumers. None of it touches S3. */
import { expect, test } from 'vitest';
import { OPERATION_UNITS } from '../../../scripts/cost/operation-units.ts';
import { at, consumerName } from '../../support/batches.ts';
import { type CountedStore, openStream, publishTimes, STREAM_ID } from './counted-store.ts';

const { storeFirstOffset, storeOffset, findOffset, removeOffset, storeBeyondLimit, upkeepPass } =
  OPERATION_UNITS;
const C = consumerName('c');

async function openWithMessages(settings = {}) {
  const store = await openStream(settings);
  await publishTimes(store, 5);
  return store;
}

const save = (
  { consumers, clock }: CountedStore,
  { name = C, next = 1, kind = 'raise' as 'raise' | 'set' } = {},
) => consumers.save(STREAM_ID, name, { kind, next: at(next), nowMs: clock.nowMs() });

test.each(['c', 'x'.repeat(255)].map(consumerName))(
  'C6: the first offset of %s is a transaction over two items, a later one a write',
  async (name) => {
    const store = await openWithMessages();

    // A write that is refused is charged too.
    expect(await store.costOf(() => save(store, { name }))).toEqual(storeFirstOffset);
    expect(await store.costOf(() => save(store, { name, next: 2 }))).toEqual(storeOffset);
    expect(await store.costOf(() => save(store, { name, kind: 'set' }))).toEqual(storeOffset);
  },
);

test('C1: a raise at or below what is stored is charged as a write, and is none', async () => {
  const store = await openWithMessages();
  await save(store, { next: 3 });

  expect(await store.costOf(() => save(store, { next: 3 }))).toEqual(storeOffset);
});

test('C4: an offset behind the end is refused by a look at the tail', async () => {
  const store = await openWithMessages();

  expect(await store.costOf(() => save(store, { next: 6 }))).toEqual({
    ...storeOffset,
    writeUnits: 0,
    readUnits: 1,
  });
});

test('C3: what is stored is found by one read, removed by a transaction', async () => {
  const store = await openWithMessages();
  await save(store);

  expect(await store.costOf(() => store.consumers.load(STREAM_ID, C))).toEqual(findOffset);
  expect(await store.costOf(() => store.consumers.remove(STREAM_ID, C))).toEqual(removeOffset);
});

test('C6: beyond the limit a first offset leaves work, and the work removes one', async () => {
  const store = await openWithMessages({ consumer_limit: 1 });
  await save(store);
  await store.clock.advance(60_000);
  const name = consumerName('d');

  expect(await store.costOf(() => save(store, { name }))).toEqual(storeBeyondLimit);
  const sweep = await store.costOf(() => store.maintenance.run(new AbortController().signal));
  // The limit, the removal with the counter, the item of the work; the counter and all that are stored are read.
  expect(sweep).toEqual({ ...upkeepPass, writeUnits: 1 + 4 + 1, readUnits: sweep.readUnits });
  expect(sweep.readUnits).toBeLessThan(3 * upkeepPass.readUnits);
});
