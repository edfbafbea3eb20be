/**
 * The table of stored offsets: one row for each consumer that has one, and how many a stream has, so that
 * nobody counts them. Rows are found by name, and by when they were written last (SPEC C6).
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { StoredOffset } from '../core/consumers/stored-offset.ts';
import { type ConsumerName, offset, parseConsumerName } from '../core/log/ids.ts';
import type { StoredConsumer } from '../ports/consumers.ts';
import type { ListQuery } from '../ports/log-store.ts';
import { keepPrefix, PAGE } from './name-page.ts';
import { CorruptRow, integerOf, type Row, textOf } from './row-values.ts';

/** Removed in one step, for which commits wait: a few ms. */
const STEP_ROWS_MAX = 1_024;

export class ConsumerTable {
  readonly #get: StatementSync;
  readonly #page: StatementSync;

  constructor(database: DatabaseSync) {
    this.#get = database.prepare('SELECT * FROM consumer WHERE stream = ? AND name = ?');
    this.#page = database.prepare(`SELECT * FROM consumer WHERE stream = :no AND ${PAGE}`);
  }

  get(no: number, name: ConsumerName): StoredOffset | undefined {
    const row = this.#get.get(no, name);
    return row && decodeStored(row);
  }

  list(no: number, query: ListQuery): readonly StoredConsumer[] {
    const { prefix, startAfter, limit } = query;
    const entries = this.#page.all({ no, prefix, startAfter, limit }).map((row) => ({
      name: decodeName(row),
      stored: decodeStored(row),
    }));
    return keepPrefix(entries, prefix);
  }
}

/** What changes the table; each call within a transaction of its caller. */
export class ConsumerRows {
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #delete: StatementSync;
  readonly #deleteOldest: StatementSync;
  readonly #deleteSome: StatementSync;
  readonly #count: StatementSync;
  readonly #addCount: StatementSync;
  readonly #dropCount: StatementSync;

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare('INSERT INTO consumer VALUES (?, ?, ?, ?)');
    this.#update = database.prepare(
      'UPDATE consumer SET next = ?, written_ms = ? WHERE stream = ? AND name = ?',
    );
    this.#delete = database.prepare('DELETE FROM consumer WHERE stream = ? AND name = ?');
    this.#deleteOldest = database.prepare(
      `DELETE FROM consumer WHERE stream = :no AND name IN
       (SELECT name FROM consumer WHERE stream = :no ORDER BY written_ms, name LIMIT :some)`,
    );
    this.#deleteSome = database.prepare(
      `DELETE FROM consumer WHERE stream = :no AND name IN
       (SELECT name FROM consumer WHERE stream = :no LIMIT ${STEP_ROWS_MAX})`,
    );
    this.#count = database.prepare('SELECT count FROM consumer_count WHERE stream = ?');
    this.#addCount = database.prepare(
      `INSERT INTO consumer_count VALUES (?, ?)
       ON CONFLICT (stream) DO UPDATE SET count = count + excluded.count`,
    );
    this.#dropCount = database.prepare('DELETE FROM consumer_count WHERE stream = ?');
  }

  insert(no: number, name: ConsumerName, { next, writtenMs }: StoredOffset): void {
    this.#insert.run(no, name, next, writtenMs);
    this.#addCount.run(no, 1);
  }

  update(no: number, name: ConsumerName, { next, writtenMs }: StoredOffset): void {
    this.#update.run(next, writtenMs, no, name);
  }

  /** False when there is none. */
  delete(no: number, name: ConsumerName): boolean {
    const isDeleted = this.#delete.run(no, name).changes > 0;
    if (isDeleted) this.#addCount.run(no, -1);
    return isDeleted;
  }

  /** Those beyond the limit go, as core's `planRemoval` has it, in bounded steps. True when there are more. */
  keepWithin(no: number, limit: number): boolean {
    const row = this.#count.get(no);
    const excess = (row ? integerOf(row, 'count') : 0) - limit;
    if (excess <= 0) return false;
    const some = Math.min(excess, STEP_ROWS_MAX);
    const { changes } = this.#deleteOldest.run({ no, some });
    this.#addCount.run(no, -Number(changes));
    return some < excess;
  }

  /** A bounded step of removing all. True when there may be more. */
  deleteSome(no: number): boolean {
    if (this.#deleteSome.run({ no }).changes === STEP_ROWS_MAX) return true;
    this.#dropCount.run(no);
    return false;
  }
}

function decodeStored(row: Row): StoredOffset {
  return { next: offset(integerOf(row, 'next')), writtenMs: integerOf(row, 'written_ms') };
}

function decodeName(row: Row): ConsumerName {
  const parsed = parseConsumerName(textOf(row, 'name'));
  if (parsed.kind === 'reject') throw new CorruptRow(`consumer name: ${parsed.reason}`);
  return parsed.name;
}
