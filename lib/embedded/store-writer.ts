/** The writing half of a store, and its simplest form: on the thread of the caller. */
import type { DatabaseSync } from 'node:sqlite';
import type { Catalog } from '../ports/catalog.ts';
import type { LogStore } from '../ports/log-store.ts';
import type { LogWriter } from './log-writer.ts';
import { Sweeper } from './sweeper.ts';

export interface StoreWriter
  extends Pick<LogStore, 'commit' | 'trim' | 'setFencingToken'>,
    Pick<Catalog, 'create' | 'saveSettings' | 'remove'> {
  /** Ends what is under way and closes the connection. */
  close(): Promise<void>;
}

export function createInlineWriter(
  database: DatabaseSync,
  writer: LogWriter,
  sweepFailed: (error: unknown) => void,
): StoreWriter {
  const sweeper = new Sweeper(writer, sweepFailed);
  sweeper.wake();
  return {
    commit: async (appends) => writer.commit(appends),
    setFencingToken: async (streamId, token) => writer.setFencingToken(streamId, token),
    create: async (entry) => writer.create(entry),
    saveSettings: async (streamId, change) => writer.saveSettings(streamId, change),
    trim: async (streamId, before) => {
      const outcome = writer.trim(streamId, before);
      sweeper.wake();
      return outcome;
    },
    remove: async (stream, streamId) => {
      const isRemoved = writer.remove(stream, streamId);
      sweeper.wake();
      return isRemoved;
    },
    close: async () => {
      sweeper.stop();
      database.close();
    },
  };
}
