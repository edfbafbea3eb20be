/**
 * Reads stored chunks back from the table of runs: from an offset on, row by row, every byte checked. Sees what
 * was committed when a call begins, and nothing of a stream that is gone.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { StreamId } from '../core/log/ids.ts';
import { ChunkCache } from './chunk-cache.ts';
import type { ChunkPage } from './chunk-page.ts';
import { blobOf, integerOf, type Row } from './row-values.ts';
import { type PlacedRef, placedRefs, readChunk } from './stored-run.ts';

/** What can be known of a run without its chunks. */
export interface RunPlace {
  readonly base: number;
  readonly end: number;
  readonly lastMs: number;
  refs(): readonly PlacedRef[];
}

export class RunReader {
  readonly #from: StatementSync;
  readonly #before: StatementSync;
  readonly #readable: StatementSync;
  readonly #recent = new ChunkCache();

  constructor(database: DatabaseSync) {
    this.#from = database.prepare(
      `WITH of (no) AS (SELECT no FROM stream WHERE id = :streamId AND first <= :from)
       SELECT base, "end", refs, chunks FROM run WHERE stream = (SELECT no FROM of) AND base < :end
       AND base >= (SELECT max(base) FROM run WHERE stream = (SELECT no FROM of) AND base <= :from)
       AND "end" > :from ORDER BY base`,
    );
    this.#readable = database.prepare('SELECT 1 FROM stream WHERE id = ? AND first <= ?');
    this.#before = database.prepare(
      `SELECT base, "end", last_ms, refs FROM run
       WHERE stream = (SELECT no FROM stream WHERE id = ?) AND base <= ? ORDER BY base DESC LIMIT 1`,
    );
  }

  /** True when the stream is there and has not dropped this message. */
  isReadable(streamId: StreamId, at: number): boolean {
    return this.#readable.get(streamId, at) !== undefined;
  }

  /**
   * Adds chunks as long as they follow on what the page has. When there is a later run instead, its name: what
   * lies between was packed, or is missing.
   */
  addTo(page: ChunkPage): string | undefined {
    this.#addRecent(page);
    if (page.isFull()) return undefined;

    const { streamId, end } = page.range;
    for (const row of this.#from.iterate({ streamId, from: page.next, end })) {
      const what = nameOf(streamId, row);
      if (!this.#addRun(page, row, what)) return what;
      if (page.isFull()) return undefined;
    }
    return undefined;
  }

  /** Takes what was decoded a moment ago. */
  #addRecent(page: ChunkPage): void {
    const { streamId } = page.range;
    let chunk = this.#recent.find(streamId, page.next);
    if (chunk === undefined || !this.isReadable(streamId, page.next)) return;
    while (chunk !== undefined && !page.isFull()) {
      page.add(chunk);
      chunk = this.#recent.find(streamId, page.next);
    }
  }

  /** False when the run does not follow on what the page has. */
  #addRun(page: ChunkPage, row: Row, what: string): boolean {
    const { streamId, end } = page.range;
    const stored = blobOf(row, 'chunks');
    for (const ref of placedRefs(row, what)) {
      if (ref.end <= page.next) continue;
      if (ref.base >= end || page.isFull()) return true;
      // Only the first chunk of a page may begin before what was asked for.
      if (page.chunks.length === 0 ? ref.base > page.next : ref.base !== page.next) return false;

      const chunk = readChunk(stored, ref, what);
      this.#recent.add(streamId, chunk);
      page.add(chunk);
    }
    return true;
  }

  /** The last run that begins at or before this offset. */
  before(streamId: StreamId, at: number): RunPlace | undefined {
    const row = this.#before.get(streamId, at);
    return (
      row && {
        base: integerOf(row, 'base'),
        end: integerOf(row, 'end'),
        lastMs: integerOf(row, 'last_ms'),
        refs: () => placedRefs(row, nameOf(streamId, row)),
      }
    );
  }
}

function nameOf(streamId: StreamId, run: Row): string {
  return `stream ${streamId}, run at ${integerOf(run, 'base')}`;
}
