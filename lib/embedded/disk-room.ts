/**
 * Refuses appends shortly before the disk is full, so that trims and deletions, which must write a little
 * before they free anything, still find room. Pages that removals freed count as room.
 */
import { statfsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../ports/store-error.ts';
import { pragma } from './database.ts';

const MIB = 1024 * 1024;

/** Room for the write-ahead log to grow and for many trims; on a small disk a twentieth of it. */
const FREE_BYTES_MIN = 64 * MIB;
const FREE_SHARE_MIN = 1 / 20;

/** A check takes about 1 µs. It throws `unavailable` when there is too little room for appends. */
export function createRoomCheck(database: DatabaseSync, folder: string): () => void {
  return () => {
    const { bavail, blocks, bsize } = statfsSync(folder);
    const free = bavail * bsize;
    const wanted = Math.min(FREE_BYTES_MIN, blocks * bsize * FREE_SHARE_MIN);
    if (free >= wanted) return;

    const reusable = pragma(database, 'freelist_count') * pragma(database, 'page_size');
    if (free >= wanted / 2 && reusable >= wanted) return;

    const left = Math.floor(free / MIB);
    throw new StoreError(`the disk is nearly full (${left} MiB left): free some of it`, {
      kind: 'unavailable',
      sideEffects: 'none',
    });
  };
}
