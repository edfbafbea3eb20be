/** Segments from their publishes to the end of their last object, as S3 and DynamoDB take it. */
import { expect, test } from 'vitest';
import { STREAM_ID } from '../../contract/contract-steps.ts';
import { createAwsStore } from '../../support/aws-store.ts';
import { at } from '../../support/batches.ts';
import { collectAll, HOUR_MS, packAll, publishSegments, walk } from '../segment-steps.ts';
import { openStore } from './open-store.ts';

const packing = { pieceBytes: 1e9, pieceObjectsMax: 12 };

const offsets = (from: number, end: number) =>
  Array.from({ length: end - from }, (_, index) => from + index);

test('bucket and table hold what is referred to, and nothing else', async () => {
  await using resources = await createAwsStore();
  const { table, objects } = resources.connect();
  const store = openStore({ table, objects, packing });
  const reader = () => openStore({ ...resources.connect(), clock: store.clock, packing });
  const kinds = async () => {
    const { names } = await objects.list({ prefix: '' });
    return names.map((name) => name.split('/')[2]).join('');
  };
  const items = async (partition: string) => (await table.query({ k: partition })).items.length;
  const due = async () =>
    Promise.all(offsets(0, 8).map((shard) => items(`D${shard}`))).then((counts) =>
      counts.reduce((sum, count) => sum + count),
    );

  await publishSegments(store, 50, { inSegment: 20, max_age: 5 * HOUR_MS });
  const stale = reader();
  expect(await walk(stale, 400)).toEqual(offsets(0, 50));
  await packAll(store);
  // Two pieces of each segment, of 12 messages and of 8.
  expect(await kinds()).toBe('c'.repeat(50) + 's'.repeat(4));
  expect(await walk(reader(), 400)).toEqual(offsets(0, 50));

  await store.log.trim(STREAM_ID, at(25));
  await collectAll(store);
  expect(await kinds()).toBe('c'.repeat(10) + 's'.repeat(2));
  expect(await items(`G${STREAM_ID}`)).toBe(1);
  expect(await items(`I${STREAM_ID}`)).toBe(0);
  expect(await walk(reader(), 400)).toEqual(offsets(25, 50));
  expect(await walk(stale, 400)).toEqual(offsets(25, 50));

  await store.clock.advance(3 * HOUR_MS);
  await packAll(store);
  await collectAll(store);
  expect(await kinds()).toBe('c'.repeat(10));
  expect(await items(`G${STREAM_ID}`)).toBe(0);
  expect(await walk(reader(), 400)).toEqual(offsets(40, 50));
  expect(await due()).toBe(0);
});
