/** Chunks that hold no more memory than twice their size, however large what they were read from. */
import type { StoredChunk } from '../ports/log-store.ts';

/**
 * A slow consumer keeps its page for long, and a filtered page has a little of each of many chunks: not the
 * chunk of up to 4 MiB that it is a small part of. Whole ones stay the same for all readers.
 */
export function detached(chunk: StoredChunk): StoredChunk {
  const { records } = chunk;
  if (records.length * 2 >= records.buffer.byteLength) return chunk;
  return { ...chunk, records: new Uint8Array(records) };
}
