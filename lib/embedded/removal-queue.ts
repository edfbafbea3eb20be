/**
 * What is to be removed: the messages of deleted streams, and of segments that lie wholly below first
 * (SPEC T11, T13). Work is noted in the transaction that makes it due, so it survives a restart, and
 * done in bounded steps between which commits run.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { integerOf, type Row } from './row-values.ts';
import { transact } from './transaction.ts';

/** A step holds back the commits that arrive meanwhile: at most some 10 ms of them. */
const STEP_RUNS_MAX = 256;
const STEP_BYTES_MAX = 16 * 1024 * 1024;
const STEP_SEGMENTS_MAX = 1024;

/** Above every offset. */
const ALL = Number.MAX_SAFE_INTEGER;

export class RemovalQueue {
  readonly #database: DatabaseSync;
  readonly #put: StatementSync;
  readonly #next: StatementSync;
  readonly #drop: StatementSync;
  readonly #oldestRuns: StatementSync;
  readonly #deleteRuns: StatementSync;
  readonly #deleteSegments: StatementSync;
  readonly #deleteLastSegment: StatementSync;
  readonly #deletePublishers: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#put = database.prepare('INSERT OR REPLACE INTO removal VALUES (?, ?, ?)');
    this.#next = database.prepare('SELECT * FROM removal LIMIT 1');
    this.#drop = database.prepare('DELETE FROM removal WHERE stream = ?');
    this.#oldestRuns = database.prepare(
      `SELECT base, length(chunks) AS bytes FROM run WHERE stream = ? AND base < ?
       ORDER BY base LIMIT ${STEP_RUNS_MAX}`,
    );
    this.#deleteRuns = database.prepare('DELETE FROM run WHERE stream = ? AND base <= ?');
    // The segment that holds the limit stays: it may be the active one, empty after a purge.
    this.#deleteSegments = database.prepare(
      `DELETE FROM segment WHERE stream = :no AND first IN (SELECT first FROM segment WHERE stream = :no
       AND first < (SELECT max(first) FROM segment WHERE stream = :no AND first <= :below)
       ORDER BY first LIMIT ${STEP_SEGMENTS_MAX})`,
    );
    this.#deleteLastSegment = database.prepare('DELETE FROM segment WHERE stream = ?');
    this.#deletePublishers = database.prepare('DELETE FROM publisher WHERE stream = ?');
  }

  /** Inside the transaction that raises first: all segments that begin below this offset go. */
  addBelow(no: number, below: number): void {
    this.#put.run(no, below, 0);
  }

  /** Inside the transaction that deletes the stream. */
  addWhole(no: number): void {
    this.#put.run(no, ALL, 1);
  }

  /** One bounded piece of work. False when there is none left. */
  step(): boolean {
    return transact(this.#database, () => {
      const due = this.#next.get();
      if (due !== undefined) this.#remove(due);
      return due !== undefined;
    });
  }

  #remove(due: Row): void {
    const no = integerOf(due, 'stream');
    const below = integerOf(due, 'below');
    if (this.#removeRuns(no, below)) return;
    if (this.#deleteSegments.run({ no, below }).changes === STEP_SEGMENTS_MAX) return;

    if (integerOf(due, 'whole') === 1) {
      this.#deleteLastSegment.run(no);
      this.#deletePublishers.run(no);
    }
    this.#drop.run(no);
  }

  /** True when there may be more. */
  #removeRuns(no: number, below: number): boolean {
    let bytes = 0;
    let last: number | undefined;
    for (const run of this.#oldestRuns.all(no, below)) {
      last = integerOf(run, 'base');
      bytes += integerOf(run, 'bytes');
      if (bytes >= STEP_BYTES_MAX) break;
    }
    if (last !== undefined) this.#deleteRuns.run(no, last);
    return last !== undefined;
  }
}
