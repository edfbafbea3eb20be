/**
 * Makes a segment readable from the files that it was packed into, in one transaction; before that nobody
 * reads them, afterwards nobody needs its runs.
 */
import type { DatabaseSync } from 'node:sqlite';
import { PieceTable, type StoredPiece } from './piece-table.ts';
import type { RemovalQueue } from './removal-queue.ts';
import { SegmentTable } from './segment-table.ts';
import { transact } from './transaction.ts';

/** Its pieces are synced, and follow on one another from its first retained message at the latest. */
export interface PackedSegment {
  readonly stream: number;
  readonly first: number;
  readonly end: number;
  readonly pieces: readonly StoredPiece[];
}

export class PackedSegments {
  readonly #database: DatabaseSync;
  readonly #segments: SegmentTable;
  readonly #pieces: PieceTable;
  readonly #removals: RemovalQueue;

  constructor(database: DatabaseSync, removals: RemovalQueue) {
    this.#database = database;
    this.#segments = new SegmentTable(database);
    this.#pieces = new PieceTable(database);
    this.#removals = removals;
  }

  /** False when the segment was dropped meanwhile, its stream deleted, or it is packed already. */
  save({ stream, first, end, pieces }: PackedSegment): boolean {
    return transact(this.#database, () => {
      if (!this.#segments.isToPack(stream, first, end)) return false;
      for (const piece of pieces) this.#pieces.add(piece);
      this.#segments.setPacked(stream, first);
      this.#removals.addPacked(stream, first, end);
      return true;
    });
  }
}
