/**
 * Audits a folder, also one that a server is running on: the database by SQLite's own check, every stream from
 * its first retained message to its last as readers read it, and the files that no stream refers to. On
 * connections that cannot write.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { offset } from '../core/log/ids.ts';
import { CorruptChunk } from '../format/corrupt-chunk.ts';
import type { Audit, AuditKind, AuditWatcher } from '../ports/audit.ts';
import type { Clock } from '../ports/clock.ts';
import { ChunkReader } from './chunk-reader.ts';
import { openForAudit } from './database.ts';
import { MissingPiece, PieceReader } from './piece-reader.ts';
import { PieceTable, type StoredPiece } from './piece-table.ts';
import { CorruptRow, integerOf, isNull, textOf } from './row-values.ts';
import { type SegmentFile, SegmentFiles } from './segment-files.ts';
import { type StoredStream, StreamTable } from './stream-table.ts';

/** Of a stream at a time: others may want the processor in between. */
const PAGE_BYTES = 4 * 1024 * 1024;
/** Of the list of streams. */
const STREAMS_AT_ONCE = 100;
/** A younger file may belong to a segment that is being packed right now. */
const ORPHAN_AGE_MS = 3_600_000;

export interface FolderAudit {
  readonly audit: Audit;
  close(): void;
}

/** Throws `FolderError` when there is no store to audit. */
export function openFolderAudit(folder: string, clock: Pick<Clock, 'nowMs'>): FolderAudit {
  const database = openForAudit(join(folder, 'varve.db'));
  const files = new SegmentFiles(folder);
  return {
    audit: {
      async run(watcher, signal) {
        checkDatabase(database, watcher);
        const walk = new StreamWalk(database, files, watcher);
        await walk.streams(signal);
        if (!signal.aborted) await auditFiles({ database, files, folder, clock }, watcher);
      },
    },
    close: () => database.close(),
  };
}

/** Whether its pages and indexes belong together: of what is in the rows it knows nothing. */
function checkDatabase(database: DatabaseSync, { found }: AuditWatcher): void {
  for (const row of database.prepare('PRAGMA quick_check(10)').iterate()) {
    const text = textOf(row, 'quick_check');
    if (text !== 'ok') found({ kind: 'corrupt', what: `the database: ${text}` });
  }
}

class StreamWalk {
  readonly #streams: StreamTable;
  readonly #chunks: ChunkReader;
  readonly #watcher: AuditWatcher;
  readonly #pieces: PieceTable;
  readonly #segmentFiles: SegmentFiles;
  readonly #files: PieceReader;
  readonly #next: StatementSync;
  readonly #nextPiece: StatementSync;

  constructor(database: DatabaseSync, files: SegmentFiles, watcher: AuditWatcher) {
    this.#streams = new StreamTable(database);
    this.#chunks = new ChunkReader(database, { files, lost: () => {} });
    this.#watcher = watcher;
    this.#pieces = new PieceTable(database);
    this.#segmentFiles = files;
    this.#files = new PieceReader(files);
    this.#nextPiece = database.prepare(
      'SELECT min(first) AS at FROM piece WHERE stream = :no AND first > :at',
    );
    this.#next = database.prepare(
      `SELECT min(at) AS at FROM (SELECT min(base) AS at FROM run WHERE stream = :no AND base > :at
       UNION ALL SELECT min(first) FROM piece WHERE stream = :no AND first > :at)`,
    );
  }

  async streams(signal: AbortSignal): Promise<void> {
    for (let startAfter = ''; ; ) {
      const page = this.#streams.list({ prefix: '', startAfter, limit: STREAMS_AT_ONCE });
      for (const { name } of page) {
        if (signal.aborted) return;
        const stream = this.#streams.byName(name);
        this.#watcher.looked({ streams: 1 });
        if (stream !== undefined) await this.#stream(stream, signal);
      }
      const last = page.at(-1);
      if (last === undefined) return;
      startAfter = last.name;
    }
  }

  async #stream(stream: StoredStream, signal: AbortSignal): Promise<void> {
    const { first, next } = stream.state;
    for (let at: number = first; at < next && !signal.aborted; ) {
      const end = this.#step(stream, at);
      this.#watcher.looked({ messages: end - at });
      at = end;
      await new Promise(setImmediate);
    }
  }

  /** Gives up to where it looked: files before runs, which may still be there beside them. */
  #step(stream: StoredStream, at: number): number {
    const piece = this.#pieces.holding(stream.state.streamId, at);
    return piece === undefined
      ? this.#runs(stream, at, PAGE_BYTES)
      : this.#piece(stream, piece, at);
  }

  #piece({ name, state }: StoredStream, piece: StoredPiece, at: number): number {
    try {
      this.#checkSize(piece);
      for (let next = at; next < piece.end; ) {
        const block = this.#files.blockAt(piece, next);
        this.#files.chunks(piece, block);
        this.#watcher.looked({ bytes: block.size });
        next = block.end;
      }
      this.#watcher.looked({ objects: 1 });
    } catch (error) {
      if (error instanceof MissingPiece) this.#tell(name, 'dangling', error.message);
      else this.#tellDamage(name, error);
    }
    return Math.min(piece.end, state.next);
  }

  /** Readers go by the index alone, so they would not notice. */
  #checkSize(piece: StoredPiece): void {
    const { size } = statSync(this.#segmentFiles.pathOf(piece), { throwIfNoEntry: false }) ?? {};
    if (size === undefined || size === piece.bytes) return;
    const name = this.#segmentFiles.nameOf(piece);
    throw new CorruptChunk(`file ${name} has ${size} bytes, not ${piece.bytes}`);
  }

  #runs(stream: StoredStream, at: number, bytesMax: number): number {
    const { no, name, state } = stream;
    const { streamId, next } = state;
    const end = offset(Math.min(this.#followingPiece(no, at) ?? next, next));
    try {
      const chunks = this.#chunks.read({ streamId, from: offset(at), end, bytesMax });
      this.#chunks.forget();
      const last = chunks.at(-1);
      this.#watcher.looked({
        objects: chunks.length,
        bytes: chunks.reduce((sum, { records }) => sum + records.length, 0),
      });
      return last === undefined
        ? this.#missing(stream, at)
        : Math.min(last.base + last.count, next);
    } catch (error) {
      // Somewhere in the page: chunk by chunk it shows where, and what is sound.
      if (bytesMax > 0) return this.#runs(stream, at, 0);
      this.#tellDamage(name, error);
      return Math.min(this.#following(no, at) ?? next, next);
    }
  }

  /** Dropped or deleted since it was listed; what is retained must be there. */
  #missing({ no, name, state: { streamId, next } }: StoredStream, at: number): number {
    const now = this.#streams.byId(streamId)?.state;
    if (now === undefined) return next;
    if (now.first > at) return Math.min(now.first, next);
    const end = this.#following(no, at) ?? next;
    this.#tell(name, 'hole', `nothing holds messages [${at}, ${end})`);
    return end;
  }

  #tell(name: string, kind: AuditKind, what: string): void {
    this.#watcher.found({ kind, what: `stream ${JSON.stringify(name)}: ${what}` });
  }

  /** Anything else is no finding. */
  #tellDamage(name: string, error: unknown): void {
    if (!(error instanceof CorruptChunk || error instanceof CorruptRow)) throw error;
    this.#tell(name, 'corrupt', error.message);
  }

  #followingPiece(no: number, at: number): number | undefined {
    const row = this.#nextPiece.get({ no, at });
    return row === undefined || isNull(row, 'at') ? undefined : integerOf(row, 'at');
  }

  #following(no: number, at: number): number | undefined {
    const row = this.#next.get({ no, at });
    return row === undefined || isNull(row, 'at') ? undefined : integerOf(row, 'at');
  }
}

interface AuditedFiles {
  readonly database: DatabaseSync;
  readonly files: SegmentFiles;
  readonly folder: string;
  readonly clock: Pick<Clock, 'nowMs'>;
}

async function auditFiles(
  { database, files, folder, clock }: AuditedFiles,
  { found, looked }: AuditWatcher,
): Promise<void> {
  const pieces = new PieceTable(database);
  const isReferred = (file: SegmentFile) => file.kind === 'piece' && pieces.has(file.piece);
  for (const stream of await files.streams()) {
    for (const file of await files.files(stream)) {
      if (isReferred(file)) {
        looked({ objects: 1 });
        continue;
      }
      const name = join('segments', String(stream), file.name);
      const { mtimeMs } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? {};
      const isOld = mtimeMs !== undefined && mtimeMs < clock.nowMs() - ORPHAN_AGE_MS;
      if (isOld && !isReferred(file)) {
        found({ kind: 'orphan', what: `file ${name}: nothing refers to it` });
      }
    }
  }
}
