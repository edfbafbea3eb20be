/** What it costs to create, change, trim and delete a stream. None of it touches S3. */
import { describe, expect, test } from 'vitest';
import { OPERATION_UNITS } from '../../../scripts/cost/operation-units.ts';
import { varveBill } from '../../../scripts/cost/varve-bill.ts';
import { at, idOf, streamName } from '../../support/batches.ts';
import {
  appendTo,
  create,
  openCountedStore,
  openStream,
  publishTimes,
  STREAM,
  STREAM_ID,
} from './counted-store.ts';

const { createStream, deleteStream, trim, setFencingToken, changeSettings, upkeepPass } =
  OPERATION_UNITS;

test('a stream is created by one transaction over four items', async () => {
  const store = openCountedStore();

  expect(await store.costOf(() => create(store))).toEqual(createStream);
});

test('a stream is deleted by one transaction over three items', async () => {
  const store = await openStream();
  await publishTimes(store, 5);

  expect(await store.costOf(() => store.catalog.remove(STREAM, STREAM_ID))).toEqual(deleteStream);
});

test.each([['an offset', at(3)] as const, ['next', 'next'] as const])(
  'a trim to %s reads the tail once, notes what is to be removed, and raises the start',
  async (_name, before) => {
    const store = await openStream();
    await publishTimes(store, 5);

    expect(await store.costOf(() => store.log.trim(STREAM_ID, before))).toEqual(trim);
  },
);

test('a trim of nothing costs no write', async () => {
  const store = await openStream();

  expect(await store.costOf(() => store.log.trim(STREAM_ID, at(0)))).toEqual({
    ...trim,
    writeUnits: 0,
  });
});

test.each([['a token'], [undefined]])(
  'setting a fencing token to %s is one write',
  async (token) => {
    const store = await openStream();

    const cost = await store.costOf(() => store.log.setFencingToken(STREAM_ID, token));

    expect(cost).toEqual(setFencingToken);
  },
);

test('a change of settings writes them, a note for maintenance, and then the tail, and reads both', async () => {
  const store = await openStream();
  const change = { settings: { segment_max_bytes: 1_000 }, expected: 1 };

  const cost = await store.costOf(() => store.catalog.saveSettings(STREAM_ID, change));

  expect(cost).toEqual(changeSettings);
});

describe('an idle deployment', () => {
  test('writes nothing, and costs what its passes of upkeep read', async () => {
    const store = await openStream();
    await store.clock.advance(86_400_000);

    const pass = () => store.maintenance.run(new AbortController().signal);

    expect(await store.costOf(pass)).toEqual(upkeepPass);
  });

  test('costs the same however many streams there are', async () => {
    const store = openCountedStore();
    for (let number = 0; number < 200; number++) {
      const name = streamName(`n${number}`);
      await create(store, { max_age: 1_000 }, { name, streamId: idOf(number) });
      await store.log.commit([appendTo(store, { name })]);
    }
    await store.clock.advance(86_400_000);

    const pass = () => store.maintenance.run(new AbortController().signal);

    expect(await store.costOf(pass)).toEqual(upkeepPass);
  });

  test('comes to ten cents a month', () => {
    const idle = { messagesPerSecond: 1e-6, messageBytes: 1, batch: 1, streams: 1, readers: 0 };
    const rest = { readEveryMs: 1_000, retentionMs: 1, publishers: 0, memoryMb: 1_024 };

    const cents = varveBill({ ...idle, ...rest }).usd * 100;
    expect(Math.round(cents)).toBeLessThanOrEqual(10);
  });
});
