/** The writing half of a store, and its simplest form: on the thread of the caller. */
import type { DatabaseSync } from 'node:sqlite';
import type { CommitOutcome } from '../core/log/commit-batch.ts';
import type { ConsumerName, StreamId } from '../core/log/ids.ts';
import type { HeldId } from '../core/timer/held-id.ts';
import type { Catalog } from '../ports/catalog.ts';
import type { Append, LogStore } from '../ports/log-store.ts';
import type { OffsetSave, SaveOutcome } from './consumer-writer.ts';
import type { ExchangeChange, ExchangeOutcome } from './exchange-writer.ts';
import { LogWriter, type LogWriterOptions } from './log-writer.ts';
import type { PackedSegment } from './packed-segment.ts';
import type { Remembered, RememberRequest } from './record-writer.ts';
import type { SettingsChange } from './stream-writer.ts';
import { Sweeper } from './sweeper.ts';

export interface StoreWriter
  extends Pick<LogStore, 'commit' | 'trim' | 'retain' | 'setFencingToken'>,
    Pick<Catalog, 'create' | 'remove'> {
  saveSettings(streamId: StreamId, change: SettingsChange): Promise<boolean>;
  /** Outcomes in the order of the saves; all of them are stored, or none. */
  saveOffsets(saves: readonly OffsetSave[]): Promise<readonly SaveOutcome[]>;
  removeOffset(streamId: StreamId, name: ConsumerName): Promise<boolean>;
  changeExchange(change: ExchangeChange): Promise<ExchangeOutcome>;
  /** Undefined when one of them is held no longer: then nothing is changed. */
  release(
    ids: readonly HeldId[],
    appends: readonly Append[],
  ): Promise<readonly CommitOutcome[] | undefined>;
  cancelHeld(id: HeldId): Promise<boolean>;
  remember(request: RememberRequest): Promise<Remembered>;
  /** False when there is nothing any more that could be read from the pieces: whoever made them removes them. */
  savePacked(segment: PackedSegment): Promise<boolean>;
  /** Ends what is under way and closes the connection. */
  close(): Promise<void>;
}

/** A writer with its sweeper, which begins with what an earlier run has left. */
export function createSweptWriter(
  database: DatabaseSync,
  options: Omit<LogWriterOptions, 'noted'>,
  sweepFailed: (error: unknown) => void,
): { readonly writer: LogWriter; readonly sweeper: Sweeper } {
  const writer = new LogWriter(database, { ...options, noted: () => sweeper.wake() });
  const sweeper = new Sweeper(writer, sweepFailed);
  sweeper.wake();
  return { writer, sweeper };
}

export function createInlineWriter(
  database: DatabaseSync,
  options: Omit<LogWriterOptions, 'noted'>,
  sweepFailed: (error: unknown) => void,
): StoreWriter {
  const { writer, sweeper } = createSweptWriter(database, options, sweepFailed);
  return {
    commit: async (appends) => writer.commit(appends),
    setFencingToken: async (streamId, token) => writer.setFencingToken(streamId, token),
    create: async (entry) => writer.create(entry),
    saveSettings: async (streamId, change) => writer.saveSettings(streamId, change),
    trim: async (streamId, before) => writer.trim(streamId, before),
    retain: async (streamId, nowMs) => writer.retain(streamId, nowMs),
    saveOffsets: async (saves) => writer.saveOffsets(saves),
    removeOffset: async (streamId, name) => writer.removeOffset(streamId, name),
    changeExchange: async (change) => writer.changeExchange(change),
    release: async (ids, appends) => writer.release(ids, appends),
    cancelHeld: async (id) => writer.cancelHeld(id),
    remember: async (request) => writer.remember(request),
    savePacked: async (segment) => writer.savePacked(segment),
    remove: async (stream, streamId) => writer.remove(stream, streamId),
    close: async () => {
      sweeper.stop();
      database.close();
    },
  };
}
