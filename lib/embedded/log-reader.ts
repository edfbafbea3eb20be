/**
 * All reads of a store, on a connection of its own: synchronous, on the thread of the caller. What every
 * read of a stream begins with is remembered until somebody says that it changed.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { PublisherName, StreamId, StreamName } from '../core/log/ids.ts';
import type { PublisherRecord } from '../core/log/publisher.ts';
import type { StreamState } from '../core/log/stream-state.ts';
import type { StreamEntry } from '../ports/catalog.ts';
import type { ListQuery, PublisherEntry, StreamUsage } from '../ports/log-store.ts';
import { BoundedCache } from './bounded-cache.ts';
import { PublisherTable } from './publisher-table.ts';
import { RunReader } from './run-reader.ts';
import { SegmentTable } from './segment-table.ts';
import { StreamTable } from './stream-table.ts';

/** Some hundred bytes each. */
const TAILS_CACHED_MAX = 4_096;

export class LogReader {
  readonly runs: RunReader;
  readonly #tails = new BoundedCache<StreamName, StreamState>(TAILS_CACHED_MAX);
  readonly #database: DatabaseSync;
  readonly #streams: StreamTable;
  readonly #segments: SegmentTable;
  readonly #publishers: PublisherTable;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.runs = new RunReader(database);
    this.#streams = new StreamTable(database);
    this.#segments = new SegmentTable(database);
    this.#publishers = new PublisherTable(database);
  }

  tail(stream: StreamName): StreamState | undefined {
    const known = this.#tails.get(stream);
    if (known !== undefined) return known;
    const state = this.#streams.byName(stream)?.state;
    if (state !== undefined) this.#tails.set(stream, state);
    return state;
  }

  /** To be called when a commit to the stream is done, before it is acknowledged (SPEC P8). */
  forgetTail(stream: StreamName): void {
    this.#tails.delete(stream);
  }

  /** The same after any other change, of whatever stream. */
  forget(): void {
    this.#tails.clear();
    this.runs.forget();
  }

  entry(stream: StreamName): StreamEntry | undefined {
    return this.#streams.entry(stream);
  }

  list(query: ListQuery): readonly StreamEntry[] {
    return this.#streams.list(query);
  }

  /** Several rows, so all of them from one snapshot: a sweep may be removing what lies below. */
  usage(streamId: StreamId): StreamUsage {
    this.#database.exec('BEGIN');
    try {
      return this.#usage(streamId);
    } finally {
      this.#database.exec('ROLLBACK');
    }
  }

  #usage(streamId: StreamId): StreamUsage {
    const stored = this.#streams.byId(streamId);
    if (stored === undefined || stored.state.first === stored.state.next) {
      return { segments: 0, bytes: 0 };
    }
    const { first, bytes, segment } = stored.state;
    const oldest = this.#segments.holding(stored.no, first);
    const oldestMs = this.runs.timeAt(streamId, first);
    return {
      segments: (segment?.number ?? 0) - (oldest?.number ?? 0) + 1,
      bytes: bytes - (oldest?.bytesBefore ?? 0),
      ...(oldestMs !== undefined && { oldestMs }),
    };
  }

  publisher(streamId: StreamId, name: PublisherName): PublisherRecord | undefined {
    const stored = this.#streams.byId(streamId);
    return stored && this.#publishers.get(stored.no, name);
  }

  listPublishers(streamId: StreamId, query: ListQuery): readonly PublisherEntry[] {
    const stored = this.#streams.byId(streamId);
    return stored === undefined ? [] : this.#publishers.list(stored.no, query);
  }
}
