import type { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { PUBLISHERS_PER_STREAM_MAX } from '../../lib/core/log/limits.ts';
import { openDatabase } from '../../lib/embedded/database.ts';
import { LogReader } from '../../lib/embedded/log-reader.ts';
import { LogWriter } from '../../lib/embedded/log-writer.ts';
import type { Append } from '../../lib/ports/log-store.ts';
import { StoreError } from '../../lib/ports/store-error.ts';
import { at, batchOf, idOf, publisherName, streamName } from '../support/batches.ts';
import { noise } from '../support/noise.ts';

const S = streamName('s');
const T = streamName('t');
const P = publisherName('p');
const KIB = 1024;

/** One message as the store sees it: bytes that take all their room. */
const noisy = (bytes: number) => ({ ...batchOf('x'), records: noise(bytes) });

function openStore() {
  const database = openDatabase(':memory:');
  return { database, writer: new LogWriter(database), reader: new LogReader(database) };
}

function append(rest: Partial<Append> = {}): Append {
  return { stream: S, batch: batchOf('x'), timeMs: 1_000, createAs: idOf(1), ...rest };
}

function other(id = 1): Append {
  return append({ stream: T, createAs: idOf(2), publisher: { name: P, ids: [id] } });
}

/** Known ids make the writer walk over the records, which here are none. */
const broken = append({
  batch: { count: 2, records: Uint8Array.of(0xff), bytes: 2, jsonChecked: false },
  publisher: { name: P, ids: [7, 8] },
});

describe('a commit in which one append is faulty', () => {
  test('P1: stores none of the others and says so by throwing', () => {
    const { writer, reader } = openStore();
    writer.commit([append({ publisher: { name: P, ids: [7] } })]);

    expect(() => writer.commit([other(), append(), broken, append()])).toThrow('is cut off');
    expect(reader.tail(S)).toMatchObject({ next: 1 });
    expect(reader.tail(T)).toBeUndefined();
  });

  test('P1: leaves nothing behind that a later one could take for stored', () => {
    const { writer } = openStore();
    writer.commit([append({ publisher: { name: P, ids: [7] } }), other(1)]);
    expect(() => writer.commit([other(2), broken])).toThrow('is cut off');

    expect(writer.commit([other(2)])).toMatchObject([{ kind: 'stored', start: 1, end: 2 }]);
    expect(writer.commit([other(2)])).toMatchObject([{ kind: 'duplicate', range: { start: 1 } }]);
  });
});

test('appends are refused by whoever says that there is too little room, removals go on', () => {
  const database = openDatabase(':memory:');
  const writer = new LogWriter(database, {
    checkRoom: () => {
      throw new Error('too little room');
    },
  });
  writer.create({ name: S, streamId: idOf(1), settings: {}, createdMs: 0 });

  expect(() => writer.commit([append()])).toThrow('too little room');
  expect(writer.trim(idOf(1), 'next')).toMatchObject({ kind: 'trimmed' });
  expect(writer.remove(S, idOf(1))).toBe(true);
});

describe('a commit for which there is no room', () => {
  /** No more pages than there are: the disk is full as far as SQLite can tell. */
  const fill = (database: DatabaseSync) => {
    database.exec(`PRAGMA max_page_count = 1`);
  };
  const makeRoom = (database: DatabaseSync) => {
    database.exec(`PRAGMA max_page_count = 1000000`);
  };

  test('P7: is refused as unavailable, with nothing stored', () => {
    const { database, writer, reader } = openStore();
    writer.commit([append()]);
    fill(database);
    const large = append({ batch: noisy(500 * KIB) });

    const failure = failureOf(() => writer.commit([append(), large]));
    expect(failure).toMatchObject({ kind: 'unavailable', sideEffects: 'none' });
    expect(failure.message).toBe('the disk is full');
    expect(reader.tail(S)).toMatchObject({ next: 1 });
  });

  test('P7: is followed by ones that succeed as soon as there is room', () => {
    const { database, writer, reader } = openStore();
    writer.commit([append()]);
    fill(database);
    const large = append({ batch: noisy(500 * KIB) });
    failureOf(() => writer.commit([large]));
    makeRoom(database);

    expect(writer.commit([large])).toMatchObject([{ kind: 'stored', start: 1, end: 2 }]);
    expect(reader.tail(S)).toMatchObject({ next: 2 });
  });

  test('is followed by a trim that makes the room', () => {
    const { database, writer } = openStore();
    for (let round = 0; round < 20; round++) {
      writer.commit([append({ batch: noisy(500 * KIB) })]);
    }
    fill(database);
    failureOf(() => writer.commit([append({ batch: noisy(500 * KIB) })]));
    writer.trim(idOf(1), 'next');
    while (writer.sweep());

    expect(writer.commit([append()])).toMatchObject([{ kind: 'stored', start: 20 }]);
  });
});

describe('what is kept in memory', () => {
  test('P4: follows every change that is made in another way', () => {
    const { writer } = openStore();
    writer.commit([append()]);

    writer.setFencingToken(idOf(1), 't');
    expect(writer.commit([append({ fencingToken: 'u' })])).toMatchObject([{ code: 'fenced' }]);
    writer.saveSettings(idOf(1), { settings: { segment_max_bytes: 1 }, expected: 1, nowMs: 0 });
    expect(writer.commit([append()])).toMatchObject([{ opensSegment: true }]);
    writer.trim(idOf(1), 'next');
    expect(writer.commit([append()])).toMatchObject([{ start: 2 }]);
    writer.remove(S, idOf(1));
    expect(writer.commit([append({ createAs: idOf(2) })])).toMatchObject([
      { streamId: idOf(2), start: 0 },
    ]);
  });

  test('D9: forgets whom the stream forgets', () => {
    const { writer, reader } = openStore();
    const by = (n: number, id: number) =>
      append({ publisher: { name: publisherName(`p${n}`), ids: [id] } });
    for (let n = 0; n <= PUBLISHERS_PER_STREAM_MAX; n++) writer.commit([by(n, 5)]);

    expect(reader.publisher(idOf(1), publisherName('p0'))).toBeUndefined();
    expect(writer.commit([by(0, 5)])).toMatchObject([{ kind: 'stored' }]);
    expect(writer.commit([by(2, 5)])).toMatchObject([{ kind: 'duplicate' }]);
  });

  test('is no more than it may be, and the rest is read again', () => {
    const { writer } = openStore();
    const streams = Array.from({ length: 5_000 }, (_, n) => streamName(`s${n}`));
    const appends = streams.map((stream, n) => append({ stream, createAs: idOf(n) }));
    writer.commit(appends);

    expect(
      new Set(writer.commit(appends).map((outcome) => 'end' in outcome && outcome.end)),
    ).toEqual(new Set([2]));
  });
});

test('T6 T7: each segment that a commit opens is kept, and what it was as soon as the next one opens', () => {
  const { database, writer } = openStore();
  const settings = { segment_max_bytes: 2 };
  writer.create({ name: S, streamId: idOf(1), settings, createdMs: 0 });
  const twice = { batch: batchOf('a', 'b') };
  writer.commit([append({ timeMs: 1 }), append({ timeMs: 2 }), append({ ...twice, timeMs: 3 })]);
  writer.commit([append({ timeMs: 4 }), append({ timeMs: 5 }), append({ timeMs: 6 })]);

  const segments = database.prepare('SELECT * FROM segment ORDER BY first').all();
  expect(segments.map((row) => Object.values(row).slice(1))).toEqual([
    [0, 0, 0, 1, 2, 2, 2, null],
    [2, 1, 2, 3, 4, 4, 3, null],
    [4, 2, 4, 4, 6, 6, 5, null],
    [6, 3, 6, 6, null, null, null, null],
  ]);
  const runs = database.prepare('SELECT base, "end" FROM run ORDER BY base').all();
  expect(runs.map((row) => Object.values(row))).toEqual([
    [0, 2],
    [2, 4],
    [4, 6],
    [6, 7],
  ]);
});

test('the runs of one commit hold 256 KiB at most, but for a chunk that is larger', () => {
  const { database, writer } = openStore();
  writer.commit([100, 100, 100, 300, 1, 1].map((kib) => append({ batch: noisy(kib * KIB) })));

  const rows = database.prepare('SELECT base, length(chunks) / 1024 AS kib FROM run').all();
  expect(rows.map(({ base, kib }) => [base, kib])).toEqual([
    [0, 200],
    [2, 100],
    [3, 300],
    [4, 2],
  ]);
  const range = { streamId: idOf(1), from: at(0), end: at(6), bytesMax: 99 };
  expect(new LogReader(database).chunks.read(range)).toHaveLength(6);
});

function failureOf(work: () => unknown): StoreError {
  try {
    work();
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}
