/**
 * Where logs are kept: the port that every store implements, and whose meaning is core's
 * (`planCommit` for commits, `applyTrim`, `applyFencingToken`). One contract suite runs on all of them.
 *
 * Acknowledged means durable (SPEC P2): a promise resolves when what it did survives a crash, and what
 * it did is seen by every read that begins afterwards (SPEC P8). A call that fails throws
 * {@link StoreError}, which says whether it may have had an effect.
 */

import type { MessageFilter } from '../core/filter/filter.ts';
import type { AppendCommand } from '../core/log/append.ts';
import type { CommitOutcome } from '../core/log/commit-batch.ts';
import type { Offset, PublisherName, StreamId, StreamName } from '../core/log/ids.ts';
import type { PublisherRecord } from '../core/log/publisher.ts';
import type { StreamState } from '../core/log/stream-state.ts';
import type { ExchangeDestination } from '../core/routing/route.ts';

/** The messages of one publish, as `count` records one after the other (wire/record). */
export interface Batch {
  readonly count: number;
  readonly records: Uint8Array;
  /** Logical bytes of all messages. */
  readonly bytes: number;
  /** True when every body of a JSON content type was parsed: readers embed it without a look. */
  readonly jsonChecked: boolean;
}

export interface Append extends Omit<AppendCommand, 'count' | 'bytesFrom' | 'valuesOf'> {
  readonly stream: StreamName;
  readonly batch: Batch;
  /** The stream's id if it is missing: it is created with default settings by the first append stored. */
  readonly createAs?: StreamId;
  /** Stored in that incarnation only, as if there were no other stream of the name. */
  readonly ifStreamId?: StreamId;
  /** Of an append to an exchange's holding place: what is held goes to the exchange, not to the stream. */
  readonly heldFor?: ExchangeDestination;
}

/** A whole chunk, however few of its messages a reader asked for. */
export interface StoredChunk extends Batch {
  /** Offset of the first message; [base, base + count). */
  readonly base: Offset;
  readonly timeMs: number;
}

export interface ChunkRange {
  readonly streamId: StreamId;
  /** The first chunk is the one that holds `from`; chunks at or above `end` are left out. */
  readonly from: Offset;
  readonly end: Offset;
  /** Enough when at least this many logical bytes lie at or after `from`; at least one chunk is given. */
  readonly bytesMax: number;
}

/** Whole chunks, those left out that are known to hold nothing wanted (SPEC F7). */
export interface ScannedChunks {
  /** In their order. */
  readonly chunks: readonly StoredChunk[];
  /** Everything in [from, end) that is not in the chunks holds no match. */
  readonly end: Offset;
}

export interface PublisherEntry {
  readonly name: PublisherName;
  readonly record: PublisherRecord;
}

/** A page of a list sorted by UTF-8 bytes: names above `startAfter` that begin with `prefix`. */
export interface ListQuery {
  readonly prefix: string;
  readonly startAfter: string;
  readonly limit: number;
}

/** What the retained part of a stream takes up, counted in whole segments. */
export interface StreamUsage {
  readonly segments: number;
  /** Logical bytes of the segments that hold a retained message; 0 when none is retained. */
  readonly bytes: number;
  /** Timestamp of the first retained message. */
  readonly oldestMs?: number;
  /** The first of these segments: what retention would drop next. */
  readonly oldest?: SegmentEntry;
}

/** A segment that holds a retained message. What a store does not know of it is left out (SPEC T7). */
export interface SegmentEntry {
  /** Its messages have offsets [first, end); those below the stream's first are dropped already. */
  readonly first: Offset;
  readonly end: Offset;
  /** Only the last one is active; a packed one is read from objects of its own. */
  readonly state: 'active' | 'sealed' | 'packed';
  /** Logical bytes of its messages, and of all of the stream from its beginning to the end of this segment. */
  readonly bytes?: number;
  readonly bytesThrough?: number;
  /** Timestamp of its last message. */
  readonly lastTimeMs?: number;
  /** Of a packed one, in their order. */
  readonly objects: readonly SegmentObject[];
}

export interface SegmentObject {
  /** Its messages have offsets [start, end). */
  readonly start: Offset;
  readonly end: Offset;
  readonly name: string;
  /** As stored. */
  readonly bytes: number;
}

/** Segments that hold a message at or above `from`. */
export interface SegmentQuery {
  readonly streamId: StreamId;
  readonly from: Offset;
  readonly limit: number;
}

/** What was dropped: the messages from the former first to this one. */
export interface Retained {
  readonly first: Offset;
  readonly dropped: number;
}

export interface LogStore {
  /** Outcomes in the order of the appends; appends to one stream take effect in that order. */
  commit(appends: readonly Append[]): Promise<readonly CommitOutcome[]>;

  /** The state that the latest commit left, or undefined when there is no such stream. */
  tail(stream: StreamName): Promise<StreamState | undefined>;

  /**
   * Empty when `from` lies below what the store still has, or the stream is gone (SPEC O16). It may go by
   * what {@link tail} of this store gave last, so a reader asks for that first. Ends before messages that
   * are lost; one that begins with them throws LostMessages.
   */
  readChunks(range: ChunkRange): Promise<readonly StoredChunk[]>;

  /**
   * As {@link readChunks}, but leaves out what is known to hold no message that the filter matches. May look at
   * less than was asked for, and give no chunk at all; `end` is `from` when it looked at nothing.
   */
  scanChunks(range: ChunkRange, filter: MessageFilter): Promise<ScannedChunks>;

  /** The first message at or above `first` whose timestamp is ≥ `timeMs`, or `next` (SPEC O8). */
  findTime(query: {
    readonly streamId: StreamId;
    readonly first: Offset;
    readonly next: Offset;
    readonly timeMs: number;
  }): Promise<Offset>;

  usage(streamId: StreamId): Promise<StreamUsage>;

  /** In their order; none when the stream is gone. */
  segments(query: SegmentQuery): Promise<readonly SegmentEntry[]>;

  /** Undefined when the stream is gone or never heard of the publisher. */
  publisher(streamId: StreamId, name: PublisherName): Promise<PublisherRecord | undefined>;
  listPublishers(streamId: StreamId, query: ListQuery): Promise<readonly PublisherEntry[]>;

  /**
   * Raises `first` to `before`, or to next when `before` is 'next' (SPEC T11, T12). Undefined when the
   * stream is gone; `beyond` with next when `before` is above it, and nothing is changed.
   */
  trim(streamId: StreamId, before: Offset | 'next'): Promise<TrimOutcome | undefined>;

  /**
   * Drops what the settings in force keep no longer at this time (SPEC T1-T8, core's `planRetention`). A commit
   * that opens a segment does so by itself, before it is acknowledged. Undefined when the stream is gone.
   */
  retain(streamId: StreamId, nowMs: number): Promise<Retained | undefined>;

  /** False when the stream is gone. The very next commit is judged by the new token (SPEC P5). */
  setFencingToken(streamId: StreamId, token: string | undefined): Promise<boolean>;
}

export type TrimOutcome =
  | { readonly kind: 'trimmed'; readonly first: Offset; readonly dropped: number }
  | { readonly kind: 'beyond'; readonly next: Offset };
