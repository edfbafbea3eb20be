import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openDatabase, pragma } from '../../lib/embedded/database.ts';
import { LogReader } from '../../lib/embedded/log-reader.ts';
import { LogWriter } from '../../lib/embedded/log-writer.ts';
import { integerOf } from '../../lib/embedded/row-values.ts';
import { at, batchOf, batchOfSize, idOf, publisherName, streamName } from '../support/batches.ts';
import { noise } from '../support/noise.ts';

const S = streamName('s');
const T = streamName('t');

function openStore() {
  const database = openDatabase(':memory:');
  const writer = new LogWriter(database);
  const count = (table: string) => {
    const row = database.prepare(`SELECT count(*) AS count FROM ${table}`).get();
    return row === undefined ? 0 : integerOf(row, 'count');
  };
  return {
    writer,
    reader: new LogReader(database),
    rows: () => ['run', 'segment', 'publisher', 'removal'].map(count),
    bases: () => {
      const rows = database.prepare('SELECT base FROM run ORDER BY stream, base').all();
      return rows.map((row) => integerOf(row, 'base'));
    },
    pages: () => pragma(database, 'page_count'),
    sweepAll: () => {
      let steps = 0;
      while (writer.sweep()) steps++;
      return steps;
    },
    publish: (stream: typeof S, id: number, times: number) => {
      for (let round = 0; round < times; round++) {
        const publisher = { name: publisherName('p'), ids: [2 * round, 2 * round + 1] };
        const batch = batchOf('ab', 'cd');
        writer.commit([{ stream, batch, timeMs: round, createAs: idOf(id), publisher }]);
      }
    },
  };
}

describe('what was trimmed', () => {
  test('T11: is removed with its segment, never inside one that is partly retained', () => {
    const store = openStore();
    // Segments [0, 4), [4, 8), [8, 10) of runs of two messages.
    const settings = { segment_max_bytes: 8 };
    store.writer.create({ name: S, streamId: idOf(1), settings, createdMs: 0 });
    store.publish(S, 1, 5);
    const basesAfter = (before: number) => {
      store.writer.trim(idOf(1), at(before));
      store.sweepAll();
      return store.bases();
    };

    expect(basesAfter(3)).toEqual([0, 2, 4, 6, 8]);
    expect(basesAfter(4)).toEqual([4, 6, 8]);
    expect(basesAfter(7)).toEqual([4, 6, 8]);
    expect(basesAfter(9)).toEqual([8]);
    expect(store.rows()).toEqual([1, 1, 1, 0]);
    expect(basesAfter(10)).toEqual([]);
    expect(store.rows()).toEqual([0, 1, 1, 0]);
  });

  test('T12: leaves a purged stream ready for what comes', () => {
    const store = openStore();
    store.publish(S, 1, 3);
    store.writer.trim(idOf(1), 'next');
    store.sweepAll();
    store.publish(T, 2, 1);
    store.writer.commit([{ stream: S, batch: batchOf('x'), timeMs: 9 }]);

    expect(store.bases()).toEqual([6, 0]);
    expect(store.reader.usage(idOf(1))).toMatchObject({ segments: 1, bytes: 13, oldestMs: 9 });
  });
});

describe('what was deleted', () => {
  test('T13: is removed in steps of at most 256 runs, other commits in between', () => {
    const store = openStore();
    store.publish(S, 1, 600);
    store.publish(T, 2, 2);
    expect(store.writer.remove(S, idOf(1))).toBe(true);
    store.publish(S, 3, 1);

    const left: number[] = [];
    do left.push(store.bases().length);
    while (store.writer.sweep());
    expect(left).toEqual([603, 347, 91, 3, 3]);
    expect(store.rows()).toEqual([3, 2, 2, 0]);
    expect(store.reader.tail(S)).toMatchObject({ streamId: idOf(3), first: 0, next: 2 });
  });

  test('T13: is removed in steps of some MiB when its chunks are large', () => {
    const store = openStore();
    const batch = { ...batchOfSize(1, 1), records: noise(4 * 1024 * 1024) };
    for (let round = 0; round < 10; round++) {
      store.writer.commit([{ stream: S, batch, timeMs: round, createAs: idOf(1) }]);
    }
    store.writer.remove(S, idOf(1));

    // Four runs are 16 MiB; the last step finds no more.
    expect(store.sweepAll()).toBe(4);
    expect(store.rows()).toEqual([0, 0, 0, 0]);
  });

  test('T13: is given back to the disk when it is a lot', () => {
    const store = openStore();
    const batch = { ...batchOfSize(1, 1), records: noise(4 * 1024 * 1024) };
    for (let round = 0; round < 25; round++) {
      store.writer.commit([{ stream: S, batch, timeMs: round, createAs: idOf(1) }]);
    }
    store.publish(T, 2, 1);
    store.writer.remove(S, idOf(1));
    store.sweepAll();

    const mib = 256;
    expect(store.pages() / mib).toBeLessThan(66);
    expect(store.pages() / mib).toBeGreaterThan(60);
    expect(store.bases()).toEqual([0]);
  });

  test('T13: streams with ever so many segments are removed in steps too', () => {
    const store = openStore();
    const settings = { segment_max_bytes: 1 };
    store.writer.create({ name: S, streamId: idOf(1), settings, createdMs: 0 });
    const appends = Array.from({ length: 2_000 }, () => ({
      stream: S,
      batch: batchOf('x'),
      timeMs: 0,
    }));
    store.writer.commit(appends);
    expect(store.rows()).toEqual([2_000, 2_000, 0, 0]);
    store.writer.remove(S, idOf(1));
    store.sweepAll();

    expect(store.rows()).toEqual([0, 0, 0, 0]);
  });
});

const step = fc.oneof(
  fc.record({ kind: fc.constant('publish' as const), count: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ kind: fc.constant('trim' as const), before: fc.nat(60) }),
  fc.constant({ kind: 'purge' as const }),
  fc.constant({ kind: 'sweep' as const }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

function perform({ writer }: ReturnType<typeof openStore>, given: Step): void {
  switch (given.kind) {
    case 'publish':
      writer.commit([{ stream: S, batch: batchOfSize(given.count, 2), timeMs: 0 }]);
      break;
    case 'trim':
      writer.trim(idOf(1), at(given.before));
      break;
    case 'purge':
      writer.trim(idOf(1), 'next');
      break;
    case 'sweep':
      writer.sweep();
      break;
  }
}

test('T11: at no point of a sweep does a reader miss what is retained', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 60 }), (steps) => {
      const store = openStore();
      const settings = { segment_max_bytes: 8 };
      store.writer.create({ name: S, streamId: idOf(1), settings, createdMs: 0 });
      for (const given of steps) {
        perform(store, given);
        store.reader.forget();

        const { first, next } = store.reader.tail(S) ?? { first: at(0), next: at(0) };
        const range = { streamId: idOf(1), from: first, end: next, bytesMax: 1e9 };
        const last = store.reader.chunks.read(range).at(-1);
        expect(last === undefined ? first : last.base + last.count).toBe(next);
        expect(store.reader.usage(idOf(1)).bytes).toBeGreaterThanOrEqual(2 * (next - first));
      }
    }),
  );
});
