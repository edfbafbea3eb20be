/**
 * Looks at a block of a packed segment that chance picks, now and then beside other upkeep: damage that no
 * reader met is so told before one does.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { CorruptChunk } from '../format/corrupt-chunk.ts';
import { MissingPiece, PieceReader } from './piece-reader.ts';
import { PieceTable, type StoredPiece } from './piece-table.ts';
import { integerOf, isNull } from './row-values.ts';
import type { SegmentFiles } from './segment-files.ts';

export class HistorySample {
  readonly #files: SegmentFiles;
  readonly #pieces: PieceTable;
  readonly #streams: StatementSync;
  readonly #range: StatementSync;
  readonly #chance: StatementSync;

  constructor(database: DatabaseSync, files: SegmentFiles) {
    this.#files = files;
    this.#pieces = new PieceTable(database);
    this.#streams = database.prepare('SELECT max(stream) AS last FROM piece');
    // Of the first stream from there on that has pieces.
    this.#range = database.prepare(
      `SELECT stream, min(first) AS first, max(first) AS last FROM piece
       WHERE stream = (SELECT min(stream) FROM piece WHERE stream >= ?)`,
    );
    this.#chance = database.prepare('SELECT abs(random() % ?) AS number');
  }

  /** What is wrong with what it looked at; undefined when nothing is, or nothing is packed. */
  fault(): Error | undefined {
    const piece = this.#pick();
    if (piece === undefined) return undefined;
    const at = piece.first + this.#below(piece.end - piece.first);
    // Without what readers have in memory: it is the disk that is looked at.
    const reader = new PieceReader(this.#files);
    try {
      reader.chunks(piece, reader.blockAt(piece, at));
      return undefined;
    } catch (error) {
      if (error instanceof MissingPiece) return this.#pieces.has(piece) ? error : undefined;
      if (error instanceof CorruptChunk) return error;
      throw error;
    }
  }

  #pick(): StoredPiece | undefined {
    const last = this.#streams.get();
    if (last === undefined || isNull(last, 'last')) return undefined;
    const range = this.#range.get(this.#below(integerOf(last, 'last')) + 1);
    if (range === undefined || isNull(range, 'first')) return undefined;
    const first = integerOf(range, 'first');
    const at = first + this.#below(integerOf(range, 'last') - first + 1);
    return this.#pieces.before(integerOf(range, 'stream'), at);
  }

  /** A number from 0 to below this one. */
  #below(limit: number): number {
    const row = this.#chance.get(limit);
    return row === undefined ? 0 : integerOf(row, 'number');
  }
}
