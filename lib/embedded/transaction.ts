/** One durable change: all of it or nothing, with the error that says which of the two is certain. */
import type { DatabaseSync } from 'node:sqlite';
import { toStoreError } from './sqlite-error.ts';

/** Returns what `work` returns once it is synced to disk. What it throws undoes everything. */
export function transact<Result>(database: DatabaseSync, work: () => Result): Result {
  let during: 'writing' | 'committing' = 'writing';
  try {
    undo(database);
    database.exec('BEGIN IMMEDIATE');
    const result = work();
    during = 'committing';
    database.exec('COMMIT');
    return result;
  } catch (error) {
    undoQuietly(database);
    throw toStoreError(error, during);
  }
}

/** Some failures have rolled back already, and SQLite then refuses to do it again. */
function undo(database: DatabaseSync): void {
  if (database.isTransaction) database.exec('ROLLBACK');
}

/** The first failure is the one to tell. If this one keeps the transaction open, the next call ends it. */
function undoQuietly(database: DatabaseSync): void {
  try {
    undo(database);
  } catch {}
}
