/**
 * Reads objects of chunks, and keeps those read last: they never change. Readers that ask for the same
 * object at the same time share one request.
 */
import { LRUCache } from 'lru-cache';
import type { StreamId } from '../core/log/ids.ts';
import { offset } from '../core/log/ids.ts';
import { decodeChunkObject, type ObjectPart } from '../format/chunk-object.ts';
import { CorruptChunk } from '../format/corrupt-chunk.ts';
import { chunkObjectName } from '../format/object-key.ts';
import type { TailRef } from '../format/tail-ref.ts';
import type { StoredChunk } from '../ports/log-store.ts';
import { StoreError } from '../ports/store-error.ts';
import type { Objects } from './objects.ts';
import type { PlacedRef } from './placed-refs.ts';

/** Sixteen of the largest requests, and a quarter of a function's memory at its smallest sensible size. */
export const CACHE_BYTES_DEFAULT = 64 * 1024 * 1024;
/** What an entry takes beside its parts, and a part beside its records. */
const [ENTRY_BYTES, PART_BYTES] = [512, 256];

type Loading = Promise<readonly ObjectPart[] | undefined>;

export class ChunkReader {
  readonly #objects: Objects;
  readonly #recent: LRUCache<string, { readonly loading: Loading }>;

  constructor(objects: Objects, cacheBytes = CACHE_BYTES_DEFAULT) {
    this.#objects = objects;
    this.#recent = new LRUCache({ maxSize: cacheBytes, maxEntrySize: cacheBytes });
  }

  /** The chunks of one ref, or undefined when its object is not there. */
  async load(streamId: StreamId, ref: PlacedRef): Promise<readonly StoredChunk[] | undefined> {
    const parts = await this.#parts(chunkObjectName({ streamId, ulid: ref.ulid }), ref.bytes);
    return parts && placeParts(parts, ref);
  }

  /** The same, read for this call alone: of what is read once, nothing else shall be forgotten. */
  async loadOnce(streamId: StreamId, ref: PlacedRef): Promise<readonly StoredChunk[] | undefined> {
    const parts = await this.#read(chunkObjectName({ streamId, ulid: ref.ulid }));
    return parts && placeParts(parts, ref);
  }

  /** What this process stored itself: those who follow the stream here need not fetch it. */
  keep(streamId: StreamId, { ulid }: TailRef, parts: readonly ObjectPart[]): void {
    // Copied, as a view keeps the whole request in memory.
    const own = parts.map((part) => ({ ...part, records: new Uint8Array(part.records) }));
    this.#store(chunkObjectName({ streamId, ulid }), Promise.resolve(own), own);
  }

  #parts(name: string, bytes: number): Loading {
    const known = this.#recent.get(name);
    if (known !== undefined) return known.loading;

    const entry = { loading: this.#read(name) };
    const settle = (parts?: readonly ObjectPart[]) => {
      if (this.#recent.peek(name) !== entry) return;
      // What failed or was not there is asked for anew.
      this.#recent.delete(name);
      if (parts !== undefined) this.#store(name, entry.loading, parts);
    };
    this.#recent.set(name, entry, { size: bytes + ENTRY_BYTES });
    entry.loading.then(settle, () => settle());
    return entry.loading;
  }

  /** By what it takes: content types and lengths, which are no logical bytes, may be most of it. */
  #store(name: string, loading: Loading, parts: readonly ObjectPart[]): void {
    const size = parts.reduce((sum, { records }) => sum + PART_BYTES + records.length, ENTRY_BYTES);
    this.#recent.set(name, { loading }, { size });
  }

  async #read(name: string): Loading {
    const bytes = await this.#objects.get(name);
    try {
      return bytes && decodeChunkObject(bytes, `object ${name}`);
    } catch (cause) {
      if (!(cause instanceof CorruptChunk)) throw cause;
      throw new StoreError(cause.message, { kind: 'corrupt', sideEffects: 'none', cause });
    }
  }
}

/** Timestamps never decrease: each is at least that of all before (SPEC O18). */
function placeParts(
  parts: readonly ObjectPart[],
  { base, timeBelowMs }: PlacedRef,
): readonly StoredChunk[] {
  let [next, time] = [base, timeBelowMs];
  return parts.map(({ timeMs, ...content }) => {
    const start = offset(next);
    next += content.count;
    time = Math.max(time, timeMs);
    return { ...content, base: start, timeMs: time };
  });
}
