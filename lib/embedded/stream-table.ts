/**
 * The table of streams: one row for each incarnation that exists, its hot state and its settings.
 * Lists and look-ups go through the indexes on name and id alone.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { assert } from '../core/assert.ts';
import { offset, type StreamName, streamId } from '../core/log/ids.ts';
import { parseSettings, type StreamSettings } from '../core/log/settings.ts';
import type { StreamState } from '../core/log/stream-state.ts';
import { PLACE_PREFIX } from '../core/timer/held-message.ts';
import type { StreamEntry } from '../ports/catalog.ts';
import type { ListQuery } from '../ports/log-store.ts';
import { keepPrefix, PAGE } from './name-page.ts';
import { CorruptRow, integerOf, isNull, type Row, textOf } from './row-values.ts';
import { storedStreamName } from './stored-name.ts';

/** `no` is what all other tables call the stream. */
export interface StoredStream {
  readonly no: number;
  readonly name: StreamName;
  readonly state: StreamState;
}

export interface NewStream {
  readonly name: StreamName;
  readonly createdMs: number;
  readonly state: StreamState;
}

export class StreamTable {
  readonly #byName: StatementSync;
  readonly #byId: StatementSync;
  readonly #page: StatementSync;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #delete: StatementSync;

  constructor(database: DatabaseSync) {
    this.#byName = database.prepare('SELECT * FROM stream WHERE name = ?');
    this.#byId = database.prepare('SELECT * FROM stream WHERE id = ?');
    // Those of the service are in no list: what exchanges hold is accepted by some.
    this.#page = database.prepare(
      `SELECT * FROM stream WHERE name NOT GLOB '${PLACE_PREFIX}*' AND ${PAGE}`,
    );
    this.#insert = database.prepare(
      `INSERT INTO stream (name, id, created_ms, settings, revision, first, next, last_chunk, time_ms, bytes)
       VALUES (?, ?, ?, ?, ?, 0, 0, 0, 0, 0)`,
    );
    this.#update = database.prepare(
      `UPDATE stream SET settings = ?, revision = ?, first = ?, next = ?, last_chunk = ?, time_ms = ?,
       bytes = ?, segment_first = ?, segment_bytes_before = ?, segment_first_ms = ?, fencing_token = ?
       WHERE no = ?`,
    );
    this.#delete = database.prepare('DELETE FROM stream WHERE no = ?');
  }

  byName(name: StreamName): StoredStream | undefined {
    const row = this.#byName.get(name);
    return row && decodeStream(row);
  }

  byId(id: string): StoredStream | undefined {
    const row = this.#byId.get(id);
    return row && decodeStream(row);
  }

  entry(name: StreamName): StreamEntry | undefined {
    const row = this.#byName.get(name);
    return row && decodeEntry(row);
  }

  list(query: ListQuery): readonly StreamEntry[] {
    const { prefix, startAfter, limit } = query;
    return keepPrefix(this.#page.all({ prefix, startAfter, limit }).map(decodeEntry), prefix);
  }

  /** Inserts a stream without messages and returns its number. */
  insert({ name, createdMs, state }: NewStream): number {
    const { streamId: id, settings, revision } = state;
    const { lastInsertRowid } = this.#insert.run(
      name,
      id,
      createdMs,
      JSON.stringify(settings),
      revision,
    );
    return Number(lastInsertRowid);
  }

  save(no: number, state: StreamState): void {
    const { changes } = this.#update.run(
      JSON.stringify(state.settings),
      state.revision,
      state.first,
      state.next,
      state.lastChunk,
      state.timeMs,
      state.bytes,
      state.segment?.first ?? null,
      state.segment?.bytesBefore ?? null,
      state.segment?.firstTimeMs ?? null,
      state.fencingToken ?? null,
      no,
    );
    assert(changes === 1, () => `stream ${no} is not there to be saved`);
  }

  delete(no: number): void {
    this.#delete.run(no);
  }
}

function decodeStream(row: Row): StoredStream {
  return { no: integerOf(row, 'no'), name: decodeName(row), state: decodeState(row) };
}

function decodeState(row: Row): StreamState {
  return {
    streamId: streamId(textOf(row, 'id')),
    settings: decodeSettings(row),
    revision: integerOf(row, 'revision'),
    first: offset(integerOf(row, 'first')),
    next: offset(integerOf(row, 'next')),
    lastChunk: offset(integerOf(row, 'last_chunk')),
    timeMs: integerOf(row, 'time_ms'),
    bytes: integerOf(row, 'bytes'),
    ...(!isNull(row, 'segment_first') && { segment: decodeSegment(row) }),
    ...(!isNull(row, 'fencing_token') && { fencingToken: textOf(row, 'fencing_token') }),
  };
}

function decodeSegment(row: Row) {
  return {
    first: offset(integerOf(row, 'segment_first')),
    bytesBefore: integerOf(row, 'segment_bytes_before'),
    firstTimeMs: integerOf(row, 'segment_first_ms'),
  };
}

function decodeEntry(row: Row): StreamEntry {
  return {
    name: decodeName(row),
    streamId: streamId(textOf(row, 'id')),
    settings: decodeSettings(row),
    revision: integerOf(row, 'revision'),
    createdMs: integerOf(row, 'created_ms'),
  };
}

function decodeName(row: Row): StreamName {
  return storedStreamName(textOf(row, 'name'));
}

function decodeSettings(row: Row): StreamSettings {
  const parsed = parseSettings(JSON.parse(textOf(row, 'settings')));
  if (parsed.kind === 'reject') throw new CorruptRow(`settings of a stream: ${parsed.reason}`);
  return parsed.settings;
}
