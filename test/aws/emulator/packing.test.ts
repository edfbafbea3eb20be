/** Segments from their publishes to the end of their last object, as S3 and DynamoDB take it. */
import { expect, test } from 'vitest';
import { createAwsStore as openStore } from '../../../lib/aws/aws-store.ts';
import type { Objects } from '../../../lib/aws/objects.ts';
import type { Table } from '../../../lib/aws/table.ts';
import { createPrometheusMeter } from '../../../lib/http/prometheus-meter.ts';
import { createSystemRandom } from '../../../lib/process/system-random.ts';
import { STREAM_ID } from '../../contract/contract-steps.ts';
import { START_MS } from '../../support/api.ts';
import { createAwsStore } from '../../support/aws-store.ts';
import { at } from '../../support/batches.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { collectAll, HOUR_MS, packAll, publishSegments, walk } from '../segment-steps.ts';

const telemetry = {
  error(event: string, { error: cause }: { readonly error?: unknown }) {
    throw new Error(event, { cause });
  },
};

/** A process of its own. */
function openOn(parts: { table: Table; objects: Objects }, clock = createManualClock(START_MS)) {
  const random = createSystemRandom();
  const meter = createPrometheusMeter();
  const packing = { pieceBytes: 1e9, pieceObjectsMax: 12 };
  return { clock, ...openStore({ ...parts, clock, random, meter, telemetry, packing }) };
}

const offsets = (from: number, end: number) =>
  Array.from({ length: end - from }, (_, index) => from + index);

test('bucket and table hold what is referred to, and nothing else', async () => {
  await using resources = await createAwsStore();
  const { table, objects } = resources.connect();
  const store = openOn({ table, objects });
  const reader = () => openOn(resources.connect(), store.clock);
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
