/**
 * What a read collects: chunks from an offset on, until there are enough bytes. A filtered one passes over blocks
 * that hold nothing wanted.
 */
import type { BlockFilter } from '../format/block-filter.ts';
import type { SegmentBlock } from '../format/segment-index.ts';
import type { ChunkRange, StoredChunk } from '../ports/log-store.ts';

/** About as many MiB. Their indexes take some ms to read, while nobody else is served. */
const PASSED_MAX = 1_024;

export class ChunkPage {
  readonly range: ChunkRange;
  readonly chunks: StoredChunk[] = [];
  /** Absent when all blocks are wanted. */
  readonly #filter: BlockFilter | undefined;
  #next: number;
  #bytes = 0;
  #passed = 0;

  constructor(range: ChunkRange, filter?: BlockFilter) {
    this.range = range;
    this.#filter = filter;
    this.#next = range.from;
  }

  /** The message that the next chunk is to begin with, or to hold if it is the first one. */
  get next(): number {
    return this.#next;
  }

  isFull(): boolean {
    const { end, bytesMax } = this.range;
    if (this.#next >= end || this.#passed >= PASSED_MAX) return true;
    return this.chunks.length > 0 && this.#bytes >= bytesMax;
  }

  /** True when the block holds nothing wanted: what comes next lies behind it. */
  passesOver({ end, summary }: Pick<SegmentBlock, 'end' | 'summary'>): boolean {
    if (this.#filter === undefined || this.#filter(summary)) return false;
    this.#next = end;
    this.#passed++;
    return true;
  }

  add(chunk: StoredChunk): void {
    this.chunks.push(chunk);
    this.#bytes += bytesAfter(chunk, this.range.from);
    this.#next = chunk.base + chunk.count;
  }
}

/** Of a chunk that begins before `from`, its share by number: exact sizes would cost a walk over it. */
function bytesAfter({ base, count, bytes }: StoredChunk, from: number): number {
  return base >= from ? bytes : Math.floor((bytes * (base + count - from)) / count);
}
