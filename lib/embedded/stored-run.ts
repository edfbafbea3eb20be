/** A row of the table of runs, taken apart: its chunks with their offsets, each checked when it is read. */
import { offset } from '../core/log/ids.ts';
import { decodeChunk } from '../format/chunk.ts';
import { CorruptChunk } from '../format/corrupt-chunk.ts';
import { decodeRunRefs } from '../format/run-refs.ts';
import type { StoredChunk } from '../ports/log-store.ts';
import { blobOf, integerOf, type Row } from './row-values.ts';

/** What a run's refs say of one chunk. */
export interface PlacedRef {
  /** Offsets [base, end). */
  readonly base: number;
  readonly end: number;
  readonly timeMs: number;
  /** Where the chunk lies among the run's bytes: [position, position + chunkBytes). */
  readonly position: number;
  readonly chunkBytes: number;
}

/** Needs the columns `base`, `end` and `refs`. Throws when they do not belong together. */
export function placedRefs(row: Row, what: string): PlacedRef[] {
  const { base, refs } = decodeRunRefs(blobOf(row, 'refs'), what);
  const placed: PlacedRef[] = [];
  let [start, position] = [base, 0];
  for (const { count, chunkBytes, timeMs } of refs) {
    placed.push({ base: start, end: start + count, timeMs, position, chunkBytes });
    start += count;
    position += chunkBytes;
  }
  if (base !== integerOf(row, 'base') || start !== integerOf(row, 'end')) {
    throw new CorruptChunk(`${what}: its refs are for [${base}, ${start})`);
  }
  return placed;
}

/** `stored` is the row's column `chunks`. */
export function readChunk(stored: Uint8Array, ref: PlacedRef, what: string): StoredChunk {
  const { base, end, position, timeMs } = ref;
  const name = `${what}, chunk at ${base}`;
  const content = decodeChunk(stored.subarray(position, position + ref.chunkBytes), name);
  if (content.count !== end - base) throw new CorruptChunk(`${name}: ${content.count} messages`);
  return { ...content, base: offset(base), timeMs };
}
