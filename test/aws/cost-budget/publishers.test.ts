/** What named publishers add to the cost of publishing: 40 bytes of the tail for each, and moving them. */
import { describe, expect, test } from 'vitest';
import { sideKey } from '../../../lib/aws/table-key.ts';
import type { Append } from '../../../lib/ports/log-store.ts';
import {
  OPERATION_UNITS,
  PUBLISHERS_IN_TAIL_MAX,
  PUBLISHERS_PER_EVICTION,
  PUBLISHES_PER_SPILL,
  publishWriteUnits,
  sumUnits,
} from '../../../scripts/cost/operation-units.ts';
import { type OperationCost, total } from '../../simulation/consumed-units.ts';
import { publisherName } from '../../support/batches.ts';
import {
  appendTo,
  type CountedStore,
  openStream,
  publishEach,
  rewriteTail,
  STREAM_ID,
} from './counted-store.ts';

const { publish, firstOfPublisher, evictPublishers, returnOfPublisher } = OPERATION_UNITS;
/** The publisher that makes an eviction necessary when 255 are remembered and others were forgotten. */
const FULL = 255 + 2 * PUBLISHERS_PER_EVICTION + 1;
/** As numbers of a stream and its publishers are after years. */
const TEN_DIGITS = 1_234_567_891;
const BYTES_SO_FAR = 12_345_678_912_345;

function by(number: number, id: number): Partial<Append> {
  return { publisher: { name: publisherName(`publisher-${number}`), ids: [id] } };
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** A stream of long standing in which so many publishers have published. */
async function openWithPublishers(count: number): Promise<CountedStore> {
  const young = await openStream();
  const next = { N: String(TEN_DIGITS) };
  const bytes = { N: String(BYTES_SO_FAR) };
  await rewriteTail(young, () => ({ n: { L: [next] }, b: next, l: next, t: next, y: bytes }));
  const store = young.another();
  await publishEach(
    store,
    numbers(count).map((number) => by(number, TEN_DIGITS)),
  );
  return store;
}

/** What an eviction that this publish brings about is charged, beside the publish itself. */
async function evictionBy(store: CountedStore, append: Partial<Append>) {
  const before = store.table.costs.length;
  await publishEach(store, [append]);
  const costs = store.table.costs.slice(before).slice(-4);
  expect(costs.map(({ operation }) => operation)).toEqual(['get', 'get', 'put', 'update']);
  return {
    writeUnits: total(costs.map(({ writeUnits }) => writeUnits)),
    readUnits: total(costs.map(({ readUnits }) => readUnits)),
  };
}

function isUpdate({ operation }: OperationCost): boolean {
  return operation === 'update';
}

/** The units of each of the publishes until the tail has held every number of refs up to 16. */
async function unitsOfEach(store: CountedStore, publishers: number): Promise<readonly number[]> {
  const units: number[] = [];
  for (const number of numbers(PUBLISHES_PER_SPILL)) {
    const before = store.table.costs.length;
    await publishEach(store, [by(number % publishers, TEN_DIGITS + 1 + number)]);
    const commit = store.table.costs.slice(before).find(isUpdate);
    units.push(commit?.writeUnits ?? 0);
  }
  return units;
}

test.each([1, 2, 8, 12])('with %i publishers each publish is one write unit', async (count) => {
  const store = await openWithPublishers(count);

  expect(await unitsOfEach(store, count)).toEqual(numbers(PUBLISHES_PER_SPILL).map(() => 1));
});

test.each([13, 16, 24, PUBLISHERS_IN_TAIL_MAX])(
  'with %i publishers each publish is one unit more at most',
  async (count) => {
    const store = await openWithPublishers(count);

    expect(publishWriteUnits(count)).toBe(2);
    expect(Math.max(...(await unitsOfEach(store, count)))).toBeLessThanOrEqual(2);
  },
);

test('a publisher adds one unit to its first publish, and none to the next', async () => {
  const store = await openStream();

  const first = await store.costOf(() => publishEach(store, [by(1, 1)]));
  const second = await store.costOf(() => publishEach(store, [by(1, 2)]));

  expect(first).toEqual(
    sumUnits([
      [publish, 1],
      [firstOfPublisher, 1],
    ]),
  );
  expect(second).toEqual(publish);
});

test('64 publishers that are committed together share one PUT and one update', async () => {
  const store = await openWithPublishers(0);
  const appends = numbers(64).map((number) => appendTo(store, by(number, 1)));

  const before = store.table.costs.length;
  const { puts } = await store.costOf(() => store.log.commit(appends));
  const [commit] = store.table.costs.slice(before).filter(isUpdate);

  expect(puts).toBe(1);
  // The tail has 64 publishers until the upkeep of this very commit is done.
  expect(commit?.writeUnits).toBeLessThanOrEqual(publishWriteUnits(64));
});

describe('when the tail has 32 publishers', () => {
  test('half of them leave: the first time for a unit of their own and the two of the tail', async () => {
    const store = await openWithPublishers(PUBLISHERS_IN_TAIL_MAX);

    expect(await evictionBy(store, by(PUBLISHERS_IN_TAIL_MAX, TEN_DIGITS))).toEqual({
      writeUnits: 3,
      readUnits: 2,
    });
  });

  test('and 255 are remembered, that is what an eviction costs at most', async () => {
    const { writeUnits, readUnits } = evictPublishers;
    // One more is forgotten with each that comes, so the side item grows no more.
    const store = await openWithPublishers(FULL - 1);

    expect(await evictionBy(store, by(FULL, TEN_DIGITS))).toEqual({ writeUnits, readUnits });
  });

  test('one eviction makes room for 16 publishers', async () => {
    const store = await openWithPublishers(PUBLISHERS_IN_TAIL_MAX + 1);

    await publishEach(
      store,
      numbers(4 * PUBLISHERS_PER_EVICTION).map((number) => by(100 + number, TEN_DIGITS)),
    );

    const side = await store.table.get(sideKey(STREAM_ID));
    expect(side?.['v']).toEqual({ N: '5' });
  });
});

test('a publisher that left the tail comes back for at most three read units, once', async () => {
  const store = await openWithPublishers(FULL + 4);
  // The oldest one that is still remembered.
  const returning = FULL + 4 - 255;

  const first = await store.costOf(() => publishEach(store, [by(returning, TEN_DIGITS + 1)]));
  const second = await store.costOf(() => publishEach(store, [by(returning, TEN_DIGITS + 2)]));

  // No write unit for its name: that is there.
  const tail = publishWriteUnits(PUBLISHERS_IN_TAIL_MAX);
  expect(first).toEqual({ ...publish, writeUnits: tail, readUnits: returnOfPublisher.readUnits });
  expect(second).toEqual({ ...publish, writeUnits: tail });
});
