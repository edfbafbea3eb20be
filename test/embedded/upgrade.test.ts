import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { openDatabase, pragma } from '../../lib/embedded/database.ts';
import { openFolder } from '../../lib/embedded/embedded-store.ts';
import { APPLICATION_ID } from '../../lib/embedded/schema.ts';
import { encodeChunk } from '../../lib/format/chunk.ts';
import { encodeRunRefs } from '../../lib/format/run-refs.ts';
import { heldIdOf } from '../contract/timer-steps.ts';
import { at, batchOf, batchOfSize, batchWith, consumerName } from '../support/batches.ts';
import {
  binding,
  exchangeIdOf,
  exchangeName,
  settingsOf,
  toStream,
} from '../support/exchange-steps.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { S, S_ID } from './packed-store.ts';

const KIB = 1024;

/** As format 1 had them. */
const SCHEMA_1 = `
  CREATE TABLE stream (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    id TEXT NOT NULL UNIQUE,
    created_ms INTEGER NOT NULL,
    settings TEXT NOT NULL,
    revision INTEGER NOT NULL,
    first INTEGER NOT NULL,
    next INTEGER NOT NULL,
    last_chunk INTEGER NOT NULL,
    time_ms INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    segment_number INTEGER,
    segment_bytes_before INTEGER,
    segment_first_ms INTEGER,
    fencing_token TEXT
  ) STRICT;

  CREATE TABLE run (
    stream INTEGER NOT NULL,
    base INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    refs BLOB NOT NULL,
    chunks BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX run_base ON run (stream, base);

  CREATE TABLE segment (
    stream INTEGER NOT NULL,
    first INTEGER NOT NULL,
    number INTEGER NOT NULL,
    bytes_before INTEGER NOT NULL,
    first_ms INTEGER NOT NULL,
    PRIMARY KEY (stream, first)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE publisher (
    stream INTEGER NOT NULL,
    name TEXT NOT NULL,
    highest_id INTEGER NOT NULL,
    epoch INTEGER,
    first_id INTEGER NOT NULL,
    count INTEGER NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    PRIMARY KEY (stream, name)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE removal (
    stream INTEGER PRIMARY KEY,
    below INTEGER NOT NULL,
    whole INTEGER NOT NULL
  ) STRICT;
`;

/** Ten messages a segment, the first ones too small to be packed; a third segment is active. */
const SEGMENTS = [
  { first: 0, timeMs: 1_000, bytes: 10 },
  { first: 10, timeMs: 2_000, bytes: 30 * KIB },
  { first: 20, timeMs: 3_000, bytes: 10 },
];
const BYTES = SEGMENTS.map(({ bytes }) => 10 * bytes);

/** Two runs a segment. `damage` is done in the end. */
function makeFormat1(folder: string, damage = ''): void {
  const database = new DatabaseSync(join(folder, 'varve.db'));
  database.exec(`PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; ${SCHEMA_1};
    PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 1`);
  const total = BYTES.reduce((sum, bytes) => sum + bytes, 0);
  const stream = database.prepare(
    'INSERT INTO stream VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const active = total - (BYTES[2] ?? 0);
  stream.run(3, S, S_ID, 7, '{}', 1, 2, 30, 25, 3_005, total, 2, active, 3_000, 't');
  stream.run(4, 'empty', 'e'.repeat(32), 7, '{}', 1, 0, 0, 0, 0, 0, null, null, null, null);
  let before = 0;
  for (const [number, { first, timeMs, bytes }] of SEGMENTS.entries()) {
    database
      .prepare('INSERT INTO segment VALUES (3, ?, ?, ?, ?)')
      .run(first, number, before, timeMs);
    before += 10 * bytes;
    for (const [base, takenMs] of [
      [first, timeMs],
      [first + 5, timeMs + 5],
    ] as const) {
      const chunk = encodeChunk(batchOfSize(5, bytes));
      const ref = {
        count: 5,
        chunkBytes: chunk.length,
        timeMs: takenMs,
        opensSegment: base === first,
      };
      database
        .prepare('INSERT INTO run VALUES (3, ?, ?, ?, ?, ?)')
        .run(base, base + 5, takenMs, encodeRunRefs({ base, refs: [ref] }), chunk);
    }
  }
  database.exec(`INSERT INTO removal VALUES (1, 9007199254740991, 1), (3, 0, 0); ${damage}`);
  database.close();
}

const open = (folder: string, nowMs = 0) =>
  openFolder({ folder, writer: 'inline', clock: createManualClock(nowMs) });

const tables = (database: DatabaseSync) =>
  database
    .prepare("SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite%' ORDER BY name")
    .all()
    .map(({ name }) => name);
const columns = (database: DatabaseSync, table: string) =>
  database.prepare(`PRAGMA table_info(${table})`).all();

describe('a database of format 1', () => {
  test('gets the tables and columns that a new one has', () => {
    using folder = temporaryFolder();
    makeFormat1(folder.path);
    const upgraded = openDatabase(join(folder.path, 'varve.db'));
    const made = openDatabase(':memory:');

    expect(tables(upgraded)).toEqual(tables(made));
    for (const table of [
      'stream',
      'run',
      'segment',
      'piece',
      'retention',
      'removal',
      'publisher',
      'consumer',
      'consumer_count',
      'recorded_value',
      'exchange',
      'binding',
    ]) {
      expect(columns(upgraded, table)).toEqual(columns(made, table));
    }
    expect(pragma(upgraded, 'user_version')).toBe(4);
    upgraded.close();
    made.close();
  });

  test('P2 T7: keeps what it holds, and learns what its segments are', async () => {
    using folder = temporaryFolder();
    makeFormat1(folder.path);
    const store = await open(folder.path);

    const [through, more] = [BYTES[0] ?? 0, (BYTES[0] ?? 0) + (BYTES[1] ?? 0)];
    expect(await store.log.segments({ streamId: S_ID, from: at(0), limit: 9 })).toEqual([
      {
        first: 0,
        end: 10,
        state: 'sealed',
        bytes: 100,
        bytesThrough: through,
        lastTimeMs: 1_005,
        objects: [],
      },
      {
        first: 10,
        end: 20,
        state: 'sealed',
        bytes: BYTES[1],
        bytesThrough: more,
        lastTimeMs: 2_005,
        objects: [],
      },
      {
        first: 20,
        end: 30,
        state: 'active',
        bytes: 100,
        bytesThrough: more + 100,
        lastTimeMs: 3_005,
        objects: [],
      },
    ]);
    expect(await store.log.tail(S)).toMatchObject({
      first: 2,
      next: 30,
      fencingToken: 't',
      segment: { first: 20, bytesBefore: more, firstTimeMs: 3_000 },
    });
    const range = { streamId: S_ID, from: at(2), end: at(30), bytesMax: 1e9 };
    const before = await store.log.readChunks(range);
    expect(before.map(({ base }) => base)).toEqual([0, 5, 10, 15, 20, 25]);

    // The second one is large enough to be packed.
    expect(await store.maintenance.run(new AbortController().signal)).toMatchObject({ done: 1 });
    expect(await store.log.usage(S_ID)).toMatchObject({ segments: 3 });
    expect(await store.log.readChunks(range)).toEqual(before);
    await store.log.commit([{ stream: S, batch: batchOf('x'), timeMs: 3_006 }]);
    expect(await store.log.tail(S)).toMatchObject({ next: 31, segment: { first: 20 } });
    await store.close();
    await (await open(folder.path)).close();
  });

  test('T7: keeps a segment of which it cannot know how old it is', async () => {
    using folder = temporaryFolder();
    makeFormat1(folder.path, 'DELETE FROM run WHERE base = 15; DELETE FROM run WHERE base = 10');
    const store = await open(folder.path);
    await store.log.trim(S_ID, at(10));
    const settings = { max_age: 1, max_length: 0, max_length_bytes: 0 };
    await store.catalog.saveSettings(S_ID, { settings, expected: 1 });

    expect(await store.log.retain(S_ID, 1e9)).toEqual({ first: 10, dropped: 0 });
    expect(await store.maintenance.run(new AbortController().signal)).toMatchObject({ done: 0 });
    const [segment] = await store.log.segments({ streamId: S_ID, from: at(10), limit: 1 });
    expect(segment).toMatchObject({ first: 10, end: 20, state: 'sealed' });
    expect(segment).not.toHaveProperty('lastTimeMs');
    await store.close();
  });

  test('T4 T7: goes by age again as soon as that segment is gone', async () => {
    using folder = temporaryFolder();
    makeFormat1(folder.path, 'DELETE FROM run WHERE base < 10');
    const store = await open(folder.path, 1e9);
    await store.catalog.saveSettings(S_ID, { settings: { max_age: 1 }, expected: 1 });
    const run = () => store.maintenance.run(new AbortController().signal);
    expect(await run()).toMatchObject({ trimmed: [] });
    await store.log.trim(S_ID, at(10));

    expect(await run()).toMatchObject({ trimmed: [S_ID] });
    expect(await store.log.tail(S)).toMatchObject({ first: 20 });
    await store.close();
  });

  test('is as it was when the upgrade fails', () => {
    using folder = temporaryFolder();
    makeFormat1(folder.path, 'CREATE TABLE piece (x)');
    const location = join(folder.path, 'varve.db');

    expect(() => openDatabase(location)).toThrow('piece');
    const database = new DatabaseSync(location);
    expect(pragma(database, 'user_version')).toBe(1);
    expect(columns(database, 'stream').map(({ name }) => name)).toContain('segment_number');
    expect(tables(database)).not.toContain('retention');
    database.close();
  });
});

/** A store with stream `S`, opened from a folder of a format that lacks these tables. */
async function upgradedFrom(format: number, folder: string, missing: readonly string[]) {
  const location = join(folder, 'varve.db');
  const made = await open(folder);
  await made.log.commit([{ stream: S, batch: batchOf('a'), timeMs: 5, createAs: S_ID }]);
  await made.close();
  const database = new DatabaseSync(location);
  for (const table of missing) database.exec(`DROP TABLE ${table}`);
  database.exec(`PRAGMA user_version = ${format}`);
  database.close();

  const upgraded = openDatabase(location);
  const fresh = openDatabase(':memory:');
  expect(tables(upgraded)).toEqual(tables(fresh));
  expect(pragma(upgraded, 'user_version')).toBe(4);
  for (const one of [upgraded, fresh]) one.close();
  return await open(folder);
}

describe('a database of format 2', () => {
  test('C1 M6: gets the tables that a new one has, and keeps what it holds', async () => {
    using folder = temporaryFolder();
    const store = await upgradedFrom(2, folder.path, [
      'held',
      'exchange',
      'binding',
      'routing_record',
      'recorded_value',
      'consumer',
      'consumer_count',
    ]);
    const deduplication = { header: 'h', cache_size: 1, cache_ttl: null };
    await store.catalog.saveSettings(S_ID, { settings: { deduplication }, expected: 1 });
    const batch = batchWith(['b', { h: 1 }], ['b', { h: 1 }]);
    expect(await store.log.commit([{ stream: S, batch, timeMs: 6 }])).toMatchObject([
      { kind: 'stored', start: 1, end: 2, duplicates: 1 },
    ]);
    const change = { kind: 'set', next: at(1), nowMs: 7 } as const;
    expect(await store.consumers.save(S_ID, consumerName('c'), change)).toMatchObject({
      kind: 'stored',
    });
    await store.close();
  });
});

describe('a database of format 3', () => {
  test('X6 L10: gets the tables that a new one has, and keeps what it holds', async () => {
    using folder = temporaryFolder();
    const store = await upgradedFrom(3, folder.path, [
      'held',
      'exchange',
      'binding',
      'routing_record',
    ]);
    const entry = {
      name: exchangeName('e'),
      exchangeId: exchangeIdOf(1),
      settings: settingsOf('fanout'),
      createdMs: 7,
    };
    expect(await store.exchanges.create(entry)).toBe(true);
    expect(await store.exchanges.bind(entry, binding(toStream('s', S_ID)))).toBe('bound');
    const delays = [{ index: 0, id: heldIdOf(9, 1), bytes: 1 }];
    const held = { stream: S, batch: batchOf('b'), timeMs: 6, delays };
    expect(await store.log.commit([held])).toMatchObject([{ kind: 'held' }]);
    expect(await store.timers.count()).toBe(1);
    await store.close();
  });
});
