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
import type { RecordClaim } from '../core/routing/routing-record.ts';
import type { HeldId } from '../core/timer/held-id.ts';
import { appendCommand } from '../format/append-command.ts';
import type { Append } from '../ports/log-store.ts';
import { chunksToStore } from './appended-chunks.ts';
import { BoundedCache } from './bounded-cache.ts';
import { heldToStore } from './held-records.ts';
import { HeldRows } from './held-table.ts';
import { PublisherTable } from './publisher-table.ts';
import { RecordedValueTable } from './recorded-value-table.ts';
import { RoutingRecordTable } from './routing-record-table.ts';
import { type PlacedChunk, RunTable } from './run-table.ts';
import type { RetentionMoment, SegmentRetention } from './segment-retention.ts';
import { SegmentTable } from './segment-table.ts';
import { type StoredStream, StreamTable } from './stream-table.ts';
import { transact } from './transaction.ts';

/** Both together take some MiB when full; what is not in memory takes about 10 µs to read. */
const STREAMS_CACHED_MAX = 4_096;
const PUBLISHERS_CACHED_MAX = 16_384;

export interface CommitWriterParts {
  readonly retention: SegmentRetention;
  /** Throws when nothing more may be stored. */
  checkRoom(): void;
  /** Logical bytes from which on a segment is to be packed. */
  readonly packBytesMin: number;
}

export class CommitWriter {
  readonly #database: DatabaseSync;
  readonly #parts: CommitWriterParts;
  readonly #streams: StreamTable;
  readonly #segments: SegmentTable;
  readonly #runs: RunTable;
  readonly #publishers: PublisherTable;
  readonly #values: RecordedValueTable;
  readonly #held: HeldRows;
  readonly #records: RoutingRecordTable;
  readonly #cachedStreams = new BoundedCache<StreamName, StoredStream>(STREAMS_CACHED_MAX);
  readonly #cachedPublishers = new BoundedCache<string, PublisherRecord>(PUBLISHERS_CACHED_MAX);

  constructor(database: DatabaseSync, parts: CommitWriterParts) {
    this.#database = database;
    this.#parts = parts;
    this.#streams = new StreamTable(database);
    this.#segments = new SegmentTable(database);
    this.#runs = new RunTable(database);
    this.#publishers = new PublisherTable(database);
    this.#values = new RecordedValueTable(database);
    this.#held = new HeldRows(database);
    this.#records = new RoutingRecordTable(database);
  }

  /** Outcomes in the order of the appends. A fault in one of them undoes all. */
  commit(appends: readonly Append[]): readonly CommitOutcome[] {
    return this.#change(() => this.#commitAll(appends));
  }

  /**
   * Stores what is due, and forgets that it was held. Undefined when one of them is held no longer: then nothing is
   * changed, since the appends have it.
   */
  release(
    ids: readonly HeldId[],
    appends: readonly Append[],
  ): readonly CommitOutcome[] | undefined {
    return this.#change(() => {
      if (!this.#held.hasAll(ids)) return undefined;
      this.#held.deleteAll(ids);
      return this.#commitAll(appends).map((outcome, index) => {
        const append = appends[index];
        const isJudged = outcome.kind === 'reject' && outcome.code !== 'stream_not_found';
        return append && isJudged ? this.#commitUnjudged(append) : outcome;
      });
    });
  }

  /** They were accepted, so they are delivered: by no rule of what they carry are they refused now. */
  #commitUnjudged(append: Append): CommitOutcome {
    const recordedBefore = Array.from({ length: append.batch.count }, (_, index) => index);
    const [outcome] = this.#commitAll([{ ...append, recordedBefore }]);
    assert(outcome !== undefined, 'an append without an outcome');
    return outcome;
  }

  #change<Result>(work: () => Result): Result {
    this.#parts.checkRoom();
    try {
      return transact(this.#database, work);
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
    const values = before && this.#values.memory(before.no);
    const streamId = before?.state.streamId;
    const isOpen = (claim: RecordClaim) =>
      streamId !== undefined && this.#records.isOpen(claim, streamId);
    const plan = planCommit(
      { state: before?.state, record, isOpen, ...(values && { values }) },
      appends.map(appendCommand),
    );
    const chunks = chunksToStore(appends, plan.outcomes);
    for (const claim of plan.taken) if (streamId) this.#records.take(claim, streamId);
    const held = heldToStore(appends, plan.outcomes);
    if (chunks.length > 0 || plan.changed.size > 0 || held.length > 0) {
      const first = plan.outcomes.findIndex(({ kind }) => kind === 'stored' || kind === 'held');
      const createdMs = appends[first]?.timeMs ?? 0;
      const no = this.#store({ stream, before, plan, chunks, createdMs });
      for (const one of held) this.#held.insert(no, one);
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
    /** Of a stream that comes to be. */
    readonly createdMs: number;
  }): number {
    const { stream, before, plan, chunks, createdMs } = change;
    const { state, changed } = plan;
    assert(state !== undefined, 'messages for a stream that stays missing');
    const no = before?.no ?? this.#streams.insert({ name: stream, createdMs, state });

    const opened = this.#openSegments(no, before, chunks);
    // A publisher that was known by its values alone changes nothing but its record.
    if (chunks.length > 0) this.#runs.append(no, chunks);
    const kept = opened === undefined ? state : this.#parts.retention.apply(no, state, opened);
    this.#streams.save(no, kept);
    this.#cachedStreams.set(stream, { no, name: stream, state: kept });
    this.#values.record(no, plan.recorded, kept.settings);
    for (const [name, record] of changed) {
      this.#publishers.put(no, name, record);
      this.#cachedPublishers.set(`${no} ${name}`, record);
    }
    return no;
  }

  /**
   * The plan's state knows the last segment alone; a commit may open several. Gives the moment at which the last
   * of them opened: what retention drops then, it drops too that would have been dropped at one before.
   */
  #openSegments(
    no: number,
    before: StoredStream | undefined,
    chunks: readonly PlacedChunk[],
  ): RetentionMoment | undefined {
    const { packBytesMin } = this.#parts;
    let active: number | undefined = before?.state.segment?.first;
    let [bytes, timeBeforeMs] = [before?.state.bytes ?? 0, before?.state.timeMs ?? 0];
    let opened: RetentionMoment | undefined;
    for (const { base, timeMs, opensSegment, content } of chunks) {
      if (opensSegment) {
        const segment = { first: base, bytesBefore: bytes, timeBeforeMs, firstTimeMs: timeMs };
        this.#segments.open(no, segment, { active, packBytesMin });
        active = base;
        opened = { next: base + content.count, bytes: bytes + content.bytes, nowMs: timeMs };
      }
      bytes += content.bytes;
      timeBeforeMs = timeMs;
    }
    return opened;
  }

  #evictPublishers(no: number): void {
    for (const name of this.#publishers.evict(no)) this.#cachedPublishers.delete(`${no} ${name}`);
  }
}
