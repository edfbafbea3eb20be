/** What a publish costs: requests to S3 and capacity units of DynamoDB, counted on the store itself. */
import { describe, expect, test } from 'vitest';
import {
  OPERATION_UNITS,
  PUBLISHES_PER_SPILL,
  sumUnits,
} from '../../../scripts/cost/operation-units.ts';
import { batchOf, batchOfSize, idOf, streamName } from '../../support/batches.ts';
import {
  appendTo,
  create,
  openCountedStore,
  openStream,
  publishEach,
  publishTimes,
  STREAM,
  STREAM_ID,
} from './counted-store.ts';

const { publish, spill, sealSegment, firstContact, createByPublish } = OPERATION_UNITS;
const KIB = 1024;

test.each([
  ['one message', batchOf('a')],
  ['ten thousand messages', batchOfSize(10_000, 16)],
  ['4 MiB', batchOfSize(4, KIB * KIB - 64)],
])('a publish of %s is one PUT and one write unit', async (_name, batch) => {
  const store = await openStream();

  expect(await store.costOf(() => publishEach(store, [{ batch }]))).toEqual(publish);
});

test.each([1, 2, 64, 1_000])(
  '%i appends that are committed together are one publish',
  async (k) => {
    const store = await openStream();
    const appends = Array.from({ length: k }, () => appendTo(store));

    expect(await store.costOf(() => store.log.commit(appends))).toEqual(publish);
  },
);

test('appends to three streams that are committed together are three publishes', async () => {
  const store = openCountedStore();
  const names = ['a', 'b', 'c'].map(streamName);
  for (const [index, name] of names.entries()) {
    await create(store, {}, { name, streamId: idOf(index) });
    await store.log.tail(name);
  }
  const appends = [...names, ...names].map((name) => appendTo(store, { name }));

  const cost = await store.costOf(() => store.log.commit(appends));

  expect(cost).toEqual(sumUnits([[publish, 3]]));
});

// Counted are the index item and the tail without its refs; that the item goes once its messages
// are dropped is a sixteenth of a unit more (removing.test.ts): 3/16 in all.
test('every 16th publish spills the tail: two units, so an eighth for each publish', async () => {
  const store = await openStream();
  const publishes = 10 * PUBLISHES_PER_SPILL;

  expect(await store.costOf(() => publishTimes(store, publishes))).toEqual(
    sumUnits([
      [publish, publishes],
      [spill, 10],
    ]),
  );
});

test('what spills is the 16th publish, and none before it', async () => {
  const store = await openStream();

  const before = await store.costOf(() => publishTimes(store, PUBLISHES_PER_SPILL - 1));
  const last = await store.costOf(() => publishTimes(store, 1));

  expect(before).toEqual(sumUnits([[publish, PUBLISHES_PER_SPILL - 1]]));
  expect(last).toEqual(
    sumUnits([
      [publish, 1],
      [spill, 1],
    ]),
  );
});

describe('a publish that opens a segment', () => {
  test.each([1, 5, 15, 16, 32, 40, 145])(
    'seals %i publishes by at most ten units more than others',
    async (inSegment) => {
      const message = batchOf('x'.repeat(100));
      const store = await openStream({ segment_max_bytes: inSegment * message.bytes });
      await publishEach(
        store,
        Array.from({ length: inSegment }, () => ({ batch: message })),
      );

      const cost = await store.costOf(() => publishEach(store, [{ batch: message }]));

      const expected = sumUnits([
        [publish, 1],
        // What the tail still held of the segment before; with 16 refs it was empty.
        [spill, inSegment % PUBLISHES_PER_SPILL === 0 ? 0 : 1],
        [sealSegment, 1],
      ]);
      expect(cost).toEqual(expected);
      expect(expected.writeUnits).toBeLessThanOrEqual(publish.writeUnits + 10);
    },
  );
});

describe('another process', () => {
  test('reads the tail and the settings before its first publish to a stream', async () => {
    const store = await openStream();
    const other = store.another();

    const first = await other.costOf(() => publishTimes(other, 1));
    const second = await other.costOf(() => publishTimes(other, 1));

    expect(first).toEqual(
      sumUnits([
        [publish, 1],
        [firstContact, 1],
      ]),
    );
    expect(second).toEqual(publish);
  });

  test('makes no publish dearer by its own', async () => {
    const store = await openStream();
    await publishTimes(store, 1);
    const other = store.another();
    await other.log.tail(STREAM);

    const cost = await store.costOf(async () => {
      for (let round = 0; round < 5; round++) {
        await publishTimes(store, 1);
        await publishTimes(other, 1);
      }
    });

    expect(cost).toEqual(sumUnits([[publish, 10]]));
  });
});

test('a publish that creates its stream is one PUT and three units more than creating', async () => {
  const store = openCountedStore();
  const append = { ...appendTo(store), createAs: STREAM_ID };

  expect(await store.costOf(() => store.log.commit([append]))).toEqual(createByPublish);
});

test('what is refused by what is known costs no PUT and no write unit', async () => {
  const store = openCountedStore();
  await create(store);
  const fenced = appendTo(store, { fencingToken: 'another' });

  expect(await store.costOf(() => store.log.commit([fenced]))).toEqual(firstContact);
});
