/**
 * Packs a sealed segment into files: reads its runs from the database and writes them as segment objects
 * (format/segment-builder), synced and with their names, that nobody reads yet. Holds a few MiB at a time,
 * however large the segment is. Changes nothing in the database.
 */
import { closeSync, writeSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { CorruptChunk } from '../format/corrupt-chunk.ts';
import { SegmentBuilder, type SegmentChunk } from '../format/segment-builder.ts';
import type { PieceRange, StoredPiece } from './piece-table.ts';
import { blobOf, integerOf, isNull } from './row-values.ts';
import type { SegmentFiles } from './segment-files.ts';
import { type PlacedRef, placedRefs, readChunk } from './stored-run.ts';

/** A piece ends with the chunk that reaches it: what one download of a reader is, and one removal. */
export const PIECE_BYTES = 64 * 1024 * 1024;

/** As stored. As long as a statement runs, the write-ahead log cannot be begun anew. */
const BATCH_BYTES = 4 * 1024 * 1024;

export class SegmentPacker {
  readonly #files: SegmentFiles;
  readonly #pieceBytes: number;
  readonly #runs: StatementSync;
  readonly #start: StatementSync;
  readonly #retained: StatementSync;

  constructor(
    database: DatabaseSync,
    { files, pieceBytes }: { readonly files: SegmentFiles; readonly pieceBytes: number },
  ) {
    this.#files = files;
    this.#pieceBytes = pieceBytes;
    this.#runs = database.prepare(
      `SELECT base, "end", refs, chunks FROM run WHERE stream = ? AND base >= ? AND base < ?
       ORDER BY base`,
    );
    this.#start = database.prepare(
      `SELECT max(base) AS base FROM run WHERE stream = :stream AND base >= :first
       AND base <= max(:first, (SELECT first FROM stream WHERE no = :stream))`,
    );
    this.#retained = database.prepare('SELECT 1 FROM stream WHERE no = ? AND first < ?');
  }

  /**
   * Undefined when the segment was dropped meanwhile; then, as when it throws, it leaves no file. Begins with
   * the run that holds the first retained message: those before it may be removed by now.
   */
  pack(segment: PieceRange): readonly StoredPiece[] | undefined {
    const pieces: StoredPiece[] = [];
    try {
      const start = this.#startOf(segment);
      const chunks = this.#chunksOf({ ...segment, first: start });
      for (let first = start; first < segment.end; ) {
        const piece = this.#writePiece(chunks, { ...segment, first });
        if (piece === undefined) break;
        pieces.push(piece);
        first = piece.end;
      }
      if (pieces.at(-1)?.end === segment.end) {
        this.#files.syncNames(segment.stream);
        return pieces;
      }
    } catch (error) {
      // The folder of a stream that is deleted meanwhile goes while files are written to it.
      if (!this.#isGone(segment)) {
        this.#removeAll(pieces);
        throw error;
      }
    }
    this.#removeAll(pieces);
    return undefined;
  }

  #startOf({ stream, first }: PieceRange): number {
    const row = this.#start.get({ stream, first });
    return row === undefined || isNull(row, 'base') ? first : integerOf(row, 'base');
  }

  #isGone({ stream, end }: PieceRange): boolean {
    return this.#retained.get(stream, end) === undefined;
  }

  #removeAll(pieces: readonly PieceRange[]): void {
    for (const piece of pieces) this.#files.remove(piece);
  }

  /** Undefined when the chunks end before anything was written. */
  #writePiece(chunks: Iterator<SegmentChunk>, range: PieceRange): StoredPiece | undefined {
    const { stream, first } = range;
    const descriptor = this.#files.createNew(range);
    try {
      const builder = new SegmentBuilder(first);
      for (let next = chunks.next(); next.done !== true; next = chunks.next()) {
        writeAll(descriptor, builder.add(next.value));
        if (builder.end === range.end || builder.encodedBytes >= this.#pieceBytes) break;
      }
      if (builder.end === first) return undefined;
      const { rest, indexStart, bytes } = builder.finish();
      writeAll(descriptor, rest);
      const piece = { stream, first, end: builder.end, indexStart, bytes };
      this.#files.finishNew(descriptor, piece);
      return piece;
    } finally {
      closeSync(descriptor);
      this.#files.removeNew(range);
    }
  }

  /** Ends early when the segment was dropped. Decoded one at a time: what takes little room here may become much. */
  *#chunksOf({ stream, first, end }: PieceRange): Generator<SegmentChunk> {
    for (let next = first; next < end; ) {
      const batch = this.#readBatch({ stream, first: next, end });
      if (batch.length === 0) return;
      for (const { stored, ref, what } of batch) {
        yield readChunk(stored, ref, what);
        next = ref.end;
      }
    }
  }

  #readBatch({ stream, first, end }: PieceRange): readonly StoredChunkPlace[] {
    const batch: StoredChunkPlace[] = [];
    let [next, bytes] = [first, 0];
    for (const row of this.#runs.iterate(stream, first, end)) {
      const what = `stream number ${stream}, run at ${row['base']}`;
      const stored = blobOf(row, 'chunks');
      for (const ref of placedRefs(row, what)) {
        if (ref.base !== next) break;
        batch.push({ stored, ref, what });
        next = ref.end;
      }
      bytes += stored.length;
      if (bytes >= BATCH_BYTES) break;
    }
    if (batch.length === 0 && !this.#isGone({ stream, first, end })) {
      throw new CorruptChunk(`stream number ${stream}: messages from ${first} are missing`);
    }
    return batch;
  }
}

interface StoredChunkPlace {
  /** Of the whole run. */
  readonly stored: Uint8Array;
  readonly ref: PlacedRef;
  readonly what: string;
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(descriptor, bytes, done, bytes.length - done);
  }
}
