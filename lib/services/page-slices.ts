/**
 * Cuts stored chunks to what a reader asked for: from an offset on, up to a number of messages, of
 * logical bytes, and a time (SPEC O4, LR4). A chunk that fits as a whole is passed on untouched.
 */
import { assert } from '../core/assert.ts';
import { type Offset, offset } from '../core/log/ids.ts';
import type { StoredChunk } from '../ports/log-store.ts';
import { recordStart, skipRecord } from '../wire/record.ts';
import { VarintReader } from '../wire/varint.ts';

export interface PageBounds {
  readonly from: Offset;
  /** Exclusive: what was published when the reader looked. */
  readonly end: Offset;
  readonly limit: number;
  readonly bytesMax: number;
  /** Exclusive time. */
  readonly untilMs?: number;
  /** The first message is given although it is above `bytesMax` when it has at most this (SPEC LR4). */
  readonly firstBytesMax: number;
}

export interface Slices {
  readonly chunks: readonly StoredChunk[];
  readonly count: number;
  readonly bytes: number;
  /** Where to go on. */
  readonly next: Offset;
  /**
   * Why nothing more was taken: a bound of the page, or all that the chunks hold was. A filtered page ends by
   * `scan` when so much was looked at that others are to have their turn: there may be more.
   */
  readonly ended: 'limit' | 'bytes' | 'until' | 'chunks' | 'scan';
}

export function takeSlices(chunks: readonly StoredChunk[], bounds: PageBounds): Slices {
  const taken: StoredChunk[] = [];
  let [count, bytes, next] = [0, 0, bounds.from];
  const result = (ended: Slices['ended']) => ({ chunks: taken, count, bytes, next, ended });

  for (const chunk of chunks) {
    if (chunk.timeMs >= (bounds.untilMs ?? Number.POSITIVE_INFINITY)) return result('until');
    const slice = takeSlice(chunk, {
      from: next,
      end: bounds.end,
      countMax: bounds.limit - count,
      bytesMax: bounds.bytesMax - bytes,
      // Not 0: behind a first message above the bound, not even one without bytes is given.
      firstBytesMax: count === 0 ? bounds.firstBytesMax : Number.NEGATIVE_INFINITY,
    });
    if (slice.count > 0) taken.push(slice);
    count += slice.count;
    bytes += slice.bytes;
    next = offset(next + slice.count);
    if (count >= bounds.limit) return result('limit');
    if (next < Math.min(chunk.base + chunk.count, bounds.end)) return result('bytes');
  }
  return result('chunks');
}

interface SliceBounds {
  readonly from: Offset;
  readonly end: Offset;
  readonly countMax: number;
  readonly bytesMax: number;
  readonly firstBytesMax: number;
}

function takeSlice(chunk: StoredChunk, bounds: SliceBounds): StoredChunk {
  const skipped = bounds.from - chunk.base;
  assert(
    skipped >= 0 && skipped < chunk.count,
    () => `${bounds.from} is outside the chunk at ${chunk.base}`,
  );
  const available = Math.min(chunk.base + chunk.count, bounds.end) - bounds.from;
  const isWhole = available === chunk.count;
  if (isWhole && chunk.count <= bounds.countMax && chunk.bytes <= bounds.bytesMax) return chunk;

  return cutChunk(chunk, { skipped, countMax: Math.min(available, bounds.countMax), bounds });
}

function cutChunk(
  chunk: StoredChunk,
  cut: { readonly skipped: number; readonly countMax: number; readonly bounds: SliceBounds },
): StoredChunk {
  const start = recordStart(chunk.records, cut.skipped);
  const reader = new VarintReader(chunk.records, start);
  let [count, bytes, end] = [0, 0, start];
  while (count < cut.countMax) {
    const size = skipRecord(reader);
    const isAllowed = count === 0 && size <= cut.bounds.firstBytesMax;
    if (bytes + size > cut.bounds.bytesMax && !isAllowed) break;
    count++;
    bytes += size;
    end = reader.position;
  }
  // A single message above the bound: the same chunk for everyone it is given to.
  if (count === chunk.count) return chunk;
  return {
    base: offset(chunk.base + cut.skipped),
    timeMs: chunk.timeMs,
    count,
    bytes,
    records: chunk.records.subarray(start, end),
    jsonChecked: chunk.jsonChecked,
  };
}
