/**
 * All reads of a store, on a connection of its own: synchronous, on the thread of the caller. What every
 * read of a stream begins with is remembered until somebody says that it changed.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { StoredOffset } from '../core/consumers/stored-offset.ts';
import type { MessageFilter } from '../core/filter/filter.ts';
import type { ConsumerName, PublisherName, StreamId, StreamName } from '../core/log/ids.ts';
import type { PublisherRecord } from '../core/log/publisher.ts';
import type { StreamState } from '../core/log/stream-state.ts';
import type { StreamEntry } from '../ports/catalog.ts';
import type { StoredConsumer } from '../ports/consumers.ts';
import type {
  ChunkRange,
  ListQuery,
  PublisherEntry,
  ScannedChunks,
  SegmentEntry,
  SegmentQuery,
  StoredChunk,
  StreamUsage,
} from '../ports/log-store.ts';
import { LostMessages } from '../ports/store-error.ts';
import { BoundedCache } from './bounded-cache.ts';
import { ChunkReader, type ChunkReaderParts } from './chunk-reader.ts';
import { ConsumerTable } from './consumer-table.ts';
import { PublisherTable } from './publisher-table.ts';
import { SegmentFiles } from './segment-files.ts';
import { SegmentReader } from './segment-reader.ts';
import { type StoredStream, StreamTable } from './stream-table.ts';

/** Some hundred bytes each. */
const TAILS_CACHED_MAX = 4_096;

/** Of a database in memory. */
const NOTHING_PACKED: ChunkReaderParts = { files: new SegmentFiles(''), lost: () => {} };

export class LogReader {
  readonly chunks: ChunkReader;
  readonly #tails = new BoundedCache<StreamName, StreamState>(TAILS_CACHED_MAX);
  readonly #database: DatabaseSync;
  readonly #streams: StreamTable;
  readonly #segments: SegmentReader;
  readonly #publishers: PublisherTable;
  readonly #consumers: ConsumerTable;

  constructor(database: DatabaseSync, parts: ChunkReaderParts = NOTHING_PACKED) {
    this.#database = database;
    this.chunks = new ChunkReader(database, parts);
    this.#streams = new StreamTable(database);
    this.#segments = new SegmentReader(database, parts.files);
    this.#publishers = new PublisherTable(database);
    this.#consumers = new ConsumerTable(database);
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
    this.chunks.forget();
  }

  /**
   * Nothing is there when it was dropped by a commit of which nobody has told yet: then what is remembered is
   * older than the database, and the next look must not be.
   */
  read(range: ChunkRange): readonly StoredChunk[] {
    const chunks = this.chunks.read(range);
    if (chunks.length === 0) this.forget();
    return chunks;
  }

  /** The same of what a filter leaves. */
  scan(range: ChunkRange, filter: MessageFilter): ScannedChunks {
    const scanned = this.chunks.scan(range, filter);
    if (scanned.end === range.from) this.forget();
    return scanned;
  }

  entry(stream: StreamName): StreamEntry | undefined {
    return this.#streams.entry(stream);
  }

  list(query: ListQuery): readonly StreamEntry[] {
    return this.#streams.list(query);
  }

  /** The time of its oldest message is left out when that is lost: all else is there. */
  usage(streamId: StreamId): StreamUsage {
    try {
      return this.chunks.lookAgain(0, () => this.#snapshot(() => this.#usage(streamId)));
    } catch (error) {
      if (!(error instanceof LostMessages)) throw error;
      return this.#snapshot(() => this.#usageOf(this.#streams.byId(streamId)));
    }
  }

  segments({ streamId, from, limit }: SegmentQuery): readonly SegmentEntry[] {
    return this.#snapshot(() => {
      const stored = this.#streams.byId(streamId);
      return stored === undefined ? [] : this.#segments.list(stored, { from, limit });
    });
  }

  /** Several rows, so all of them from one snapshot: a sweep may be removing what lies below. */
  #snapshot<Result>(read: () => Result): Result {
    this.#database.exec('BEGIN');
    try {
      return read();
    } finally {
      this.#database.exec('ROLLBACK');
    }
  }

  #usage(streamId: StreamId): StreamUsage {
    const stored = this.#streams.byId(streamId);
    const usage = this.#usageOf(stored);
    if (stored === undefined || usage.segments === 0) return usage;
    const oldestMs = this.chunks.timeAt(streamId, stored.state.first);
    return { ...usage, ...(oldestMs !== undefined && { oldestMs }) };
  }

  #usageOf(stored: StoredStream | undefined): StreamUsage {
    return stored === undefined ? { segments: 0, bytes: 0 } : this.#segments.usage(stored);
  }

  publisher(streamId: StreamId, name: PublisherName): PublisherRecord | undefined {
    const stored = this.#streams.byId(streamId);
    return stored && this.#publishers.get(stored.no, name);
  }

  listPublishers(streamId: StreamId, query: ListQuery): readonly PublisherEntry[] {
    const stored = this.#streams.byId(streamId);
    return stored === undefined ? [] : this.#publishers.list(stored.no, query);
  }

  consumer(streamId: StreamId, name: ConsumerName): StoredOffset | undefined {
    const stored = this.#streams.byId(streamId);
    return stored && this.#consumers.get(stored.no, name);
  }

  listConsumers(streamId: StreamId, query: ListQuery): readonly StoredConsumer[] {
    const stored = this.#streams.byId(streamId);
    return stored === undefined ? [] : this.#consumers.list(stored.no, query);
  }
}
