/**
 * Packed segments that were seen, by stream: a page of packed messages then costs no read of the table. They
 * never change again; that one was dropped shows when its object is not there.
 */
import { LRUCache } from 'lru-cache';
import type { StreamId } from '../core/log/ids.ts';
import type { SealedSegment } from './segment-item.ts';

const STREAMS_MAX = 1_000;
/** Of one stream, in a row: some 300 bytes each. */
const SEGMENTS_MAX = 1_000;

export class KnownSegments {
  /** Consecutive ones, the oldest first. */
  readonly #rows = new LRUCache<StreamId, SealedSegment[]>({ max: STREAMS_MAX });

  holding(id: StreamId, offset: number): SealedSegment | undefined {
    const row = this.#rows.get(id) ?? [];
    const segment = row[lastBeginning(row, offset)];
    return segment !== undefined && offset < segment.end ? segment : undefined;
  }

  /** Whether what follows on a known one begins here: then it is as good to ask for several. */
  endsAt(id: StreamId, offset: number): boolean {
    return this.#rows.get(id)?.at(-1)?.end === offset;
  }

  /** Those that follow on what is known are kept with it; others are kept instead. */
  keep(id: StreamId, segment: SealedSegment): void {
    if (segment.packedMs === undefined) return;
    const row = this.#rows.get(id);
    if (row?.at(-1)?.end !== segment.first) {
      this.#rows.set(id, [segment]);
      return;
    }
    row.push(segment);
    if (row.length > SEGMENTS_MAX) row.shift();
  }

  forget(id: StreamId): void {
    this.#rows.delete(id);
  }
}

/** Index of the last one that begins at or before this offset; -1 for none. */
function lastBeginning(row: readonly SealedSegment[], offset: number): number {
  let [low, high] = [0, row.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((row[middle]?.first ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
