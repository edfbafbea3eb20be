/**
 * Large chunks that were decoded a moment ago. Readers that take a chunk in small pieces (event streams,
 * small pages), or one after the other, would inflate all of it for each piece. Chunks are immutable;
 * whether one may still be read is for the caller to know.
 */
import type { StreamId } from '../core/log/ids.ts';
import type { StoredChunk } from '../ports/log-store.ts';

/** Smaller ones are decoded faster than they are looked for. */
const CHUNK_BYTES_MIN = 32 * 1024;
/** Four of the largest requests. */
const BYTES_MAX = 16 * 1024 * 1024;

interface Entry {
  readonly streamId: StreamId;
  readonly chunk: StoredChunk;
}

export class ChunkCache {
  /** The one used last is at the end. Few, since none is small: a walk finds one in microseconds. */
  #entries: Entry[] = [];
  #bytes = 0;

  /** The chunk that holds this offset. */
  find(streamId: StreamId, offset: number): StoredChunk | undefined {
    const index = this.#entries.findLastIndex(
      (entry) => entry.streamId === streamId && holds(entry.chunk, offset),
    );
    const [entry] = index < 0 ? [] : this.#entries.splice(index, 1);
    if (entry !== undefined) this.#entries.push(entry);
    return entry?.chunk;
  }

  add(streamId: StreamId, chunk: StoredChunk): void {
    if (chunk.records.length < CHUNK_BYTES_MIN) return;
    this.#entries.push({ streamId, chunk });
    this.#bytes += chunk.records.length;
    while (this.#bytes > BYTES_MAX) {
      this.#bytes -= this.#entries.shift()?.chunk.records.length ?? this.#bytes;
    }
  }
}

function holds({ base, count }: StoredChunk, offset: number): boolean {
  return base <= offset && offset < base + count;
}
