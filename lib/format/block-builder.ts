/**
 * Fills one block after the other of a segment object. Records are copied as they come into one buffer
 * that every block uses again: to touch a MiB of new memory took up to 1 ms, to compress it 2.
 */
import { varintBytes, writeVarint } from '../wire/varint.ts';
import { encodeSegmentBlock, tableRow } from './segment-block.ts';
import type { SegmentChunk } from './segment-builder.ts';
import type { SegmentBlock } from './segment-index.ts';
import { SummaryBuilder } from './summary-builder.ts';

export interface ClosedBlock {
  readonly encoded: Uint8Array;
  /** All that the index says of it, but where it lies. */
  readonly block: Omit<SegmentBlock, 'start'>;
}

/** What the block that is being filled holds so far. */
interface Filling {
  readonly base: number;
  readonly end: number;
  readonly firstTimeMs: number;
  readonly lastTimeMs: number;
  readonly bytes: number;
  readonly chunkCount: number;
  readonly recordBytes: number;
}

export class BlockBuilder {
  #filling: Filling;
  #table: number[] = [];
  #summary = new SummaryBuilder();
  #buffer = new Uint8Array(0);

  constructor(base: number) {
    this.#filling = emptyAt(base);
  }

  /** The block that is being filled. */
  get filling(): Filling {
    return this.#filling;
  }

  /** Throws when the chunk has other records than it says. */
  add(chunk: SegmentChunk): void {
    const before = this.#filling;
    const { count, timeMs, records, bytes } = chunk;
    this.#summary.add(records, count);
    this.#reserve(before.recordBytes + records.length);
    this.#buffer.set(records, before.recordBytes);
    this.#table.push(...tableRow(chunk, before.lastTimeMs));
    this.#filling = {
      base: before.base,
      end: before.end + count,
      firstTimeMs: before.chunkCount === 0 ? timeMs : before.firstTimeMs,
      lastTimeMs: timeMs,
      bytes: before.bytes + bytes,
      chunkCount: before.chunkCount + 1,
      recordBytes: before.recordBytes + records.length,
    };
  }

  /** Ends the block, which holds a chunk at least, and begins the next one. */
  close(): ClosedBlock {
    const { base, end, firstTimeMs, lastTimeMs, bytes, chunkCount, recordBytes } = this.#filling;
    const plain = this.#withTable(recordBytes);
    const encoded = encodeSegmentBlock({ base, chunkCount, recordBytes, plain });
    const summary = this.#summary.finish();
    const size = encoded.length;
    this.#filling = emptyAt(end);
    this.#table = [];
    this.#summary = new SummaryBuilder();
    return { encoded, block: { base, end, firstTimeMs, lastTimeMs, bytes, size, summary } };
  }

  #withTable(recordBytes: number): Uint8Array {
    this.#reserve(this.#table.reduce((sum, n) => sum + varintBytes(n), recordBytes));
    const end = this.#table.reduce((start, n) => writeVarint(this.#buffer, n, start), recordBytes);
    return this.#buffer.subarray(0, end);
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#buffer.length) return;
    const larger = new Uint8Array(2 * bytes);
    larger.set(this.#buffer);
    this.#buffer = larger;
  }
}

/** The first chunk says its time in ms since 1970. */
function emptyAt(base: number): Filling {
  const none = { firstTimeMs: 0, lastTimeMs: 0, bytes: 0, chunkCount: 0, recordBytes: 0 };
  return { base, end: base, ...none };
}
