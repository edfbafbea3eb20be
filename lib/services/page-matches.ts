/**
 * Takes out of chunks what a filter matches, for a page bounded as any other (SPEC F7, LR4): each run of
 * messages that follow one another becomes a chunk of its own, so that whoever renders a page need not know
 * of filters. A chunk that matches as a whole is passed on untouched.
 */
import type { HeadersMatcher } from '../core/filter/match-headers.ts';
import { offset } from '../core/log/ids.ts';
import type { ScannedChunks, StoredChunk } from '../ports/log-store.ts';
import { recordHeaders, recordStart, skipRecord } from '../wire/record.ts';
import { VarintReader } from '../wire/varint.ts';
import { detached } from './detached-chunk.ts';
import type { PageBounds, Slices } from './page-slices.ts';

/** Goes on from one round of chunks to the next. */
export class MatchCollector {
  readonly #bounds: PageBounds;
  readonly #matches: HeadersMatcher;
  readonly #chunks: StoredChunk[] = [];
  #count = 0;
  #bytes = 0;
  #next: number;

  constructor(bounds: PageBounds, matches: HeadersMatcher) {
    this.#bounds = bounds;
    this.#matches = matches;
    this.#next = bounds.from;
  }

  /** How far it has looked. */
  get next(): number {
    return this.#next;
  }

  /** Undefined while the page has room, and there is more to look at. */
  add({ chunks, end }: ScannedChunks): Slices['ended'] | undefined {
    for (const chunk of chunks) {
      this.#passOver(chunk.base);
      if (chunk.timeMs >= (this.#bounds.untilMs ?? Number.POSITIVE_INFINITY)) return 'until';
      const ended = this.#addChunk(chunk);
      if (ended !== undefined) return ended;
    }
    this.#passOver(end);
    return this.#next >= this.#bounds.end ? 'chunks' : undefined;
  }

  finish(ended: Slices['ended']): Slices {
    return {
      chunks: this.#chunks,
      count: this.#count,
      bytes: this.#bytes,
      next: offset(this.#next),
      ended,
    };
  }

  /** Nothing below it that was not taken is wanted. */
  #passOver(end: number): void {
    this.#next = Math.max(this.#next, end);
  }

  #addChunk(chunk: StoredChunk): Slices['ended'] | undefined {
    const first = this.#next;
    const end = Math.min(chunk.base + chunk.count, this.#bounds.end);
    const reader = new VarintReader(chunk.records, recordStart(chunk.records, first - chunk.base));
    const run = new Run(chunk);
    let ended: Slices['ended'] | undefined;
    for (let at = first; at < end && ended === undefined; at++) {
      if (this.#matches(recordHeaders(reader))) {
        ended = this.#take(run, reader, at);
      } else {
        this.#close(run);
        reader.skip(reader.next('record length'), 'record');
      }
      if (ended !== 'bytes') this.#next = at + 1;
    }
    this.#close(run);
    return ended;
  }

  #take(run: Run, reader: VarintReader, at: number): Slices['ended'] | undefined {
    const { limit, bytesMax, firstBytesMax } = this.#bounds;
    const start = reader.position;
    const size = skipRecord(reader);
    const isAllowed = this.#count === 0 && size <= firstBytesMax;
    if (this.#bytes + size > bytesMax && !isAllowed) return 'bytes';
    run.add({ at, size, start, end: reader.position });
    this.#count++;
    this.#bytes += size;
    return this.#count >= limit ? 'limit' : undefined;
  }

  #close(run: Run): void {
    const chunk = run.take();
    if (chunk !== undefined) this.#chunks.push(chunk);
  }
}

interface RunRecord {
  readonly at: number;
  readonly size: number;
  /** In the records of the chunk. */
  readonly start: number;
  readonly end: number;
}

/** Messages of one chunk, one behind the other. */
class Run {
  readonly #chunk: StoredChunk;
  #base = 0;
  #count = 0;
  #bytes = 0;
  #start = 0;
  #end = 0;

  constructor(chunk: StoredChunk) {
    this.#chunk = chunk;
  }

  add({ at, size, start, end }: RunRecord): void {
    if (this.#count === 0) [this.#base, this.#start] = [at, start];
    this.#count++;
    this.#bytes += size;
    this.#end = end;
  }

  /** Undefined when there is none; begins anew. */
  take(): StoredChunk | undefined {
    const [count, bytes] = [this.#count, this.#bytes];
    if (count === 0) return undefined;
    [this.#count, this.#bytes] = [0, 0];
    if (count === this.#chunk.count) return detached(this.#chunk);
    const records = this.#chunk.records.subarray(this.#start, this.#end);
    const { timeMs, jsonChecked } = this.#chunk;
    return detached({ base: offset(this.#base), timeMs, count, bytes, records, jsonChecked });
  }
}
