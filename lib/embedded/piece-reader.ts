/**
 * Reads the files of packed segments: the index of a piece, and the chunks of one of its blocks, every byte
 * checked. Both are kept for a while: they never change, whatever becomes of the stream.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { offset } from '../core/log/ids.ts';
import { CorruptChunk } from '../format/corrupt-chunk.ts';
import { decodeSegmentBlock } from '../format/segment-block.ts';
import {
  decodeSegmentIndex,
  indexBytes,
  type SegmentBlock,
  type SegmentIndex,
} from '../format/segment-index.ts';
import type { StoredChunk } from '../ports/log-store.ts';
import { StoreError } from '../ports/store-error.ts';
import { BoundedCache } from './bounded-cache.ts';
import type { StoredPiece } from './piece-table.ts';
import { isMissing, type SegmentFiles } from './segment-files.ts';

/** Of some hundred bytes a block as a rule, and 24 KiB at the very most: indexes of 10 GiB, or of 600 MiB. */
const INDEX_BYTES_MAX = 16 * 1024 * 1024;
/** As much as is kept of large chunks that lie in the database. */
const BLOCK_BYTES_MAX = 16 * 1024 * 1024;

/** Its messages were dropped a moment ago, or are lost. */
export class MissingPiece extends Error {
  override readonly name = 'MissingPiece';
  readonly piece: StoredPiece;

  constructor(piece: StoredPiece, options: ErrorOptions) {
    super(`no file for messages [${piece.first}, ${piece.end})`, options);
    this.piece = piece;
  }
}

export class PieceReader {
  readonly #files: SegmentFiles;
  readonly #indexes = new BoundedCache<string, SegmentIndex>(INDEX_BYTES_MAX, indexBytes);
  readonly #blocks = new BoundedCache<string, readonly StoredChunk[]>(BLOCK_BYTES_MAX, recordBytes);

  constructor(files: SegmentFiles) {
    this.#files = files;
  }

  /** The block with this message. Throws {@link MissingPiece} as all that reads a file. */
  blockAt(piece: StoredPiece, at: number): SegmentBlock {
    const { blocks } = this.#index(piece);
    let [low, high] = [0, blocks.length];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((blocks[middle]?.end ?? 0) > at) high = middle;
      else low = middle + 1;
    }
    const block = blocks[low];
    if (block !== undefined) return block;
    throw new CorruptChunk(`${this.#files.nameOf(piece)}: no block for offset ${at}`);
  }

  chunks(piece: StoredPiece, block: SegmentBlock): readonly StoredChunk[] {
    const key = `${piece.stream} ${block.base}`;
    const known = this.#blocks.get(key);
    if (known !== undefined) return known;
    const bytes = this.#read(piece, block.start, block.size);
    const decoded = decodeSegmentBlock(bytes, block, this.#files.nameOf(piece));
    const chunks = decoded.map((chunk) => ({ ...chunk, base: offset(chunk.base) }));
    this.#blocks.set(key, chunks);
    return chunks;
  }

  #index(piece: StoredPiece): SegmentIndex {
    const key = `${piece.stream} ${piece.first}`;
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    const { first, end, indexStart, bytes } = piece;
    const name = this.#files.nameOf(piece);
    const index = decodeSegmentIndex(this.#read(piece, indexStart, bytes - indexStart), name);
    if (index.first !== first || index.end !== end) {
      throw new CorruptChunk(`${name}: its index is for [${index.first}, ${index.end})`);
    }
    this.#indexes.set(key, index);
    return index;
  }

  #read(piece: StoredPiece, start: number, size: number): Uint8Array {
    try {
      return readPart(this.#files.pathOf(piece), start, size);
    } catch (error) {
      if (isMissing(error)) throw new MissingPiece(piece, { cause: error });
      if (error instanceof CorruptChunk) {
        throw new CorruptChunk(`${this.#files.nameOf(piece)}: ${error.message}`, { cause: error });
      }
      if (!(error instanceof Error && 'code' in error)) throw error;
      throw new StoreError('the disk failed to read', {
        kind: 'unavailable',
        sideEffects: 'none',
        cause: error,
      });
    }
  }
}

/** Opened for each part, some 10 µs: a file that is held open would take its room after it was removed. */
function readPart(path: string, start: number, size: number): Uint8Array {
  const descriptor = openSync(path, 'r');
  try {
    const bytes = new Uint8Array(size);
    for (let done = 0; done < size; ) {
      const read = readSync(descriptor, bytes, done, size - done, start + done);
      if (read === 0) throw new CorruptChunk(`it ends at byte ${start + done}`);
      done += read;
    }
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}

function recordBytes(chunks: readonly StoredChunk[]): number {
  return chunks.reduce((sum, { records }) => sum + records.length, 0);
}
