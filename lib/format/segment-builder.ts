/**
 * Builds a segment object from chunks, in their order. Gives bytes away as blocks are complete, so that it
 * holds one of them, whatever the size of the object. Chunks keep their bounds and times: readers cannot
 * tell that messages were packed.
 *
 *   'V' 0x56 | 'S' 0x53 | version 0x01 | blocks (format/segment-block) | index, footer (format/segment-index)
 */
import { assert } from '../core/assert.ts';
import { BlockBuilder } from './block-builder.ts';
import type { ChunkContent } from './chunk.ts';
import { encodeSegmentIndex, SEGMENT_MAGIC, type SegmentBlock } from './segment-index.ts';

/** What a chunk holds, with its timestamp (never below that of the chunk before). */
export interface SegmentChunk extends ChunkContent {
  readonly timeMs: number;
}

/** A block is closed from this many bytes of records on: who reads one message decodes all of them. */
const BLOCK_RECORD_BYTES = 1024 * 1024;
/** So that four chunks of just above 256 KiB still share one. Only a chunk alone may have more. */
const BLOCK_RECORD_BYTES_MAX = 1.25 * BLOCK_RECORD_BYTES;
/** Of tiny chunks the table would otherwise outgrow the records. */
const BLOCK_CHUNKS_MAX = 8192;

const NOTHING = new Uint8Array(0);

export class SegmentBuilder {
  readonly #first: number;
  readonly #pending: BlockBuilder;
  readonly #blocks: SegmentBlock[] = [];
  #timeMs = 0;
  #encodedBytes = 0;

  /** `first` is the offset of the first message. */
  constructor(first: number) {
    this.#first = first;
    this.#pending = new BlockBuilder(first);
  }

  /** Encoded bytes so far, without the block that is being filled: all that was given away. */
  get encodedBytes(): number {
    return this.#encodedBytes;
  }

  /** Offset behind the last message added. */
  get end(): number {
    return this.#pending.filling.end;
  }

  /** Bytes that are complete now, to be written behind those given before; empty as a rule. */
  add(chunk: SegmentChunk): Uint8Array {
    const { count, timeMs, records } = chunk;
    assert(count > 0, () => `a chunk of ${count} messages`);
    assert(timeMs >= this.#timeMs, () => `a chunk of ${timeMs} ms behind one of ${this.#timeMs}`);
    this.#timeMs = timeMs;
    const before = this.#hasRoomFor(records.length) ? NOTHING : this.#closeBlock();
    this.#pending.add(chunk);
    const isComplete = this.#pending.filling.recordBytes >= BLOCK_RECORD_BYTES;
    return isComplete ? joined(before, this.#closeBlock()) : before;
  }

  /** What remains: last block, index, footer. The object is all that was returned, in order. */
  finish(): { readonly rest: Uint8Array; readonly indexStart: number; readonly bytes: number } {
    const block = this.#closeBlock();
    assert(this.#blocks.length > 0, 'a segment without messages');
    const indexStart = this.#encodedBytes;
    const index = { first: this.#first, end: this.end, blocks: this.#blocks };
    const ending = encodeSegmentIndex(index);
    return { rest: joined(block, ending), indexStart, bytes: indexStart + ending.length };
  }

  #hasRoomFor(recordBytes: number): boolean {
    const { chunkCount, recordBytes: before } = this.#pending.filling;
    return chunkCount < BLOCK_CHUNKS_MAX && before + recordBytes <= BLOCK_RECORD_BYTES_MAX;
  }

  #closeBlock(): Uint8Array {
    if (this.#pending.filling.chunkCount === 0) return NOTHING;
    const { encoded, block } = this.#pending.close();
    const prefix = this.#blocks.length === 0 ? Uint8Array.of(...SEGMENT_MAGIC) : NOTHING;
    this.#blocks.push({ ...block, start: this.#encodedBytes + prefix.length });
    this.#encodedBytes += prefix.length + encoded.length;
    return joined(prefix, encoded);
  }
}

function joined(before: Uint8Array, behind: Uint8Array): Uint8Array {
  if (before.length === 0) return behind;
  if (behind.length === 0) return before;
  const target = new Uint8Array(before.length + behind.length);
  target.set(before);
  target.set(behind, before.length);
  return target;
}
