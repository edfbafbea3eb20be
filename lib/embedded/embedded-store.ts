/**
 * The store for one machine: one folder with one SQLite database and the files of packed segments, or a database
 * in memory. Writes go to one writer, inline or in a worker; reads are done by the caller on a connection of
 * their own; what is due later is done by whoever runs its maintenance.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Catalog } from '../ports/catalog.ts';
import type { Clock } from '../ports/clock.ts';
import type { Consumers } from '../ports/consumers.ts';
import type { Exchanges } from '../ports/exchanges.ts';
import type { LogStore } from '../ports/log-store.ts';
import type { Maintenance } from '../ports/maintenance.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { Timers } from '../ports/timers.ts';
import { openDatabase, openReadOnly } from './database.ts';
import { createRoomCheck } from './disk-room.ts';
import { DueSegments } from './due-segments.ts';
import { ExchangeReader } from './exchange-reader.ts';
import { lockFolder } from './folder-lock.ts';
import { HeldTable } from './held-table.ts';
import { HistorySample } from './history-sample.ts';
import { LeftoverFiles } from './leftover-files.ts';
import { LogReader } from './log-reader.ts';
import { createInlinePacker, createThreadPacker, type Packer } from './packer.ts';
import { SegmentFiles } from './segment-files.ts';
import { PIECE_BYTES, SegmentPacker } from './segment-packer.ts';
import { PACK_BYTES_MIN } from './segment-table.ts';
import { createMaintenance, type PackingParts } from './store-maintenance.ts';
import { createStorePorts } from './store-ports.ts';
import { createInlineWriter, type StoreWriter } from './store-writer.ts';
import { startThreadWriter } from './thread-writer.ts';

export interface EmbeddedStore {
  readonly log: LogStore;
  readonly catalog: Catalog;
  readonly consumers: Consumers;
  readonly exchanges: Exchanges;
  readonly timers: Timers;
  readonly maintenance: Maintenance;
  /** Ends what is under way; later calls are refused. */
  close(): Promise<void>;
}

export interface MemoryOptions {
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Hears of work that failed, which is tried again, and of messages that are lost. */
  readonly telemetry?: Telemetry;
}

export interface FolderOptions extends MemoryOptions {
  /** Created when it is missing. One process at a time owns it. */
  readonly folder: string;
  /** Where commits run, and where segments are packed: in threads of their own, or in that of the caller. */
  readonly writer?: 'worker' | 'inline';
  /** For tests, whose segments are small. */
  readonly packing?: PackingOptions;
}

export interface PackingOptions {
  /** Logical bytes from which on a sealed segment is packed. */
  readonly segmentBytesMin?: number;
  /** Encoded bytes that end a piece. */
  readonly pieceBytes?: number;
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
    const packing = openPacking(lock.location, reading, options);
    return assemble({ writer, reading, packing, held }, options);
  } catch (error) {
    await held.disposeAsync();
    throw error;
  }
}

/** Nothing outlives it: for tests and trials. */
export function openMemory(options: MemoryOptions): EmbeddedStore {
  const database = openDatabase(':memory:');
  const held = new AsyncDisposableStack();
  const writer = createInlineWriter(database, {}, reporter(options));
  held.defer(() => writer.close());
  return assemble({ writer, reading: database, packing: undefined, held }, options);
}

async function openWriter(location: string, options: FolderOptions): Promise<StoreWriter> {
  const database = openDatabase(location);
  const packBytesMin = options.packing?.segmentBytesMin ?? PACK_BYTES_MIN;
  const sweepFailed = reporter(options);
  if (options.writer === 'inline') {
    const checkRoom = createRoomCheck(database, options.folder);
    const files = new SegmentFiles(options.folder);
    return createInlineWriter(database, { checkRoom, files, packBytesMin }, sweepFailed);
  }
  // Opened once here, so that a folder that cannot be used is refused before a thread starts.
  database.close();
  return await startThreadWriter({ location, packBytesMin, sweepFailed });
}

function openPacking(
  location: string,
  reading: DatabaseSync,
  { folder, writer, packing }: FolderOptions,
): PackingParts {
  const files = new SegmentFiles(folder);
  const pieceBytes = packing?.pieceBytes ?? PIECE_BYTES;
  const packer: Packer =
    writer === 'inline'
      ? createInlinePacker(new SegmentPacker(reading, { files, pieceBytes }))
      : createThreadPacker({ location, pieceBytes });
  const leftovers = new LeftoverFiles(reading, files);
  const sample = new HistorySample(reading, files);
  return { packer, files, leftovers, sample, checkRoom: createRoomCheck(reading, folder) };
}

function reporter({ telemetry }: MemoryOptions): (error: unknown) => void {
  return (error) => telemetry?.error('sweep_failed', { error });
}

function assemble(
  parts: {
    readonly writer: StoreWriter;
    readonly reading: DatabaseSync;
    readonly packing: PackingParts | undefined;
    readonly held: AsyncDisposableStack;
  },
  { clock, telemetry }: MemoryOptions,
): EmbeddedStore {
  const { writer, reading, packing, held } = parts;
  const lost = (error: Error) => telemetry?.error('messages_lost', { error });
  const reader = new LogReader(reading, packing && { files: packing.files, lost });
  const closing = new AbortController();
  const maintenance = createMaintenance(
    {
      due: new DueSegments(reading),
      writer,
      clock,
      telemetry,
      packing,
      changed: (stream) => {
        reader.forgetTail(stream);
        reader.chunks.forget();
      },
    },
    closing.signal,
  );
  // A run that is under way needs all that is closed after it.
  held.defer(async () => {
    await packing?.packer.close();
    await maintenance.ended();
  });
  return {
    ...createStorePorts({
      reader,
      exchanges: new ExchangeReader(reading),
      held: new HeldTable(reading),
      releaseFailed: (error) => telemetry?.error('release_failed', { error }),
      writer,
      clock,
      closing: closing.signal,
      segmentOpened: () => maintenance.want(),
    }),
    maintenance,
    async close() {
      if (closing.signal.aborted) return;
      closing.abort();
      await held.disposeAsync();
    },
  };
}
