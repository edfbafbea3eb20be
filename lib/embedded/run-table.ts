/**
 * The table of runs: the stored chunks of all streams (format/run-refs). Read from any offset row by
 * row, so that a reader holds little more than it asked for; written by appends alone, removed from
 * the front alone.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type ChunkContent, encodeChunk } from '../format/chunk.ts';
import { type ChunkRef, encodeRunRefs } from '../format/run-refs.ts';

/**
 * A reader loads a run whole, also for one message in it, and 256 KiB take about 0.1 ms. A chunk that
 * is larger has a run of its own.
 */
const RUN_BYTES_MAX = 256 * 1024;

export interface PlacedChunk {
  readonly base: number;
  readonly timeMs: number;
  readonly opensSegment: boolean;
  readonly content: ChunkContent;
}

interface Run {
  readonly base: number;
  readonly refs: ChunkRef[];
  readonly chunks: Uint8Array[];
  bytes: number;
}

export class RunTable {
  readonly #insert: StatementSync;

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare('INSERT INTO run VALUES (?, ?, ?, ?, ?, ?)');
  }

  /** Stores consecutive chunks in as few runs as the limits of a run allow. */
  append(no: number, chunks: readonly PlacedChunk[]): void {
    for (const run of formRuns(chunks)) this.#store(no, run);
  }

  #store(no: number, { base, refs, chunks }: Run): void {
    const end = refs.reduce((sum, { count }) => sum + count, base);
    const lastMs = refs.at(-1)?.timeMs ?? 0;
    this.#insert.run(no, base, end, lastMs, encodeRunRefs({ base, refs }), joined(chunks));
  }
}

function formRuns(placed: readonly PlacedChunk[]): Run[] {
  const runs: Run[] = [];
  let run: Run | undefined;
  for (const { base, timeMs, opensSegment, content } of placed) {
    const chunk = encodeChunk(content);
    if (run === undefined || opensSegment || run.bytes + chunk.length > RUN_BYTES_MAX) {
      run = { base, refs: [], chunks: [], bytes: 0 };
      runs.push(run);
    }
    run.refs.push({ count: content.count, chunkBytes: chunk.length, timeMs, opensSegment });
    run.chunks.push(chunk);
    run.bytes += chunk.length;
  }
  return runs;
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
}
