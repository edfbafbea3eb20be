/** What a read collects: chunks from an offset on, until there are enough bytes. */
import type { ChunkRange, StoredChunk } from '../ports/log-store.ts';

export class ChunkPage {
  readonly range: ChunkRange;
  readonly chunks: StoredChunk[] = [];
  #next: number;
  #bytes = 0;

  constructor(range: ChunkRange) {
    this.range = range;
    this.#next = range.from;
  }

  /** The message that the next chunk is to begin with, or to hold if it is the first one. */
  get next(): number {
    return this.#next;
  }

  isFull(): boolean {
    const { end, bytesMax } = this.range;
    return this.#next >= end || (this.chunks.length > 0 && this.#bytes >= bytesMax);
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
