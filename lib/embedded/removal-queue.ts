/**
 * What is to be removed: the messages of deleted streams and of segments that lie wholly below first
 * (SPEC T1, T11, T13), the runs of segments that are packed, and stored offsets beyond a limit (SPEC C6). Work is noted in the transaction that makes it
 * due, so it survives a restart, and done in bounded steps between which commits run.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { ConsumerRows } from './consumer-table.ts';
import { PieceTable } from './piece-table.ts';
import { RecordedValueTable } from './recorded-value-table.ts';
import { RoutingRecordTable } from './routing-record-table.ts';
import { integerOf, type Row, textOf } from './row-values.ts';
import type { SegmentFiles } from './segment-files.ts';
import { transact } from './transaction.ts';

/** A step holds back the commits that arrive meanwhile: at most some 10 ms of them. */
const STEP_RUNS_MAX = 256;
const STEP_BYTES_MAX = 16 * 1024 * 1024;
const STEP_SEGMENTS_MAX = 1024;

/** Above every offset. */
const ALL = Number.MAX_SAFE_INTEGER;

export interface RemovalOptions {
  /** Absent when nothing is ever packed. */
  readonly files?: SegmentFiles;
  /** Hears that there is something to remove, before that is committed. */
  noted?(): void;
}

export class RemovalQueue {
  readonly #database: DatabaseSync;
  readonly #options: RemovalOptions;
  readonly #pieces: PieceTable;
  readonly #consumers: ConsumerRows;
  readonly #put: StatementSync;
  readonly #next: StatementSync;
  readonly #drop: StatementSync;
  readonly #dropAll: StatementSync;
  readonly #oldestRuns: StatementSync;
  readonly #deleteRuns: StatementSync;
  readonly #deleteSegments: StatementSync;
  readonly #deleteLastSegment: StatementSync;
  readonly #deletePublishers: StatementSync;
  readonly #values: RecordedValueTable;
  readonly #records: RoutingRecordTable;

  constructor(database: DatabaseSync, options: RemovalOptions = {}) {
    this.#database = database;
    this.#options = options;
    this.#pieces = new PieceTable(database);
    this.#consumers = new ConsumerRows(database);
    this.#put = database.prepare('INSERT OR REPLACE INTO removal VALUES (?, ?, ?, ?)');
    this.#next = database.prepare('SELECT * FROM removal LIMIT 1');
    this.#drop = database.prepare(
      'DELETE FROM removal WHERE stream = ? AND kind = ? AND first = ?',
    );
    this.#dropAll = database.prepare('DELETE FROM removal WHERE stream = ?');
    this.#oldestRuns = database.prepare(
      `SELECT base, length(chunks) AS bytes FROM run WHERE stream = ? AND base >= ? AND base < ?
       ORDER BY base LIMIT ${STEP_RUNS_MAX}`,
    );
    this.#deleteRuns = database.prepare(
      'DELETE FROM run WHERE stream = ? AND base >= ? AND base <= ?',
    );
    // The segment that holds the limit stays: it may be the active one, empty after a purge.
    this.#deleteSegments = database.prepare(
      `DELETE FROM segment WHERE stream = :no AND first IN (SELECT first FROM segment WHERE stream = :no
       AND first < (SELECT max(first) FROM segment WHERE stream = :no AND first <= :below)
       ORDER BY first LIMIT ${STEP_SEGMENTS_MAX})`,
    );
    this.#deleteLastSegment = database.prepare('DELETE FROM segment WHERE stream = ?');
    this.#values = new RecordedValueTable(database);
    this.#records = new RoutingRecordTable(database);
    this.#deletePublishers = database.prepare('DELETE FROM publisher WHERE stream = ?');
  }

  /** Inside the transaction that raises first: all segments that begin below this offset go. */
  addBelow(no: number, below: number): void {
    this.#note([no, 'dropped', 0, below]);
  }

  /** Inside the transaction that makes pieces of the segment [first, end) readable: its runs go. */
  addPacked(no: number, first: number, end: number): void {
    this.#note([no, 'packed', first, end]);
  }

  /** Inside the transaction that sets the limit: stored offsets beyond it go, unless none is left to go. */
  limitConsumers(no: number, limit: number | undefined): void {
    if (limit === undefined) this.#drop.run(no, 'consumers', 0);
    else this.#note([no, 'consumers', 0, limit]);
  }

  /** Inside the transaction that deletes the stream. */
  addWhole(no: number): void {
    this.#dropAll.run(no);
    this.#note([no, 'deleted', 0, ALL]);
  }

  /** Inside the transaction that deletes the exchange: what it remembered of values goes. */
  addRecords(exchange: number): void {
    // Streams are numbered too, and upwards.
    this.#note([-exchange, 'records', 0, ALL]);
  }

  #note(row: readonly [no: number, kind: string, first: number, below: number]): void {
    this.#put.run(...row);
    this.#options.noted?.();
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
    const kind = textOf(due, 'kind');
    const [no, first] = [integerOf(due, 'stream'), integerOf(due, 'first')];
    if (!this.#removeSome(due, kind)) this.#drop.run(no, kind, first);
  }

  /** True when there may be more. */
  #removeSome(due: Row, kind: string): boolean {
    const [no, below] = [integerOf(due, 'stream'), integerOf(due, 'below')];
    if (kind === 'consumers') return this.#consumers.keepWithin(no, below);
    if (kind === 'records') return this.#records.forgetSome(-no);
    if (this.#removeRuns(no, integerOf(due, 'first'), below)) return true;
    return kind !== 'packed' && this.#removeRest(due);
  }

  /** True when there may be more. */
  #removeRuns(no: number, first: number, below: number): boolean {
    let bytes = 0;
    let last: number | undefined;
    for (const run of this.#oldestRuns.all(no, first, below)) {
      last = integerOf(run, 'base');
      bytes += integerOf(run, 'bytes');
      if (bytes >= STEP_BYTES_MAX) break;
    }
    if (last !== undefined) this.#deleteRuns.run(no, first, last);
    return last !== undefined;
  }

  /** What a dropped segment has beside its runs. True when there may be more. */
  #removeRest(due: Row): boolean {
    const [no, below] = [integerOf(due, 'stream'), integerOf(due, 'below')];
    if (this.#removeOldestPiece(no, below)) return true;
    if (this.#deleteSegments.run({ no, below }).changes === STEP_SEGMENTS_MAX) return true;

    if (textOf(due, 'kind') === 'deleted') {
      if (this.#consumers.deleteSome(no)) return true;
      this.#options.files?.removeStream(no);
      this.#deleteLastSegment.run(no);
      this.#deletePublishers.run(no);
      // Not in one step with the others: there may be a hundred thousand.
      return this.#values.forgetSome(no);
    }
    return false;
  }

  /** The file before its row, which is what remembers it; no reader asks for what lies below first. */
  #removeOldestPiece(no: number, below: number): boolean {
    const piece = this.#pieces.oldest(no, below);
    if (piece === undefined) return false;
    this.#options.files?.remove(piece);
    this.#pieces.delete(piece);
    return true;
  }
}
