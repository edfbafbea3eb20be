/** What it costs to hold messages, to release them, to cancel one, and to have nothing to do. */
import { describe, expect, test } from 'vitest';
import { type HeldId, heldId } from '../../../lib/core/timer/held-id.ts';
import { planDueMessages } from '../../../lib/services/release-due.ts';
import { OPERATION_UNITS, type Units } from '../../../scripts/cost/operation-units.ts';
import { heldIdOf } from '../../contract/timer-steps.ts';
import { batchOf, publisherName } from '../../support/batches.ts';
import { appendTo, type CountedStore, openStream, publishEach } from './counted-store.ts';

const { holdAlone, holdTogether, holdLarge, release, cancelHeld, lookForDue } = OPERATION_UNITS;
const { publish, dropLarge } = OPERATION_UNITS;

const LATER_MS = 3_600_000;
let arrived = 0;

function held(store: CountedStore, bodies: readonly string[]) {
  const dueMs = store.clock.nowMs() + LATER_MS;
  const arrivedAt = store.clock.nowMs().toString(16).padStart(12, '0');
  const delays = bodies.map(({ length: bytes }, index) => {
    const number = (++arrived).toString(16).padStart(20, '0');
    return { index, id: heldId(dueMs, `${arrivedAt}${number}`), bytes };
  });
  return appendTo(store, { batch: batchOf(...bodies), delays });
}

async function hold(store: CountedStore, ...bodies: readonly string[]): Promise<HeldId[]> {
  const append = held(store, bodies);
  const [outcome] = await store.log.commit([append]);
  if (outcome?.kind !== 'held') throw new Error(`not held: ${JSON.stringify(outcome)}`);
  return append.delays?.map(({ id }) => id) ?? [];
}

async function releaseAll(store: CountedStore): Promise<number> {
  const report = await store.timers.release({
    nowMs: () => store.clock.nowMs() + LATER_MS,
    plan: (due) => planDueMessages(store, due),
    released: () => {},
    signal: new AbortController().signal,
  });
  return report.released;
}

/** A stream whose shard has released before. */
async function openHolding(): Promise<CountedStore> {
  const store = await openStream();
  await publishEach(store, [{}]);
  await hold(store, 'first');
  await releaseAll(store);
  return store;
}

const bodyOf = (bytes: number) => 'x'.repeat(bytes);
const plus = (a: Units, b: Partial<Units>): Units => ({
  puts: a.puts + (b.puts ?? 0),
  gets: a.gets + (b.gets ?? 0),
  writeUnits: a.writeUnits + (b.writeUnits ?? 0),
  readUnits: a.readUnits + (b.readUnits ?? 0),
});

describe('one message by itself', () => {
  test.each([
    [900, 1],
    [940, 1],
    [945, 2],
    [1_900, 2],
    [4_000, 4],
  ])('of %i bytes is held and released for 2 units a KiB and 3', async (bytes, units) => {
    const store = await openHolding();
    const held = await store.costOf(() => hold(store, bodyOf(bytes)));
    expect(held).toEqual(plus(holdAlone, { writeUnits: units - 1 }));
    const released = await store.costOf(() => releaseAll(store));
    expect(released).toMatchObject({ writeUnits: release.writeUnits + units, puts: 1, gets: 0 });
    expect(held.writeUnits + released.writeUnits).toBe(2 * units + 3);
  });

  test('of more than 4 KiB lies in an object', async () => {
    const store = await openHolding();
    expect(await store.costOf(() => hold(store, bodyOf(100_000)))).toEqual(holdLarge);
    const { gets, writeUnits } = plus(plus(release, dropLarge), { writeUnits: 1 });
    const released = await store.costOf(() => releaseAll(store));
    expect(released).toMatchObject({ gets, writeUnits, puts: publish.puts });
    expect(store.objects.names().filter((name) => name.includes('/h/'))).toEqual([]);
  });
});

describe('several messages of a request', () => {
  test.each([2, 10, 99])('%i are held for 2 units each, and 2', async (count) => {
    const store = await openHolding();
    const bodies = Array.from({ length: count }, () => bodyOf(900));
    const cost = await store.costOf(() => hold(store, ...bodies));
    expect(cost).toEqual(plus(holdTogether, { writeUnits: 2 * count }));
  });

  test.each([2, 10, 99])('%i are released together for a unit each', async (count) => {
    const store = await openHolding();
    await hold(store, ...Array.from({ length: count }, () => bodyOf(900)));
    const { puts, writeUnits } = await store.costOf(() => releaseAll(store));
    // The plan names each of them in 22 bytes, and is written, and taken away.
    const plans = 2 * Math.ceil((150 + 22 * count) / 1024);
    expect({ puts, writeUnits }).toEqual({ puts: 1, writeUnits: count + 1 + plans });
  });

  test('with some that are stored at once, for the publish by a transaction beside', async () => {
    const store = await openHolding();
    const append = held(store, [bodyOf(900), bodyOf(900)]);
    const [, late] = append.delays ?? [];
    const mixed = { ...append, delays: late ? [late] : [] };
    const cost = await store.costOf(() => store.log.commit([mixed]));
    expect(cost).toMatchObject({ puts: 1, writeUnits: 4 });
  });

  test('of a publisher, for as much', async () => {
    const store = await openHolding();
    const named = (id: number) => {
      const publisher = { name: publisherName('p'), ids: [id, id + 1] };
      return store.log.commit([{ ...held(store, ['a', 'b']), publisher }]);
    };
    await named(1);
    await store.log.tail(appendTo(store).stream);
    expect(await store.costOf(() => named(3))).toMatchObject({
      puts: 0,
      writeUnits: holdTogether.writeUnits + 4,
    });
  });
});

test.each([
  [900, 1],
  [4_000, 4],
])('L10: to cancel one of %i bytes is a transaction', async (bytes, units) => {
  const store = await openHolding();
  const [id = heldIdOf(0, 0)] = await hold(store, bodyOf(bytes));
  const { writeUnits, puts } = await store.costOf(() => store.timers.cancel(id));
  expect({ writeUnits, puts }).toEqual({
    writeUnits: cancelHeld.writeUnits + 2 * (units - 1),
    puts: 0,
  });
});

describe('a look that finds nothing due', () => {
  test('is a read unit for each shard', async () => {
    const store = await openHolding();
    expect(await store.costOf(() => releaseAll(store))).toEqual(lookForDue);
    const empty = await openStream();
    expect(await empty.costOf(() => releaseAll(empty))).toEqual(lookForDue);
  });

  test('is no more with many that are due later', async () => {
    const store = await openHolding();
    const { clock } = store;
    await hold(store, ...Array.from({ length: 99 }, () => bodyOf(900)));
    await clock.advance(-1);
    expect(await store.costOf(() => releaseAll(store))).toEqual(lookForDue);
  });
});
