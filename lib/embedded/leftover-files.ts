/**
 * Removes the files that a crash or a failure left: written, but never named by a row, or named by one that is
 * gone. Looks at every folder, one after the other, so it is for the time after one of these alone.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { PieceTable } from './piece-table.ts';
import type { SegmentFile, SegmentFiles } from './segment-files.ts';

export class LeftoverFiles {
  readonly #files: SegmentFiles;
  readonly #pieces: PieceTable;
  readonly #known: StatementSync;

  constructor(database: DatabaseSync, files: SegmentFiles) {
    this.#files = files;
    this.#pieces = new PieceTable(database);
    // The folder of a deleted stream goes with its rows.
    this.#known = database.prepare(
      `SELECT 1 FROM stream WHERE no = :no
       UNION ALL SELECT 1 FROM removal WHERE stream = :no AND kind = 'deleted'`,
    );
  }

  /** Gives how many it removed. Not while a segment is being packed, whose files no row names yet. */
  async remove(signal: AbortSignal): Promise<number> {
    let removed = 0;
    for (const stream of await this.#files.streams()) {
      const files = await this.#files.files(stream);
      for (const file of files) {
        if (signal.aborted) return removed;
        if (!this.#isLeftover(file)) continue;
        await this.#files.removeFile(stream, file);
        removed++;
      }
      if (!signal.aborted && this.#known.get({ no: stream }) === undefined) {
        this.#files.removeStream(stream);
      }
    }
    return removed;
  }

  /** What no Varve wrote stays. */
  #isLeftover(file: SegmentFile): boolean {
    switch (file.kind) {
      case 'new':
        return true;
      case 'piece':
        return !this.#pieces.has(file.piece);
      case 'unknown':
        return false;
    }
  }
}
