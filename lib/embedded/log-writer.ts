/**
 * Everything that changes a store, on one connection: synchronous, each call one transaction that is
 * synced to disk when it returns. Runs on the thread of its caller or in a worker; knows neither.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { CommitOutcome } from '../core/log/commit-batch.ts';
import type { ConsumerName, Offset, StreamId, StreamName } from '../core/log/ids.ts';
import type { HeldId } from '../core/timer/held-id.ts';
import type { StreamEntry } from '../ports/catalog.ts';
import type { Append, Retained, TrimOutcome } from '../ports/log-store.ts';
import { CommitWriter } from './commit-writer.ts';
import { ConsumerWriter, type OffsetSave, type SaveOutcome } from './consumer-writer.ts';
import { type ExchangeChange, type ExchangeOutcome, ExchangeWriter } from './exchange-writer.ts';
import { giveBackPages } from './free-pages.ts';
import { HeldRows } from './held-table.ts';
import { type PackedSegment, PackedSegments } from './packed-segment.ts';
import { RecordWriter, type Remembered, type RememberRequest } from './record-writer.ts';
import { type RemovalOptions, RemovalQueue } from './removal-queue.ts';
import { SegmentRetention } from './segment-retention.ts';
import { type SettingsChange, StreamWriter } from './stream-writer.ts';
import { transact } from './transaction.ts';

export interface LogWriterOptions extends RemovalOptions {
  /** Throws when appends are to be refused; removals go on. */
  checkRoom?(): void;
  /** Logical bytes from which on a sealed segment is to be packed; none is when it is left out. */
  readonly packBytesMin?: number;
}

export class LogWriter {
  readonly #database: DatabaseSync;
  readonly #commits: CommitWriter;
  readonly #streams: StreamWriter;
  readonly #packed: PackedSegments;
  readonly #removals: RemovalQueue;
  readonly #consumers: ConsumerWriter;
  readonly #exchanges: ExchangeWriter;
  readonly #held: HeldRows;
  readonly #records: RecordWriter;

  constructor(database: DatabaseSync, options: LogWriterOptions = {}) {
    const { checkRoom = () => {}, packBytesMin = Number.MAX_SAFE_INTEGER } = options;
    const removals = new RemovalQueue(database, options);
    const retention = new SegmentRetention(database, removals);
    const commits = new CommitWriter(database, { retention, checkRoom, packBytesMin });
    this.#database = database;
    this.#commits = commits;
    this.#removals = removals;
    this.#consumers = new ConsumerWriter(database);
    this.#records = new RecordWriter(database);
    this.#packed = new PackedSegments(database, removals);
    const changed = (stream: StreamName) => commits.forget(stream);
    this.#streams = new StreamWriter(database, {
      removals,
      retention,
      changed,
      removed: (no) => this.#exchanges.streamRemoved(no),
    });
    this.#exchanges = new ExchangeWriter(database, {
      removals,
      removeStream: (place) => this.#streams.removeIn(place),
    });
    this.#held = new HeldRows(database);
  }

  commit(appends: readonly Append[]): readonly CommitOutcome[] {
    return this.#commits.commit(appends);
  }

  release(
    ids: readonly HeldId[],
    appends: readonly Append[],
  ): readonly CommitOutcome[] | undefined {
    return this.#commits.release(ids, appends);
  }

  cancelHeld(id: HeldId): boolean {
    return transact(this.#database, () => this.#held.cancel(id));
  }

  create(entry: Omit<StreamEntry, 'revision'>): boolean {
    return this.#streams.create(entry);
  }

  saveSettings(streamId: StreamId, change: SettingsChange): boolean {
    return this.#streams.saveSettings(streamId, change);
  }

  setFencingToken(streamId: StreamId, token: string | undefined): boolean {
    return this.#streams.setFencingToken(streamId, token);
  }

  trim(streamId: StreamId, before: Offset | 'next'): TrimOutcome | undefined {
    return this.#streams.trim(streamId, before);
  }

  retain(streamId: StreamId, nowMs: number): Retained | undefined {
    return this.#streams.retain(streamId, nowMs);
  }

  savePacked(segment: PackedSegment): boolean {
    return this.#packed.save(segment);
  }

  saveOffsets(saves: readonly OffsetSave[]): readonly SaveOutcome[] {
    return this.#consumers.save(saves);
  }

  removeOffset(streamId: StreamId, name: ConsumerName): boolean {
    return this.#consumers.remove(streamId, name);
  }

  changeExchange(change: ExchangeChange): ExchangeOutcome {
    return this.#exchanges.apply(change);
  }

  remember(request: RememberRequest): Remembered {
    return this.#records.remember(request);
  }

  remove(stream: StreamName, streamId: StreamId): boolean {
    return this.#streams.remove(stream, streamId);
  }

  /** One bounded step of removing what was dropped, packed or deleted. False when nothing is left to do. */
  sweep(): boolean {
    return this.#removals.step() || giveBackPages(this.#database);
  }
}
