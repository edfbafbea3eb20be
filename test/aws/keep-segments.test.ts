/** What becomes of segments by maintenance alone, without a publish (SPEC T4, T5, T7). */
import { describe, expect, test } from 'vitest';
import type { Table } from '../../lib/aws/table.ts';
import { StoreError } from '../../lib/ports/store-error.ts';
import { append, createStream, publish, STREAM, STREAM_ID } from '../contract/contract-steps.ts';
import { at, batchOfSize, idOf, streamName } from '../support/batches.ts';
import { type MemoryAws, openMemoryAws } from '../support/memory-aws.ts';
import {
  collectAll,
  HOUR_MS,
  keysOf,
  maintain,
  objectsOf,
  packAll,
  publishSegments,
  SOON_MS,
} from './segment-steps.ts';

const MINUTE_MS = 60_000;
const firstOf = async (store: MemoryAws, name = STREAM) => (await store.log.tail(name))?.first;

describe('a segment that reaches its age', () => {
  test('T4: goes at that millisecond, without any publish', async () => {
    const store = openMemoryAws();
    const startMs = store.clock.nowMs();
    await publishSegments(store, 21, { inSegment: 20, max_age: MINUTE_MS });
    // The last of its messages came 19 ms behind the first.
    const expiresMs = startMs + 19 + MINUTE_MS;
    await store.clock.advance(SOON_MS);
    await maintain(store);

    store.clock.set(expiresMs - 1);
    expect(await maintain(store)).toMatchObject({ done: 0, trimmed: [] });
    expect(await firstOf(store)).toBe(0);
    store.clock.set(expiresMs);
    expect(await maintain(store)).toMatchObject({ failed: 0, trimmed: [STREAM_ID] });
    expect(await firstOf(store)).toBe(20);
  });

  test('T4: of several streams go in the order in which they are due, after an outage too', async () => {
    const store = openMemoryAws();
    const ids = [3, 1, 2, 9].map(idOf);
    for (const [index, streamId] of ids.entries()) {
      const name = streamName(`n${index}`);
      const settings = { segment_max_bytes: 1, max_age: (index + 1) * MINUTE_MS };
      await store.catalog.create({ name, streamId, settings, createdMs: 1 });
      const one = { ...append(['a'], { timeMs: store.clock.nowMs() }), stream: name };
      await publish(store, one, one, one);
    }
    await store.clock.advance(SOON_MS);
    await maintain(store);
    await store.clock.advance(HOUR_MS);

    expect(await maintain(store)).toMatchObject({ failed: 0, trimmed: ids });
    for (const index of ids.keys()) {
      expect(await firstOf(store, streamName(`n${index}`))).toBe(2);
    }
    expect(await maintain(store)).toMatchObject({ done: 0, overdueMs: 0, trimmed: [] });
  });

  test('T2: is never the active one', async () => {
    const store = openMemoryAws();
    await publishSegments(store, 10, { inSegment: 20, max_age: MINUTE_MS });
    await store.clock.advance(HOUR_MS);
    await maintain(store);

    expect(await firstOf(store)).toBe(0);
  });
});

test('T5: of settings whose author died before retention, maintenance makes good', async () => {
  const store = openMemoryAws();
  await publishSegments(store, 61, { inSegment: 20 });
  await packAll(store);
  const change = { settings: { max_length: 20 }, expected: 1 };
  expect(await store.another().catalog.saveSettings(STREAM_ID, change)).toBe(true);
  await store.clock.advance(SOON_MS);

  expect(await maintain(store)).toMatchObject({ failed: 0, trimmed: [STREAM_ID] });
  expect(await firstOf(store)).toBe(40);
});

/** Whoever opens a segment ends before it did what belongs to that. */
const dying = (table: Table): Table => ({
  ...table,
  transact: () =>
    Promise.reject(new StoreError('away', { kind: 'unavailable', sideEffects: 'none' })),
});

test('T5 T6: segments that nobody sealed are sealed, dropped and packed', async () => {
  const store = openMemoryAws();
  await createStream(store, { segment_max_bytes: 500, max_length: 7 });
  const dead = store.another({ table: dying });
  for (let n = 0; n < 41; n++) {
    await publish(dead, append(batchOfSize(1, 100), { timeMs: store.clock.nowMs() }));
  }
  expect(keysOf(store, 'G')).toEqual([]);
  await store.clock.advance(SOON_MS);
  expect(await maintain(store)).toMatchObject({ failed: 0, trimmed: [STREAM_ID] });

  expect(await firstOf(store)).toBe(30);
  expect(keysOf(store, 'G')).toHaveLength(8);
  expect(objectsOf(store, 'pieces')).toHaveLength(2);
  await collectAll(store);
  expect(keysOf(store, 'G')).toHaveLength(2);
  expect(objectsOf(store, 'chunks')).toHaveLength(1);
});

test.each(['y', 'c', 'a', 'z'])('T7: a segment of which %s is unknown is kept', async (name) => {
  const store = openMemoryAws();
  await publishSegments(store, 41, { inSegment: 20, max_age: MINUTE_MS });
  const [item] = store.table.items().filter(({ k }) => k && 'S' in k && k.S.startsWith('G'));
  const { [name]: _, ...rest } = item ?? {};
  await store.table.put({ item: rest }, 'once');
  const other = { name: streamName('o'), streamId: idOf(2), createdMs: 1 };
  await store.catalog.create({ ...other, settings: { segment_max_bytes: 1, max_age: MINUTE_MS } });
  const one = { ...append(['a'], { timeMs: store.clock.nowMs() }), stream: other.name };
  await publish(store, one, one);
  await store.clock.advance(HOUR_MS);
  const late = store.another();
  await maintain(late);

  const isNeeded = name === 'c' || name === 'z';
  expect(await firstOf(store)).toBe(isNeeded ? 0 : 40);
  // By each of the two publishes that ended a segment.
  expect(new Set(late.told)).toEqual(new Set(isNeeded ? ['segment_unknown'] : []));
  expect(await firstOf(store, other.name)).toBe(1);
  const range = { streamId: STREAM_ID, limit: 10, from: at(0) };
  expect(await late.log.segments(range)).toHaveLength(isNeeded ? 3 : 1);
});

test('T11: a packed segment that was dropped stays for an hour, then its piece goes', async () => {
  const store = openMemoryAws();
  await publishSegments(store, 50, { inSegment: 20 });
  await packAll(store);
  await collectAll(store);
  const objects = store.objects.names();
  await store.log.trim(STREAM_ID, at(25));
  await store.clock.advance(HOUR_MS - 1);
  expect(await maintain(store)).toMatchObject({ done: 0 });
  expect(store.objects.names()).toEqual(objects);

  await store.clock.advance(HOUR_MS + 1);
  expect(await maintain(store)).toMatchObject({ done: 1, failed: 0 });
  const [dropped = ''] = objects.filter((name) => name.includes('/s/'));
  expect(store.objects.names()).toEqual(objects.filter((name) => name !== dropped));
  expect(keysOf(store, 'G').map(Number)).toEqual([20]);
});
