/**
 * The store for one machine: one folder with one SQLite database, or one in memory. Writes go to one
 * writer, inline or in a worker; reads are done by the caller on a connection of their own.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Catalog } from '../ports/catalog.ts';
import type { LogStore } from '../ports/log-store.ts';
import { StoreError } from '../ports/store-error.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import { openDatabase, openReadOnly } from './database.ts';
import { createRoomCheck } from './disk-room.ts';
import { lockFolder } from './folder-lock.ts';
import { LogReader } from './log-reader.ts';
import { LogWriter } from './log-writer.ts';
import { toStoreError } from './sqlite-error.ts';
import { createInlineWriter, type StoreWriter } from './store-writer.ts';
import { startThreadWriter } from './thread-writer.ts';

export interface EmbeddedStore {
  readonly log: LogStore;
  readonly catalog: Catalog;
  /** Ends what is under way; later calls are refused. */
  close(): Promise<void>;
}

export interface FolderOptions {
  /** Created when it is missing. One process at a time owns it. */
  readonly folder: string;
  /** Where commits run: in a thread of their own, or in that of the caller. */
  readonly writer?: 'worker' | 'inline';
  /** Hears of removals that failed; they are tried again. */
  readonly telemetry?: Telemetry;
}

/** Throws `FolderError` with one line that says what is wrong and what to do about it. */
export async function openFolder(options: FolderOptions): Promise<EmbeddedStore> {
  const lock = lockFolder(options.folder);
  // Released last to first, also when one of them fails: the lock must never outlive the store.
  const held = new AsyncDisposableStack();
  held.defer(() => lock.release());
  try {
    const writer = await openWriter(lock.location, options);
    held.defer(() => writer.close());
    const reading = openReadOnly(lock.location);
    held.defer(() => reading.close());
    return assemble(writer, reading, () => held.disposeAsync());
  } catch (error) {
    await held.disposeAsync();
    throw error;
  }
}

/** Nothing outlives it: for tests and trials. */
export function openMemory(options: Pick<FolderOptions, 'telemetry'> = {}): EmbeddedStore {
  const database = openDatabase(':memory:');
  const writer = createInlineWriter(database, new LogWriter(database), reporter(options));
  return assemble(writer, database, () => writer.close());
}

async function openWriter(location: string, options: FolderOptions): Promise<StoreWriter> {
  const database = openDatabase(location);
  if (options.writer === 'inline') {
    const log = new LogWriter(database, createRoomCheck(database, options.folder));
    return createInlineWriter(database, log, reporter(options));
  }
  // Opened once here, so that a folder that cannot be used is refused before a thread starts.
  database.close();
  return await startThreadWriter({ location, sweepFailed: reporter(options) });
}

function reporter({ telemetry }: Pick<FolderOptions, 'telemetry'>): (error: unknown) => void {
  return (error) => telemetry?.error('sweep_failed', { error });
}

function assemble(
  writer: StoreWriter,
  reading: DatabaseSync,
  release: () => Promise<void>,
): EmbeddedStore {
  const reader = new LogReader(reading);
  let isClosed = false;
  const read = async <Result>(work: () => Result): Promise<Result> => {
    if (isClosed) throw closed();
    try {
      return work();
    } catch (error) {
      throw toStoreError(error, 'reading');
    }
  };
  const write = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (isClosed) throw closed();
    return work();
  };
  // Whatever became of a change, what was remembered before may be wrong now.
  const change = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await write(work);
    } finally {
      reader.forget();
    }
  };
  return {
    log: {
      async commit(appends) {
        try {
          return await write(() => writer.commit(appends));
        } finally {
          for (const { stream } of appends) reader.forgetTail(stream);
        }
      },
      trim: (streamId, before) => change(() => writer.trim(streamId, before)),
      setFencingToken: (streamId, token) => change(() => writer.setFencingToken(streamId, token)),
      tail: (stream) => read(() => reader.tail(stream)),
      readChunks: (range) => read(() => reader.runs.read(range)),
      findTime: (query) => read(() => reader.runs.findTime(query)),
      usage: (streamId) => read(() => reader.usage(streamId)),
      publisher: (streamId, name) => read(() => reader.publisher(streamId, name)),
      listPublishers: (streamId, query) => read(() => reader.listPublishers(streamId, query)),
    },
    catalog: {
      create: (entry) => change(() => writer.create(entry)),
      saveSettings: (streamId, wanted) => change(() => writer.saveSettings(streamId, wanted)),
      remove: (stream, streamId) => change(() => writer.remove(stream, streamId)),
      load: (stream) => read(() => reader.entry(stream)),
      list: (query) => read(() => reader.list(query)),
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await release();
    },
  };
}

function closed(): StoreError {
  return new StoreError('the store is closed', { kind: 'unavailable', sideEffects: 'none' });
}
