/**
 * Group commit: several appends over several streams in one transaction, decided for each stream by
 * core's `planCommit`. Streams and publishers of recent commits are kept in memory; a commit that
 * fails drops them all, so that the next one is decided by what the database says.
 */
import type { DatabaseSync } from 'node:sqlite';
import { assert } from '../core/assert.ts';
import { type CommitOutcome, type CommitPlan, planCommit } from '../core/log/commit-batch.ts';
import type { PublisherName, StreamName } from '../core/log/ids.ts';
import type { PublisherRecord } from '../core/log/publisher.ts';
import { bytesFrom } from '../format/chunk-content.ts';
import type { Append } from '../ports/log-store.ts';
import { chunksToStore } from './appended-chunks.ts';
import { BoundedCache } from './bounded-cache.ts';
import { PublisherTable } from './publisher-table.ts';
import { type PlacedChunk, RunTable } from './run-table.ts';
import { SegmentTable } from './segment-table.ts';
import { type StoredStream, StreamTable } from './stream-table.ts';
import { transact } from './transaction.ts';

/** Both together take some MiB when full; what is not in memory takes about 10 µs to read. */
const STREAMS_CACHED_MAX = 4_096;
const PUBLISHERS_CACHED_MAX = 16_384;

export class CommitWriter {
  readonly #database: DatabaseSync;
  readonly #checkRoom: () => void;
  readonly #streams: StreamTable;
  readonly #segments: SegmentTable;
  readonly #runs: RunTable;
  readonly #publishers: PublisherTable;
  readonly #cachedStreams = new BoundedCache<StreamName, StoredStream>(STREAMS_CACHED_MAX);
  readonly #cachedPublishers = new BoundedCache<string, PublisherRecord>(PUBLISHERS_CACHED_MAX);

  /** `checkRoom` throws when nothing more may be stored. */
  constructor(database: DatabaseSync, checkRoom: () => void) {
    this.#database = database;
    this.#checkRoom = checkRoom;
    this.#streams = new StreamTable(database);
    this.#segments = new SegmentTable(database);
    this.#runs = new RunTable(database);
    this.#publishers = new PublisherTable(database);
  }

  /** Outcomes in the order of the appends. A fault in one of them undoes all. */
  commit(appends: readonly Append[]): readonly CommitOutcome[] {
    this.#checkRoom();
    try {
      return transact(this.#database, () => this.#commitAll(appends));
    } catch (error) {
      this.#cachedStreams.clear();
      this.#cachedPublishers.clear();
      throw error;
    }
  }

  /** To be called by whoever changes a stream in another way. */
  forget(stream: StreamName): void {
    this.#cachedStreams.delete(stream);
  }

  #commitAll(appends: readonly Append[]): readonly CommitOutcome[] {
    const outcomes: CommitOutcome[] = [];
    const byStream = Map.groupBy(appends.keys(), (index) => appends[index]?.stream);
    for (const indexes of byStream.values()) {
      const ofStream = indexes.flatMap((index) => appends[index] ?? []);
      const planned = this.#commitTo(ofStream);
      indexes.forEach((index, position) => {
        const outcome = planned[position];
        assert(outcome !== undefined, 'an append without an outcome');
        outcomes[index] = outcome;
      });
    }
    return outcomes;
  }

  /** All of these are to one stream. */
  #commitTo(appends: readonly Append[]): readonly CommitOutcome[] {
    const stream = appends[0]?.stream;
    assert(stream !== undefined, 'a commit to a stream without appends');
    const before = this.#cachedStreams.get(stream) ?? this.#streams.byName(stream);
    let hasNewcomers = before === undefined;
    const record = (name: PublisherName) => {
      const known = before && this.#publisher(before.no, name);
      hasNewcomers ||= known === undefined;
      return known;
    };
    const commands = appends.map(({ batch, ...append }) => ({
      ...append,
      count: batch.count,
      bytesFrom: (index: number) => bytesFrom(batch, index),
    }));
    const plan = planCommit({ state: before?.state, record }, commands);
    const chunks = chunksToStore(appends, plan.outcomes);
    if (chunks.length > 0) {
      const no = this.#store({ stream, before, plan, chunks });
      if (hasNewcomers && plan.changed.size > 0) this.#evictPublishers(no);
    }
    return plan.outcomes;
  }

  #publisher(no: number, name: PublisherName): PublisherRecord | undefined {
    return this.#cachedPublishers.get(`${no} ${name}`) ?? this.#publishers.get(no, name);
  }

  #store(change: {
    readonly stream: StreamName;
    readonly before: StoredStream | undefined;
    readonly plan: CommitPlan;
    readonly chunks: readonly PlacedChunk[];
  }): number {
    const { stream, before, plan, chunks } = change;
    const { state, changed } = plan;
    assert(state !== undefined, 'messages for a stream that stays missing');
    const createdMs = chunks[0]?.timeMs ?? 0;
    const no = before?.no ?? this.#streams.insert({ name: stream, createdMs, state });

    this.#openSegments(no, before, chunks);
    this.#runs.append(no, chunks);
    this.#streams.save(no, state);
    this.#cachedStreams.set(stream, { no, name: stream, state });
    for (const [name, record] of changed) {
      this.#publishers.put(no, name, record);
      this.#cachedPublishers.set(`${no} ${name}`, record);
    }
    return no;
  }

  /** The plan's state knows the last segment alone; a commit may open several. */
  #openSegments(
    no: number,
    before: StoredStream | undefined,
    chunks: readonly PlacedChunk[],
  ): void {
    let number = before?.state.segment?.number ?? -1;
    let bytesBefore = before?.state.bytes ?? 0;
    for (const { base, timeMs, opensSegment, content } of chunks) {
      if (opensSegment) {
        number++;
        this.#segments.open(no, { first: base, number, bytesBefore, firstTimeMs: timeMs });
      }
      bytesBefore += content.bytes;
    }
  }

  #evictPublishers(no: number): void {
    for (const name of this.#publishers.evict(no)) this.#cachedPublishers.delete(`${no} ${name}`);
  }
}
