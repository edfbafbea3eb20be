/**
 * The table of pieces: the files that hold packed segments. The pieces of a segment follow on one another up to
 * its end, from its first message that was not dropped; a row is written when its file is synced, and goes after it.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { integerOf, type Row } from './row-values.ts';

/** Messages [first, end) of the stream with this number. */
export interface PieceRange {
  readonly stream: number;
  readonly first: number;
  readonly end: number;
}

/** The index takes the file's bytes [indexStart, bytes). */
export interface StoredPiece extends PieceRange {
  readonly indexStart: number;
  readonly bytes: number;
}

export class PieceTable {
  readonly #insert: StatementSync;
  readonly #delete: StatementSync;
  readonly #oldest: StatementSync;
  readonly #within: StatementSync;
  readonly #before: StatementSync;
  readonly #holding: StatementSync;
  readonly #get: StatementSync;

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare('INSERT INTO piece VALUES (?, ?, ?, ?, ?)');
    this.#delete = database.prepare('DELETE FROM piece WHERE stream = ? AND first = ?');
    this.#oldest = database.prepare(
      'SELECT * FROM piece WHERE stream = ? AND first < ? ORDER BY first LIMIT 1',
    );
    this.#within = database.prepare(
      'SELECT * FROM piece WHERE stream = ? AND first >= ? AND first < ? ORDER BY first',
    );
    this.#before = database.prepare(
      'SELECT * FROM piece WHERE stream = ? AND first <= ? ORDER BY first DESC LIMIT 1',
    );
    this.#holding = database.prepare(
      `SELECT * FROM piece WHERE stream = (SELECT no FROM stream WHERE id = :streamId AND first <= :at)
       AND first <= :at ORDER BY first DESC LIMIT 1`,
    );
    this.#get = database.prepare('SELECT * FROM piece WHERE stream = ? AND first = ?');
  }

  add({ stream, first, end, indexStart, bytes }: StoredPiece): void {
    this.#insert.run(stream, first, end, indexStart, bytes);
  }

  delete({ stream, first }: PieceRange): void {
    this.#delete.run(stream, first);
  }

  /** The first one that begins below this offset. */
  oldest(stream: number, below: number): StoredPiece | undefined {
    const row = this.#oldest.get(stream, below);
    return row && decodePiece(row);
  }

  /** Those of a segment [first, end). */
  within(stream: number, first: number, end: number): readonly StoredPiece[] {
    return this.#within.all(stream, first, end).map(decodePiece);
  }

  /** The last one that begins at or before this offset. */
  before(stream: number, at: number): StoredPiece | undefined {
    const row = this.#before.get(stream, at);
    return row && decodePiece(row);
  }

  /** The one with this message, if the stream still has it. */
  holding(streamId: string, at: number): StoredPiece | undefined {
    const row = this.#holding.get({ streamId, at });
    const piece = row && decodePiece(row);
    return piece !== undefined && piece.end > at ? piece : undefined;
  }

  has({ stream, first, end }: PieceRange): boolean {
    const row = this.#get.get(stream, first);
    return row !== undefined && integerOf(row, 'end') === end;
  }
}

function decodePiece(row: Row): StoredPiece {
  return {
    stream: integerOf(row, 'stream'),
    first: integerOf(row, 'first'),
    end: integerOf(row, 'end'),
    indexStart: integerOf(row, 'index_start'),
    bytes: integerOf(row, 'bytes'),
  };
}
