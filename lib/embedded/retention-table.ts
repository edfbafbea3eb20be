/**
 * The table of retention: when a stream is to be looked at by the clock, so that nobody ever looks at all of
 * them. A row may come too early, which costs a look; never too late.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';

export class RetentionTable {
  readonly #put: StatementSync;
  readonly #add: StatementSync;
  readonly #delete: StatementSync;

  constructor(database: DatabaseSync) {
    this.#put = database.prepare('INSERT OR REPLACE INTO retention VALUES (?, ?)');
    this.#add = database.prepare('INSERT OR IGNORE INTO retention VALUES (?, ?)');
    this.#delete = database.prepare('DELETE FROM retention WHERE stream = ?');
  }

  /** Undefined when no clock makes anything due. */
  set(no: number, dueMs: number | undefined): void {
    if (dueMs === undefined) this.#delete.run(no);
    else this.#put.run(no, dueMs);
  }

  /** Unless it has a row, which comes no later. */
  add(no: number, dueMs: number): void {
    this.#add.run(no, dueMs);
  }
}
