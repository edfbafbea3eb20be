/**
 * Reads pieces of packed segments: the index of one, then the blocks that hold what is asked for, those that
 * are not known yet by one request as they lie side by side. Keeps what was read last: it never changes.
 */
import { offset, type StreamId } from '../core/log/ids.ts';
import type { BlockFilter } from '../format/block-filter.ts';
import { CorruptChunk } from '../format/corrupt-chunk.ts';
import { segmentObjectName } from '../format/object-key.ts';
import { decodeSegmentBlock } from '../format/segment-block.ts';
import {
  decodeSegmentIndex,
  type SegmentBlock,
  type SegmentIndex,
} from '../format/segment-index.ts';
import type { StoredChunk } from '../ports/log-store.ts';
import { StoreError } from '../ports/store-error.ts';
import type { Objects } from './objects.ts';
import type { PlacedPiece } from './segment-item.ts';
import { SharedReads } from './shared-reads.ts';

/** Of some hundred bytes a block as a rule, and 24 KiB at the very most: indexes of 10 GiB, or of 600 MiB. */
const INDEX_BYTES_MAX = 16 * 1024 * 1024;
/** Several readers of history, each a few blocks behind the other. */
const BLOCK_BYTES_MAX = 32 * 1024 * 1024;
/** What an entry takes beside its records. */
const ENTRY_BYTES = 2048;
/** Of one request. */
const RANGE_BYTES_MAX = 8 * 1024 * 1024;

export interface PieceRange {
  /** Within the piece. */
  readonly from: number;
  readonly end: number;
  /** Enough when so many logical bytes lie at or after `from`; a block at least is given. */
  readonly bytesMax: number;
  /** Absent when all blocks are wanted. */
  readonly filter?: BlockFilter | undefined;
}

export interface PieceChunks {
  readonly chunks: readonly StoredChunk[];
  /** Nothing wanted lies between the chunks, nor behind the last one before this. */
  readonly end: number;
}

type Loading<Value> = Promise<Value | undefined>;
type Blocks = readonly (readonly StoredChunk[])[];

interface NamedPiece {
  readonly name: string;
  readonly piece: PlacedPiece;
}

export class SegmentReader {
  readonly #objects: Objects;
  readonly #indexes = new SharedReads<SegmentIndex>(INDEX_BYTES_MAX);
  readonly #blocks = new SharedReads<readonly StoredChunk[]>(BLOCK_BYTES_MAX);

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  /** Undefined when the object is not there. */
  async index(streamId: StreamId, piece: PlacedPiece): Promise<SegmentIndex | undefined> {
    return await this.#index(named(streamId, piece));
  }

  /** Whole blocks that are wanted, from the one that holds `from` on; undefined when the object is not there. */
  async read(
    streamId: StreamId,
    piece: PlacedPiece,
    range: PieceRange,
  ): Promise<PieceChunks | undefined> {
    const of = named(streamId, piece);
    const index = await this.#index(of);
    if (index === undefined) return undefined;
    const { needed, end } = neededBlocks(index, range);
    const blocks = await this.#load(of, needed);
    return blocks && { chunks: blocks.flat(), end };
  }

  #index(of: NamedPiece): Loading<SegmentIndex> {
    const { bytes, indexStart } = of.piece;
    return this.#indexes.read(of.name, 2 * (bytes - indexStart) + ENTRY_BYTES, () =>
      this.#readIndex(of),
    );
  }

  async #readIndex({ name, piece }: NamedPiece): Loading<SegmentIndex> {
    const { indexStart: start, bytes: end, base, end: last } = piece;
    const encoded = await this.#objects.getRange(name, { start, end });
    if (encoded === undefined) return undefined;
    const index = checked(() => decodeSegmentIndex(encoded, `object ${name}`));
    if (index.first === base && index.end === last) return index;
    throw corrupt(`object ${name} holds [${index.first}, ${index.end}), not [${base}, ${last})`);
  }

  /** Those that are known are taken; what lies between them is read together. */
  async #load(of: NamedPiece, blocks: readonly SegmentBlock[]): Promise<Blocks | undefined> {
    const loads = blocks.map((block) => this.#blocks.known(keyOf(of, block)));
    for (let at = 0; at < blocks.length; ) {
      const stretch = unknownFrom(blocks, loads, at);
      this.#request(of, stretch).forEach((loading, index) => {
        loads[at + index] = loading;
      });
      at += Math.max(stretch.length, 1);
    }
    const loaded = await Promise.all(loads);
    const present = loaded.filter((chunks) => chunks !== undefined);
    return present.length === blocks.length ? present : undefined;
  }

  #request(of: NamedPiece, stretch: readonly SegmentBlock[]) {
    const [first, last] = [stretch[0], stretch.at(-1)];
    if (first === undefined || last === undefined) return [];
    const range = { start: first.start, end: last.start + last.size };
    const bytes = this.#objects.getRange(of.name, range);
    return stretch.map((block) => {
      const size = Math.max(block.bytes, block.size) + ENTRY_BYTES;
      const read = async () =>
        decodeBlock(await bytes, { of, block, at: block.start - first.start });
      return this.#blocks.read(keyOf(of, block), size, read);
    });
  }
}

function named(streamId: StreamId, piece: PlacedPiece): NamedPiece {
  const { base: first, end, ulid } = piece;
  return { name: segmentObjectName({ streamId, first, end, ulid }), piece };
}

function keyOf({ name }: NamedPiece, { base }: SegmentBlock): string {
  return `${name} ${base}`;
}

function neededBlocks({ blocks }: SegmentIndex, range: PieceRange) {
  const { from, end, bytesMax, filter } = range;
  const needed: SegmentBlock[] = [];
  let [bytes, reached] = [0, from];
  for (const block of blocks) {
    if (block.end <= from) continue;
    if (block.base >= end || (needed.length > 0 && bytes >= bytesMax)) break;
    reached = block.end;
    if (filter?.(block.summary) === false) continue;
    // Of one that begins before `from`, its share by number.
    const share = (block.end - Math.max(block.base, from)) / (block.end - block.base);
    bytes += block.bytes * share;
    needed.push(block);
  }
  return { needed, end: reached };
}

function unknownFrom(
  blocks: readonly SegmentBlock[],
  loads: readonly unknown[],
  at: number,
): readonly SegmentBlock[] {
  const stretch: SegmentBlock[] = [];
  let bytes = 0;
  for (let next = at; next < blocks.length && loads[next] === undefined; next++) {
    const block = blocks[next];
    if (block === undefined || (bytes > 0 && bytes + block.size > RANGE_BYTES_MAX)) break;
    const before = stretch.at(-1);
    // Behind what is passed over another request begins.
    if (before !== undefined && block.start !== before.start + before.size) break;
    bytes += block.size;
    stretch.push(block);
  }
  return stretch;
}

interface PlacedBlock {
  readonly of: NamedPiece;
  readonly block: SegmentBlock;
  /** Where it begins among the bytes that were read. */
  readonly at: number;
}

function decodeBlock(
  bytes: Uint8Array | undefined,
  { of: { name }, block, at }: PlacedBlock,
): readonly StoredChunk[] | undefined {
  if (bytes === undefined) return undefined;
  // Copied where it is a part, as a view keeps all that was read with it in memory.
  const own = block.size === bytes.length ? bytes : bytes.slice(at, at + block.size);
  const chunks = checked(() => decodeSegmentBlock(own, block, `object ${name}`));
  return chunks.map((chunk) => ({ ...chunk, base: offset(chunk.base) }));
}

function checked<Value>(decode: () => Value): Value {
  try {
    return decode();
  } catch (cause) {
    if (!(cause instanceof CorruptChunk)) throw cause;
    throw corrupt(cause.message, cause);
  }
}

function corrupt(message: string, cause?: unknown): StoreError {
  return new StoreError(message, { kind: 'corrupt', sideEffects: 'none', cause });
}
