/**
 * Reads stored chunks back: from an offset on, row by row, every byte checked; and finds the first
 * message of a time. Sees what was committed when a call begins, and nothing of a stream that is gone.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Offset, offset, type StreamId } from '../core/log/ids.ts';
import { CorruptChunk } from '../format/corrupt-chunk.ts';
import type { ChunkRange, StoredChunk } from '../ports/log-store.ts';
import { BoundedCache } from './bounded-cache.ts';
import { ChunkCache } from './chunk-cache.ts';
import { blobOf, integerOf, type Row } from './row-values.ts';
import { placedRefs, readChunk } from './stored-run.ts';

export interface TimeQuery {
  readonly streamId: StreamId;
  readonly first: Offset;
  readonly next: Offset;
  readonly timeMs: number;
}

/** What a read has collected. */
interface Page {
  readonly range: ChunkRange;
  readonly chunks: StoredChunk[];
  readonly recent: ChunkCache;
  /** Logical bytes at or above `from`. */
  bytes: number;
}

/** Together at most 8 MiB. Larger ones are for the cache of chunks. */
const RANGES_CACHED_MAX = 128;
const RANGE_BYTES_MAX = 64 * 1024;

export class RunReader {
  readonly #from: StatementSync;
  readonly #holding: StatementSync;
  readonly #readable: StatementSync;
  readonly #recent = new ChunkCache();
  readonly #ranges = new BoundedCache<string, readonly StoredChunk[]>(RANGES_CACHED_MAX);

  constructor(database: DatabaseSync) {
    this.#from = database.prepare(
      `WITH of (no) AS (SELECT no FROM stream WHERE id = :streamId AND first <= :from)
       SELECT base, "end", refs, chunks FROM run WHERE stream = (SELECT no FROM of) AND base < :end
       AND base >= (SELECT max(base) FROM run WHERE stream = (SELECT no FROM of) AND base <= :from)
       ORDER BY base`,
    );
    this.#readable = database.prepare('SELECT 1 FROM stream WHERE id = ? AND first <= ?');
    this.#holding = database.prepare(
      `SELECT base, "end", last_ms, refs FROM run
       WHERE stream = (SELECT no FROM stream WHERE id = ?) AND base <= ? ORDER BY base DESC LIMIT 1`,
    );
  }

  /** The very same chunks for the same range: a hundred followers of a stream ask for the same one. */
  read(range: ChunkRange): readonly StoredChunk[] {
    const { streamId, from, end, bytesMax } = range;
    const key = `${streamId} ${from} ${end} ${bytesMax}`;
    const known = this.#ranges.get(key);
    if (known !== undefined) return known;

    const chunks = this.#load(range);
    const size = chunks.reduce((sum, { records }) => sum + records.buffer.byteLength, 0);
    if (chunks.length > 0 && size <= RANGE_BYTES_MAX) this.#ranges.set(key, chunks);
    return chunks;
  }

  /** To be called when something was removed. */
  forget(): void {
    this.#ranges.clear();
  }

  #load(range: ChunkRange): StoredChunk[] {
    const page: Page = { range, chunks: [], bytes: 0, recent: this.#recent };
    const from = this.#addRecent(page);
    if (isFull(page) || from >= range.end) return page.chunks;

    const { streamId, end } = range;
    for (const row of this.#from.iterate({ streamId, from, end })) {
      addRun(page, row);
      if (isFull(page)) break;
    }
    return page.chunks;
  }

  /** Takes what was decoded a moment ago, and returns where to go on. */
  #addRecent(page: Page): number {
    const { streamId, from } = page.range;
    let [next, chunk]: [number, StoredChunk | undefined] = [
      from,
      this.#recent.find(streamId, from),
    ];
    if (chunk === undefined || this.#readable.get(streamId, from) === undefined) return from;
    while (chunk !== undefined && !isFull(page)) {
      addChunk(page, chunk);
      next = chunk.base + chunk.count;
      chunk = next < page.range.end ? this.#recent.find(streamId, next) : undefined;
    }
    return next;
  }

  /** Timestamps never decrease along a stream (SPEC O18), so halving the range finds the run. */
  findTime({ streamId, first, next, timeMs }: TimeQuery): Offset {
    let found: Row | undefined;
    let [low, high]: [number, number] = [first, next];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const run = this.#holding.get(streamId, middle);
      if (run !== undefined && integerOf(run, 'last_ms') >= timeMs) {
        found = run;
        high = integerOf(run, 'base');
      } else {
        low = run === undefined ? middle + 1 : Math.max(middle + 1, integerOf(run, 'end'));
      }
    }
    if (found === undefined) return next;
    const refs = placedRefs(found, nameOf(streamId, found));
    const base = refs.find((ref) => ref.timeMs >= timeMs)?.base ?? next;
    return offset(Math.min(Math.max(base, first), next));
  }

  /** Timestamp of the message at this offset. */
  timeAt(streamId: StreamId, at: Offset): number | undefined {
    const run = this.#holding.get(streamId, at);
    return run && placedRefs(run, nameOf(streamId, run)).find(({ end }) => end > at)?.timeMs;
  }
}

function addRun(page: Page, row: Row): void {
  const { range, chunks } = page;
  const what = nameOf(range.streamId, row);
  const stored = blobOf(row, 'chunks');
  for (const ref of placedRefs(row, what)) {
    const last = chunks.at(-1);
    const expected = last === undefined ? Math.min(ref.base, range.from) : last.base + last.count;
    if (ref.end <= Math.max(range.from, expected)) continue;
    if (ref.base >= range.end || isFull(page)) return;

    if (ref.base !== expected) {
      throw new CorruptChunk(`${what}: messages from ${expected} are missing`);
    }
    const chunk = readChunk(stored, ref, what);
    page.recent.add(range.streamId, chunk);
    addChunk(page, chunk);
  }
}

function addChunk(page: Page, chunk: StoredChunk): void {
  page.chunks.push(chunk);
  page.bytes += bytesAfter(chunk, page.range.from);
}

function isFull({ range, chunks, bytes }: Page): boolean {
  return chunks.length > 0 && bytes >= range.bytesMax;
}

/** Of a chunk that begins before `from`, its share by number: exact sizes would cost a walk over it. */
function bytesAfter({ base, count, bytes }: StoredChunk, from: number): number {
  return base >= from ? bytes : Math.floor((bytes * (base + count - from)) / count);
}

function nameOf(streamId: StreamId, run: Row): string {
  return `stream ${streamId}, run at ${integerOf(run, 'base')}`;
}
