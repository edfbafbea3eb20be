/** What a read collects: chunks from an offset on, until there are enough bytes, or enough was passed over. */
import type { BlockFilter } from '../format/block-filter.ts';
import type { ChunkRange, StoredChunk } from '../ports/log-store.ts';
import type { PieceRange } from './segment-reader.ts';

/** Pieces that are passed over: a request for the index of each. */
const PASSED_MAX = 64;

export class ChunkPage {
  readonly range: ChunkRange;
  readonly chunks: StoredChunk[] = [];
  /** Absent when all blocks are wanted. */
  readonly filter: BlockFilter | undefined;
  #bytes = 0;
  #next: number;
  #passed = 0;

  constructor(range: ChunkRange, filter?: BlockFilter) {
    this.range = range;
    this.filter = filter;
    this.#next = range.from;
  }

  /** The first message that was not looked at. */
  get next(): number {
    return this.#next;
  }

  /** How often something was passed over. */
  get passed(): number {
    return this.#passed;
  }

  isFull(): boolean {
    const { end, bytesMax } = this.range;
    if (this.#next >= end || this.#passed >= PASSED_MAX) return true;
    return this.chunks.length > 0 && this.#bytes >= bytesMax;
  }

  rest(): PieceRange {
    const { end, bytesMax } = this.range;
    return { from: this.#next, end, bytesMax: bytesMax - this.#bytes };
  }

  /** Leaves out what was asked for no more, or not at all. */
  add(chunk: StoredChunk): void {
    const end = chunk.base + chunk.count;
    if (end <= this.#next || chunk.base >= this.range.end || this.isFull()) return;
    this.chunks.push(chunk);
    this.#bytes += bytesAfter(chunk, this.range.from);
    this.#next = end;
  }

  /** Nothing wanted lies before `end`, behind the chunks that were added unless they filled the page. */
  passTo(end: number): void {
    if (end <= this.#next || this.isFull()) return;
    this.#next = end;
    this.#passed++;
  }
}

/** Of a chunk that begins before `from`, its share by number: exact sizes would cost a walk over it. */
function bytesAfter({ base, count, bytes }: StoredChunk, from: number): number {
  return base >= from ? bytes : Math.floor((bytes * (base + count - from)) / count);
}
