/**
 * Gives pages that removals freed back to the disk, in bounded steps. What is free is used again first,
 * so only a lot of it is given back: moving pages costs as much as writing them.
 */
import type { DatabaseSync } from 'node:sqlite';
import { pragma } from './database.ts';
import { transact } from './transaction.ts';

/** 64 MiB: less than what ten segments take. */
const PAGES_KEPT_MIN = 16_384;
const SHARE_KEPT = 1 / 4;
/** 2 MiB, some 10 ms. */
const STEP_PAGES = 512;

/** False when as much is free as may stay so. */
export function giveBackPages(database: DatabaseSync): boolean {
  const kept = Math.max(PAGES_KEPT_MIN, pragma(database, 'page_count') * SHARE_KEPT);
  if (pragma(database, 'freelist_count') <= kept) return false;

  transact(database, () => database.exec(`PRAGMA incremental_vacuum(${STEP_PAGES})`));
  return true;
}
