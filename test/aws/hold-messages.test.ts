/** Held messages on S3 and DynamoDB: what is lost on the way, where large ones lie, and who releases (PROTOCOL R12). */
import { describe, expect, test } from 'vitest';
import { releasePublisher } from '../../lib/aws/release-publisher.ts';
import type { Table } from '../../lib/aws/table.ts';
import { TIMER_SHARDS } from '../../lib/aws/table-key.ts';
import { StoreError } from '../../lib/ports/store-error.ts';
import { append, createStream, publish, STREAM, STREAM_ID } from '../contract/contract-steps.ts';
import {
  bodiesIn,
  heldIdOf,
  holding,
  releaseAt,
  several,
  type Wanted,
} from '../contract/timer-steps.ts';
import { idOf, publisherName } from '../support/batches.ts';
import { type MemoryAws, openMemoryAws } from '../support/memory-aws.ts';

const LOST = new StoreError('no answer', { kind: 'timeout', sideEffects: 'possible' });
const LARGE = 'x'.repeat(5_000);

const closed = (store: MemoryAws) => ({ ...store, close: async () => {} });
const bodies = (store: MemoryAws) => bodiesIn(closed(store), STREAM);
const release = (store: MemoryAws) => releaseAt(closed(store), 9_000);
const heldObjects = (store: MemoryAws) =>
  store.objects.names().filter((name) => name.includes('/h/'));

async function openStream(): Promise<MemoryAws> {
  const store = openMemoryAws();
  await createStream(store);
  return store;
}

async function hold(store: MemoryAws, wanted: readonly Wanted[], rest: object = {}) {
  const { batch, delays } = holding(...wanted);
  const [outcome] = await publish(store, append(batch, { delays, ...rest }));
  return { outcome, ids: delays.map(({ id }) => id) };
}

/** The first write of messages gets no answer, having taken effect or not; counts how often it is sent. */
function losing(takesEffect: boolean) {
  const sent = { count: 0 };
  const lose = async <Result>(write: () => Promise<Result>): Promise<Result> => {
    sent.count++;
    if (sent.count > 1) return await write();
    if (takesEffect) await write();
    throw LOST;
  };
  const layer = (table: Table): Table => ({
    ...table,
    put: (request, repeat) =>
      'b' in request.item ? lose(() => table.put(request, repeat)) : table.put(request, repeat),
    transact: (steps, token) => lose(() => table.transact(steps, token)),
  });
  return { sent, layer };
}

describe('a request whose answer is lost', () => {
  test.each([
    ['one', several(1, 5_000), {}],
    ['several', several(3, 5_000), {}],
    ['some beside others', [{ body: 'now' }, ...several(2, 5_000)], {}],
    [
      'those of a publisher',
      several(2, 5_000),
      { publisher: { name: publisherName('p'), ids: [1, 2] } },
    ],
  ])('P7: %s is found to be held', async (_name, wanted, rest) => {
    const store = await openStream();
    const { sent, layer } = losing(true);
    const { outcome } = await hold(store.another({ table: layer }), wanted, rest);
    expect(outcome?.kind).toMatch(/held|stored/);
    expect(sent.count).toBe(1);
    await release(store);
    expect(await bodies(store)).toEqual(wanted.map(({ body }) => body));
  });

  test.each([1, 3])('P7: %i of nobody that came to nothing may come yet', async (count) => {
    const store = await openStream();
    const { sent, layer } = losing(false);
    const held = hold(store.another({ table: layer }), several(count, 5_000));
    await expect(held).rejects.toMatchObject({ sideEffects: 'possible' });
    expect(sent.count).toBe(1);
  });

  test.each([
    ['beside others', [{ body: 'now' }, ...several(1, 5_000)], {}],
    ['of a publisher', several(2, 5_000), { publisher: { name: publisherName('p'), ids: [1, 2] } }],
  ])('P7: %s that came to nothing is held by a second try', async (_name, wanted, rest) => {
    const store = await openStream();
    const { sent, layer } = losing(false);
    await hold(store.another({ table: layer }), wanted, rest);
    expect(sent.count).toBe(2);
    await release(store);
    expect(await bodies(store)).toEqual(wanted.map(({ body }) => body));
  });
});

describe('large messages', () => {
  test('L13: of a request lie in one object, which goes with the last of them', async () => {
    const store = await openStream();
    const { ids } = await hold(store, [
      { body: `${LARGE}1`, dueMs: 5_000 },
      { body: 'small', dueMs: 5_001 },
      { body: `${LARGE}2`, dueMs: 5_002 },
      { body: `${LARGE}3`, dueMs: 20_000 },
    ]);
    expect(heldObjects(store)).toHaveLength(1);
    const [first = heldIdOf(0, 0), , , last = heldIdOf(0, 0)] = ids;
    expect(await store.timers.cancel(first)).toBe(true);
    await release(store);
    expect(await bodies(store)).toEqual(['small', `${LARGE}2`]);
    expect(heldObjects(store)).toHaveLength(1);
    expect(await store.timers.cancel(last)).toBe(true);
    expect(heldObjects(store)).toEqual([]);
  });

  test('L12: go with their target, and hold up nobody', async () => {
    const store = await openStream();
    await hold(store, [{ body: LARGE, dueMs: 5_000 }]);
    await store.catalog.remove(STREAM, STREAM_ID);
    await store.maintenance.run(new AbortController().signal);
    expect(heldObjects(store)).toEqual([]);
    const { released, failed, told } = await release(store);
    expect({ released, failed }).toEqual({ released: 1, failed: 0 });
    expect(told.map(({ dropped }) => dropped.target_deleted)).toEqual([1]);
  });
});

test('T13: what is held is for the stream as it is, however it is remembered', async () => {
  const store = await openStream();
  const other = store.another();
  await hold(other, several(1, 5_000));
  await store.catalog.remove(STREAM, STREAM_ID);
  const again = { name: STREAM, streamId: idOf(9), settings: {}, createdMs: 1 };
  await store.catalog.create(again);
  expect((await hold(other, several(1, 5_000))).outcome).toMatchObject({ streamId: idOf(9) });
  await release(store);
  expect(await bodies(store)).toEqual(['m0']);
});

test('D9: who releases is in no list, and is forgotten for nobody', async () => {
  const store = await openStream();
  await hold(store, several(1, 5_000));
  await release(store);
  for (let number = 0; number < 300; number++) {
    const publisher = { name: publisherName(`p${number}`), ids: [1] };
    await publish(store, append(['x'], { publisher }));
  }
  const page = { prefix: '', startAfter: '', limit: 1_000 };
  const names = (await store.log.listPublishers(STREAM_ID, page)).map(({ name }) => name);
  expect(names.every((name) => name.startsWith('p'))).toBe(true);
  const shards = Array.from({ length: TIMER_SHARDS }, (_, shard) => releasePublisher(shard));
  const records = await Promise.all(shards.map((name) => store.log.publisher(STREAM_ID, name)));
  expect(records.map((record) => record?.highestId)).toContain(1);
});
