/**
 * Makes a folder this process's own: creates it, keeps other users out, and holds a lock that the
 * operating system drops when the process ends, however it ends. Taken before anything else is read.
 */
import { chmodSync, closeSync, openSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FolderError } from './folder-error.ts';
import { isBusy } from './sqlite-error.ts';
import { createFolder } from './synced-folder.ts';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

export interface FolderLock {
  /** The database file, there and private. */
  readonly location: string;
  release(): void;
}

/** Throws {@link FolderError} when the folder cannot be used or another process has it. */
export function lockFolder(folder: string): FolderLock {
  const location = join(folder, 'varve.db');
  const lockFile = join(folder, 'lock');
  try {
    createFolder(resolve(folder));
    chmodSync(folder, FOLDER_MODE);
    for (const file of [lockFile, location]) makePrivate(file);
    const lock = holdLock(lockFile);
    return { location, release: () => lock.close() };
  } catch (error) {
    throw toFolderError(folder, error);
  }
}

/** SQLite gives the files beside a database the mode of the database. */
function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', FILE_MODE));
  chmodSync(file, FILE_MODE);
}

/** SQLite's own lock on an empty file: it works on every system that SQLite works on. */
function holdLock(file: string): DatabaseSync {
  const lock = new DatabaseSync(file);
  try {
    // Nothing is ever written, so no journal is wanted either.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    throw error;
  }
}

function toFolderError(folder: string, cause: unknown): unknown {
  if (isBusy(cause)) {
    return new FolderError(
      `${folder} is in use by another Varve: stop that one or choose another folder`,
      { cause },
    );
  }
  if (!(cause instanceof Error && 'code' in cause)) return cause;
  if (cause.code === 'EEXIST' || cause.code === 'ENOTDIR') {
    return new FolderError(`${folder} is or lies below a file: choose another folder`, { cause });
  }
  return new FolderError(
    `${folder} cannot be written (${cause.code}): make it this user's own or choose another folder`,
    { cause },
  );
}
