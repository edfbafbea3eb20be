/** The table of segments: where each began (SPEC T6). Numbers of a stream's segments have no holes. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { integerOf } from './row-values.ts';

export interface StoredSegment {
  readonly first: number;
  readonly number: number;
  /** The stream's logical bytes when the segment opened. */
  readonly bytesBefore: number;
  readonly firstTimeMs: number;
}

export class SegmentTable {
  readonly #insert: StatementSync;
  readonly #holding: StatementSync;

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare('INSERT INTO segment VALUES (?, ?, ?, ?, ?)');
    this.#holding = database.prepare(
      'SELECT * FROM segment WHERE stream = ? AND first <= ? ORDER BY first DESC LIMIT 1',
    );
  }

  open(no: number, { first, number, bytesBefore, firstTimeMs }: StoredSegment): void {
    this.#insert.run(no, first, number, bytesBefore, firstTimeMs);
  }

  /** The segment that holds this offset; the active one for all that is to come. */
  holding(no: number, offset: number): StoredSegment | undefined {
    const row = this.#holding.get(no, offset);
    return (
      row && {
        first: integerOf(row, 'first'),
        number: integerOf(row, 'number'),
        bytesBefore: integerOf(row, 'bytes_before'),
        firstTimeMs: integerOf(row, 'first_ms'),
      }
    );
  }
}
