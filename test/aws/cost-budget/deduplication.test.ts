/** What message deduplication costs: nothing where it is off, a ring in the tail, or items beside it. */
import { describe, expect, test } from 'vitest';
import { OPERATION_UNITS } from '../../../scripts/cost/operation-units.ts';
import { batchWith } from '../../support/batches.ts';
import {
  appendTo,
  type CountedStore,
  openStream,
  publishEach,
  STREAM_ID,
} from './counted-store.ts';

const { publish } = OPERATION_UNITS;

const remembering = (cache_size: number) => ({
  deduplication: { header: 'h', cache_size, cache_ttl: null },
});
const carrying = (...values: readonly (number | undefined)[]) => {
  const messages = values.map((h) => ['a message', h === undefined ? undefined : { h }] as const);
  return { batch: batchWith(...messages) };
};
const numbers = (count: number, first = 0) => Array.from({ length: count }, (_, n) => first + n);

/** Units of one publish; what is done now and then (every 16th spills) is left out. */
async function costOfOne(store: CountedStore, values: readonly (number | undefined)[]) {
  return await store.costOf(() => store.log.commit([appendTo(store, carrying(...values))]));
}

test('headers cost nothing where the stream does not deduplicate', async () => {
  const store = await openStream();

  expect(await costOfOne(store, numbers(99))).toEqual(publish);
});

describe('a ring in the tail', () => {
  test.each([
    [1, 1],
    [30, 1],
    [60, 2],
    [127, 3],
  ])('behind %i values a publish of one more takes %i write units', async (before, writeUnits) => {
    const store = await openStream(remembering(128));
    await publishEach(store, [carrying(...numbers(before))]);

    expect(await costOfOne(store, [1_000])).toEqual({ ...publish, writeUnits });
    expect(await costOfOne(store, [undefined])).toEqual({ ...publish, writeUnits });
  });

  test('never takes more than three, however many values come', async () => {
    const store = await openStream(remembering(128));
    await publishEach(store, [carrying(...numbers(1_000))]);

    expect(await costOfOne(store, numbers(1_000, 1_000))).toEqual({ ...publish, writeUnits: 3 });
  });

  test('a duplicate that this process has just stored takes one read unit', async () => {
    const store = await openStream(remembering(128));
    await publishEach(store, [carrying(1)]);

    expect(await costOfOne(store, [1])).toEqual({
      puts: 0,
      gets: 0,
      writeUnits: 0,
      readUnits: 1,
    });
  });

  test('goes with the setting: the next publish but one takes one unit again', async () => {
    const store = await openStream(remembering(128));
    await publishEach(store, [carrying(...numbers(128))]);
    await store.catalog.saveSettings(STREAM_ID, { settings: {}, expected: 1 });
    await publishEach(store, [carrying(1)]);

    expect(await costOfOne(store, [2])).toEqual(publish);
  });
});

describe('values with items of their own', () => {
  test.each([
    [1, 4],
    [2, 6],
    [99, 200],
  ])('%i in a publish take %i write units', async (count, writeUnits) => {
    const store = await openStream(remembering(1_000));

    // One to look for each, one for where the messages came to lie.
    const readUnits = count + 1;
    expect(await costOfOne(store, numbers(count))).toEqual({ ...publish, writeUnits, readUnits });
  });

  test('a publish without a value is as cheap as ever', async () => {
    const store = await openStream(remembering(1_000));
    await publishEach(store, [carrying(...numbers(99))]);

    expect(await costOfOne(store, [undefined])).toEqual(publish);
  });

  test('those that were pushed out are removed for a unit each, and never pile up', async () => {
    const store = await openStream(remembering(200));
    for (let first = 0; first < 4_950; first += 99) {
      await publishEach(store, [carrying(...numbers(99, first))]);
    }
    const { items } = await store.table.query({ k: `Y${STREAM_ID}`, limit: 10_000 });

    expect(items.length).toBeGreaterThan(200);
    expect(items.length).toBeLessThan(500);
    expect(await costOfOne(store, [4_949])).toMatchObject({ puts: 0, writeUnits: 0 });
  });
});
