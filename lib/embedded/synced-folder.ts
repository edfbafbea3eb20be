/** Folders that survive a crash: a new one is synced into its parent, private to this user. */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

const FOLDER_MODE = 0o700;

/**
 * With the folders above it. Not `recursive`, which in Node never returns where the system refuses a folder
 * as not found.
 */
export function createFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  createFolder(parent);
  mkdirSync(folder, { mode: FOLDER_MODE });
  syncFolder(parent);
}

/** Makes the names in it durable. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
