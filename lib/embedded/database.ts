/**
 * Opens the SQLite database of a store: creates its tables or checks that they are Varve's and of a
 * version known here. Synced at every commit; readers on other connections see the last commit.
 */
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../ports/store-error.ts';
import { FolderError } from './folder-error.ts';
import { integerOf } from './row-values.ts';
import { APPLICATION_ID, FORMAT_VERSION, SCHEMA } from './schema.ts';
import { isDamage, toStoreError } from './sqlite-error.ts';
import { upgradeFormat } from './upgrade.ts';

/**
 * Measured with one commit synced at a time: small ones 3 400/s with 4 KiB pages as with 8 and 16, but
 * 17 KiB written for each instead of 29 and 53; 1 MiB ones 160/s, against 170 and 180.
 */
const PAGE_BYTES = 4096;

/** Another program that looks into the database holds a lock for moments only. */
const BUSY_WAIT_MS = 1_000;

/** Of each connection. */
const CACHE_KIB = 16 * 1024;

/** How far the write-ahead log grows before it is moved into the database: 16 MiB. */
const CHECKPOINT_PAGES = (16 * 1024 * 1024) / PAGE_BYTES;

/** What a burst made of the log beyond this is given back to the disk. */
const WAL_BYTES_KEPT = 64 * 1024 * 1024;

/** Throws {@link FolderError} when what is there is no database of this version of Varve. */
export function openDatabase(location: string): DatabaseSync {
  const database = new DatabaseSync(location, { timeout: BUSY_WAIT_MS });
  try {
    prepare(database, location);
    return database;
  } catch (error) {
    database.close();
    throw toFolderError(location, error);
  }
}

function toFolderError(location: string, cause: unknown): unknown {
  if (isDamage(cause)) {
    const message = `${location} is damaged or no database: restore it from a backup`;
    return new FolderError(message, { cause });
  }
  const failure = toStoreError(cause, 'reading');
  if (!(failure instanceof StoreError)) return cause;
  return new FolderError(`${location} cannot be opened: ${failure.message}`, { cause });
}

/** A second connection, which sees what the first one committed. */
export function openReadOnly(location: string): DatabaseSync {
  const database = new DatabaseSync(location, { readOnly: true, timeout: BUSY_WAIT_MS });
  database.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
  return database;
}

/** A store that is there, of a format known here, on a connection that cannot write. */
export function openForAudit(location: string): DatabaseSync {
  if (!existsSync(location))
    throw new FolderError(`${location} is not there: name the folder of a store`);
  let database: DatabaseSync | undefined;
  try {
    database = openReadOnly(location);
    checkFormat(database, location);
    if (pragma(database, 'user_version') === FORMAT_VERSION) return database;
    throw new FolderError(`${location} was made by an older Varve: start the server on it once`);
  } catch (error) {
    database?.close();
    throw toFolderError(location, error);
  }
}

function prepare(database: DatabaseSync, location: string): void {
  const isNew = pragma(database, 'schema_version') === 0;
  // These two take effect before the first page is written, and then for ever.
  if (isNew) database.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA auto_vacuum = INCREMENTAL`);
  else checkFormat(database, location);

  database.exec('PRAGMA journal_mode = WAL');
  database.exec('PRAGMA synchronous = FULL');
  database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  database.exec(`PRAGMA journal_size_limit = ${WAL_BYTES_KEPT}`);
  database.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
  if (isNew) createTables(database);
  else upgradeFormat(database, pragma(database, 'user_version'));
}

function createTables(database: DatabaseSync): void {
  database.exec(`BEGIN IMMEDIATE; ${SCHEMA};
    PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${FORMAT_VERSION}; COMMIT`);
}

function checkFormat(database: DatabaseSync, location: string): void {
  if (pragma(database, 'application_id') !== APPLICATION_ID) {
    throw new FolderError(`${location} is not a Varve database: choose another folder`);
  }
  const version = pragma(database, 'user_version');
  if (version > FORMAT_VERSION) {
    throw new FolderError(
      `${location} was made by a newer Varve (format ${version}); this one knows up to ${FORMAT_VERSION}: update it`,
    );
  }
}

export function pragma(database: DatabaseSync, name: string): number {
  const row = database.prepare(`PRAGMA ${name}`).get();
  return row ? integerOf(row, name) : 0;
}
