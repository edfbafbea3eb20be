/** Many stored offsets: removed in steps between which commits run, and counted right through all of it. */
import { describe, expect, test } from 'vitest';
import type { SaveOutcome } from '../../lib/embedded/consumer-writer.ts';
import { openDatabase } from '../../lib/embedded/database.ts';
import { LogReader } from '../../lib/embedded/log-reader.ts';
import { LogWriter } from '../../lib/embedded/log-writer.ts';
import { integerOf } from '../../lib/embedded/row-values.ts';
import { SaveQueue } from '../../lib/embedded/save-queue.ts';
import { StoreError } from '../../lib/ports/store-error.ts';
import { at, batchOf, consumerName, idOf, streamName } from '../support/batches.ts';

const S = streamName('s');
const ID = idOf(1);
const EVERYTHING = { prefix: '', startAfter: '', limit: 100_000 };

function openStore(consumers: number, limit?: number) {
  const database = openDatabase(':memory:');
  const writer = new LogWriter(database);
  const settings = limit === undefined ? {} : { consumer_limit: limit };
  writer.create({ name: S, streamId: ID, settings, createdMs: 0 });
  writer.commit([{ stream: S, batch: batchOf('a'), timeMs: 1 }]);
  const save = (first: number, count: number) =>
    writer.saveOffsets(
      Array.from({ length: count }, (_, index) => ({
        streamId: ID,
        name: consumerName(`c${first + index}`),
        change: { kind: 'set' as const, next: at(1), nowMs: first + index },
      })),
    );
  save(0, consumers);
  const reader = new LogReader(database);
  const numberOf = (query: string) => {
    const row = database.prepare(query).get();
    return row === undefined ? undefined : integerOf(row, 'number');
  };
  return {
    writer,
    save,
    stored: () => reader.listConsumers(ID, EVERYTHING).length,
    rows: () => numberOf('SELECT count(*) AS number FROM consumer'),
    counted: () => numberOf('SELECT count AS number FROM consumer_count'),
    limitTo: (consumer_limit: number, expected: number) =>
      writer.saveSettings(ID, { settings: { consumer_limit }, expected, nowMs: 0 }),
    sweepAll: () => {
      let steps = 0;
      while (writer.sweep()) steps++;
      return steps;
    },
  };
}

describe('a limit that is lowered', () => {
  test('C6: is kept to in steps, of which the first is part of the change', () => {
    const store = openStore(5_000);
    store.limitTo(10, 1);
    const atOnce = 5_000 - store.stored();

    expect([atOnce > 0, atOnce < 2_000]).toEqual([true, true]);
    expect(store.sweepAll()).toBeGreaterThan(2);
    expect([store.stored(), store.counted()]).toEqual([10, 10]);
  });

  test('C6: and raised again leaves what is there by then', () => {
    const store = openStore(5_000);
    store.limitTo(10, 1);
    store.limitTo(9_000, 2);
    const left = store.stored();
    store.sweepAll();

    expect([store.stored() === left, store.counted()]).toEqual([true, left]);
  });
});

test('C6: beyond the limit one goes for each that comes, in the same transaction', () => {
  const store = openStore(5, 5);
  store.save(100, 3);

  expect([store.stored(), store.counted(), store.sweepAll()]).toEqual([5, 5, 0]);
});

test('T13: of a deleted stream they go in steps, with their count', () => {
  const store = openStore(5_000);
  store.writer.remove(S, ID);
  expect([store.stored(), store.rows()]).toEqual([0, 5_000]);

  expect(store.sweepAll()).toBeGreaterThan(4);
  expect([store.rows(), store.counted()]).toEqual([0, undefined]);
});

describe('saves that wait for one another', () => {
  const save = (n: number) => ({
    streamId: ID,
    name: consumerName(`c${n}`),
    change: { kind: 'set' as const, next: at(n), nowMs: n },
  });

  test('P2: go together while others are written, each with its outcome', async () => {
    const written: number[] = [];
    const queue = new SaveQueue(async (saves) => {
      written.push(saves.length);
      await Promise.resolve();
      return saves.map(({ change }): SaveOutcome => ({ kind: 'beyond', next: change.next }));
    });
    const outcomes = await Promise.all([1, 2, 3, 4].map((n) => queue.submit(save(n))));

    expect(written).toEqual([1, 3]);
    expect(outcomes).toEqual([1, 2, 3, 4].map((next) => ({ kind: 'beyond', next })));
  });

  test('P7: fail together, and the next ones do not', async () => {
    const error = new StoreError('full', { kind: 'unavailable', sideEffects: 'none' });
    let fails = true;
    const queue = new SaveQueue(async (saves) => {
      if (fails) throw error;
      return saves.map(() => undefined);
    });
    const failed = await Promise.allSettled([1, 2, 3].map((n) => queue.submit(save(n))));
    fails = false;

    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await queue.submit(save(4))).toBeUndefined();
  });
});
