/**
 * Changes of streams other than appends: creation, settings, token, trim and deletion, each one
 * transaction. Whoever calls makes the commit writer forget the stream afterwards.
 */
import type { DatabaseSync } from 'node:sqlite';
import { type Offset, offset, type StreamId, type StreamName } from '../core/log/ids.ts';
import type { StreamSettings } from '../core/log/settings.ts';
import {
  applyFencingToken,
  applyTrim,
  newStreamState,
  type StreamState,
} from '../core/log/stream-state.ts';
import type { StreamEntry } from '../ports/catalog.ts';
import type { TrimOutcome } from '../ports/log-store.ts';
import type { RemovalQueue } from './removal-queue.ts';
import { SegmentTable } from './segment-table.ts';
import { type StoredStream, StreamTable } from './stream-table.ts';
import { transact } from './transaction.ts';

export class StreamWriter {
  readonly #database: DatabaseSync;
  readonly #streams: StreamTable;
  readonly #segments: SegmentTable;
  readonly #removals: RemovalQueue;
  readonly #changed: (stream: StreamName) => void;

  /** `changed` hears of every stream whose state another writer may remember. */
  constructor(
    database: DatabaseSync,
    removals: RemovalQueue,
    changed: (stream: StreamName) => void,
  ) {
    this.#database = database;
    this.#streams = new StreamTable(database);
    this.#segments = new SegmentTable(database);
    this.#removals = removals;
    this.#changed = changed;
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

  /** False when the stream is gone or has another revision. */
  saveSettings(streamId: StreamId, settings: StreamSettings, expected: number): boolean {
    return this.#change(streamId, ({ state }) =>
      state.revision === expected ? { ...state, settings, revision: expected + 1 } : undefined,
    );
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
      if (first > state.first) this.#removals.addBelow(no, this.#removable(no, trimmed));
      return trimmed;
    });
    return outcome;
  }

  /** False when that incarnation is gone already. */
  remove(stream: StreamName, streamId: StreamId): boolean {
    return transact(this.#database, () => {
      const stored = this.#streams.byId(streamId);
      if (stored === undefined || stored.name !== stream) return false;
      this.#changed(stream);
      this.#removals.addWhole(stored.no);
      this.#streams.delete(stored.no);
      return true;
    });
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
      this.#changed(stored.name);
      if (state !== stored.state) this.#streams.save(stored.no, state);
      return true;
    });
  }
}
