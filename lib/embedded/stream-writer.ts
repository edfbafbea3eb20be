/**
 * Changes of streams other than appends: creation, settings, token, trim, retention and deletion, each one
 * transaction. Whoever calls makes the commit writer forget the stream afterwards.
 */
import type { DatabaseSync } from 'node:sqlite';
import { type Offset, offset, type StreamId, type StreamName } from '../core/log/ids.ts';
import { effectiveSettings, type StreamSettings } from '../core/log/settings.ts';
import {
  applyFencingToken,
  applyTrim,
  newStreamState,
  type StreamState,
} from '../core/log/stream-state.ts';
import type { StreamEntry } from '../ports/catalog.ts';
import type { Retained, TrimOutcome } from '../ports/log-store.ts';
import { ConsumerRows } from './consumer-table.ts';
import type { RemovalQueue } from './removal-queue.ts';
import { RetentionTable } from './retention-table.ts';
import type { SegmentRetention } from './segment-retention.ts';
import { SegmentTable } from './segment-table.ts';
import { type StoredStream, StreamTable } from './stream-table.ts';
import { transact } from './transaction.ts';

export interface SettingsChange {
  readonly settings: StreamSettings;
  readonly expected: number;
  readonly nowMs: number;
}

export interface StreamWriterParts {
  readonly removals: RemovalQueue;
  readonly retention: SegmentRetention;
  /** Hears of every stream whose state another writer may remember. */
  changed(stream: StreamName): void;
  /** Hears of a stream that is deleted, within the transaction. */
  removed(no: number): void;
}

export class StreamWriter {
  readonly #database: DatabaseSync;
  readonly #streams: StreamTable;
  readonly #segments: SegmentTable;
  readonly #due: RetentionTable;
  readonly #consumers: ConsumerRows;
  readonly #parts: StreamWriterParts;

  constructor(database: DatabaseSync, parts: StreamWriterParts) {
    this.#database = database;
    this.#streams = new StreamTable(database);
    this.#segments = new SegmentTable(database);
    this.#due = new RetentionTable(database);
    this.#consumers = new ConsumerRows(database);
    this.#parts = parts;
  }

  /** False when the name is taken. */
  create(entry: Omit<StreamEntry, 'revision'>): boolean {
    return transact(this.#database, () => {
      if (this.#streams.byName(entry.name) !== undefined) return false;
      const state = newStreamState(entry.streamId, entry.settings);
      this.#streams.insert({ name: entry.name, createdMs: entry.createdMs, state });
      return true;
    });
  }

  /**
   * False when the stream is gone or has another revision. What the new settings drop is due at once: whoever
   * asked for the change may not live to ask for that.
   */
  saveSettings(streamId: StreamId, { settings, expected, nowMs }: SettingsChange): boolean {
    return this.#change(streamId, ({ no, state }) => {
      if (state.revision !== expected) return undefined;
      if (hasSealed(state)) this.#due.set(no, nowMs);
      const { consumer_limit: limit } = effectiveSettings(settings);
      const hasMore = this.#consumers.keepWithin(no, limit);
      this.#parts.removals.limitConsumers(no, hasMore ? limit : undefined);
      return { ...state, settings, revision: expected + 1 };
    });
  }

  /** False when the stream is gone. */
  setFencingToken(streamId: StreamId, token: string | undefined): boolean {
    return this.#change(streamId, ({ state }) => applyFencingToken(state, token));
  }

  trim(streamId: StreamId, before: Offset | 'next'): TrimOutcome | undefined {
    let outcome: TrimOutcome | undefined;
    this.#change(streamId, ({ no, state }) => {
      const target = before === 'next' ? state.next : before;
      if (target > state.next) {
        outcome = { kind: 'beyond', next: state.next };
        return undefined;
      }
      const trimmed = applyTrim(state, target);
      const { first } = trimmed;
      outcome = { kind: 'trimmed', first, dropped: first - state.first };
      if (first > state.first) this.#noteTrimmed(no, trimmed);
      return trimmed;
    });
    return outcome;
  }

  /** By the settings in force, for the stream as it is. Undefined when it is gone. */
  retain(streamId: StreamId, nowMs: number): Retained | undefined {
    let outcome: Retained | undefined;
    this.#change(streamId, ({ no, state }) => {
      const { next, bytes } = state;
      const kept = this.#parts.retention.apply(no, state, { next, bytes, nowMs });
      outcome = { first: kept.first, dropped: kept.first - state.first };
      return kept;
    });
    return outcome;
  }

  /** False when that incarnation is gone already. */
  remove(stream: StreamName, streamId: StreamId): boolean {
    return transact(this.#database, () => this.removeIn({ name: stream, id: streamId }));
  }

  /** The same within a transaction of the caller. */
  removeIn({ name, id }: { readonly name: StreamName; readonly id: StreamId }): boolean {
    const stored = this.#streams.byId(id);
    if (stored === undefined || stored.name !== name) return false;
    this.#parts.changed(name);
    this.#parts.removals.addWhole(stored.no);
    this.#due.set(stored.no, undefined);
    this.#parts.removed(stored.no);
    this.#streams.delete(stored.no);
    return true;
  }

  /** What is the oldest now may have an age, unlike the one before, if that was not known. */
  #noteTrimmed(no: number, state: StreamState): void {
    this.#parts.removals.addBelow(no, this.#removable(no, state));
    if (hasSealed(state) && state.settings.max_age !== undefined) this.#due.add(no, state.timeMs);
  }

  /** Segments are kept or dropped whole; with nothing retained, the active one is emptied too. */
  #removable(no: number, { first, next }: StreamState): Offset {
    return first === next ? next : offset(this.#segments.holding(no, first)?.first ?? 0);
  }

  /** True when the stream is there and `next` gave a state to save. */
  #change(streamId: StreamId, next: (stored: StoredStream) => StreamState | undefined): boolean {
    return transact(this.#database, () => {
      const stored = this.#streams.byId(streamId);
      const state = stored && next(stored);
      if (stored === undefined || state === undefined) return false;
      this.#parts.changed(stored.name);
      if (state !== stored.state) this.#streams.save(stored.no, state);
      return true;
    });
  }
}

/** True when a sealed segment holds a retained message. */
function hasSealed({ first, segment }: StreamState): boolean {
  return segment !== undefined && first < segment.first;
}
