/**
 * The end of a segment object: its index, which finds blocks, and its footer, which finds the index. The
 * blocks lie one behind the other from behind 'V' 'S' 1 on.
 *
 *   index: varint first offset | blocks | crc-32 u32 of all before
 *   block: varint messages | varint logical bytes | varint bytes of the block | varint ms of its first
 *   chunk since the last one before | varint ms from first to last chunk | summary (format/block-summary)
 *   footer: u64 where the index begins | u64 bytes of the object | crc-32 u32 of both | 'V' 'S' 1
 */
import { crc32 } from 'node:zlib';
import { VarintReader, varintBytes, writeVarint } from '../wire/varint.ts';
import { type BlockSummary, decodeBlockSummary, encodeBlockSummary } from './block-summary.ts';
import { asCorrupt, CorruptChunk } from './corrupt-chunk.ts';

export interface SegmentBlock {
  /** Offsets [base, end). */
  readonly base: number;
  readonly end: number;
  readonly firstTimeMs: number;
  readonly lastTimeMs: number;
  /** Logical bytes of its messages. */
  readonly bytes: number;
  /** Bytes [start, start + size) of the object. */
  readonly start: number;
  readonly size: number;
  readonly summary: BlockSummary;
}

/** Offsets [first, end), in one block at least. */
export interface SegmentIndex {
  readonly first: number;
  readonly end: number;
  readonly blocks: readonly SegmentBlock[];
}

/** What an entry takes in memory beside its summary. */
const BLOCK_ENTRY_BYTES = 256;

/** About what an index takes in memory. */
export function indexBytes({ blocks }: SegmentIndex): number {
  return blocks.reduce((sum, { summary }) => {
    const { values, keys, headers } = summary;
    return sum + BLOCK_ENTRY_BYTES + values.length + keys.length + (headers?.length ?? 0);
  }, 0);
}

/** What an object begins and ends with. */
export const SEGMENT_MAGIC = [0x56, 0x53, 1] as const;
const CRC_BYTES = 4;
const SIZES_BYTES = 2 * 8;
export const SEGMENT_FOOTER_BYTES: number = SIZES_BYTES + CRC_BYTES + SEGMENT_MAGIC.length;
const BLOCKS_START: number = SEGMENT_MAGIC.length;

/** The index and the footer behind it. */
export function encodeSegmentIndex(index: SegmentIndex): Uint8Array {
  const entries = encodeEntries(index.blocks);
  const crcStart = entries.reduce((sum, { length }) => sum + length, varintBytes(index.first));
  const footerStart = crcStart + CRC_BYTES;
  const target = new Uint8Array(footerStart + SEGMENT_FOOTER_BYTES);
  let position = writeVarint(target, index.first, 0);
  for (const entry of entries) {
    target.set(entry, position);
    position += entry.length;
  }
  const view = new DataView(target.buffer);
  view.setUint32(crcStart, crc32(target.subarray(0, crcStart)), true);

  const indexStart = index.blocks.reduce((sum, { size }) => sum + size, BLOCKS_START);
  view.setBigUint64(footerStart, BigInt(indexStart), true);
  view.setBigUint64(footerStart + 8, BigInt(indexStart + target.length), true);
  const sizesEnd = footerStart + SIZES_BYTES;
  view.setUint32(sizesEnd, crc32(target.subarray(footerStart, sizesEnd)), true);
  target.set(SEGMENT_MAGIC, sizesEnd + CRC_BYTES);
  return target;
}

function encodeEntries(blocks: readonly SegmentBlock[]): readonly Uint8Array[] {
  let beforeMs = 0;
  return blocks.flatMap(({ base, end, bytes, size, firstTimeMs, lastTimeMs, summary }) => {
    const numbers = [end - base, bytes, size, firstTimeMs - beforeMs, lastTimeMs - firstTimeMs];
    beforeMs = lastTimeMs;
    const target = new Uint8Array(numbers.reduce((sum, n) => sum + varintBytes(n), 0));
    numbers.reduce((position, n) => writeVarint(target, n, position), 0);
    return [target, encodeBlockSummary(summary)];
  });
}

/**
 * `lastBytes` are the last ones of an object, {@link SEGMENT_FOOTER_BYTES} at least. `what` names it in the
 * {@link CorruptChunk} that is thrown on any damage.
 */
export function decodeSegmentFooter(
  lastBytes: Uint8Array,
  what: string,
): { readonly indexStart: number; readonly objectBytes: number } {
  try {
    return readFooter(lastBytes);
  } catch (error) {
    throw asCorrupt(error, `${what}, its footer`);
  }
}

function readFooter(lastBytes: Uint8Array) {
  const start = lastBytes.length - SEGMENT_FOOTER_BYTES;
  if (start < 0) throw new CorruptChunk(`a footer of ${lastBytes.length} bytes`);
  const footer = lastBytes.subarray(start);
  const magicStart = SIZES_BYTES + CRC_BYTES;
  if (SEGMENT_MAGIC.some((byte, index) => footer[magicStart + index] !== byte)) {
    throw new CorruptChunk(`no segment of version ${SEGMENT_MAGIC[2]}`);
  }
  const view = new DataView(footer.buffer, footer.byteOffset);
  if (view.getUint32(SIZES_BYTES, true) !== crc32(footer.subarray(0, SIZES_BYTES))) {
    throw new CorruptChunk('the checksum does not match');
  }
  const indexStart = Number(view.getBigUint64(0, true));
  const objectBytes = Number(view.getBigUint64(8, true));
  const fits =
    Number.isSafeInteger(objectBytes) &&
    indexStart > BLOCKS_START &&
    indexStart < objectBytes - SEGMENT_FOOTER_BYTES - CRC_BYTES &&
    lastBytes.length <= objectBytes;
  if (!fits) throw new CorruptChunk(`an index at ${indexStart} of ${objectBytes} bytes`);
  return { indexStart, objectBytes };
}

/** `bytes` are those of the object from where the footer says to its end. */
export function decodeSegmentIndex(bytes: Uint8Array, what: string): SegmentIndex {
  const { indexStart, objectBytes } = decodeSegmentFooter(bytes, what);
  try {
    if (bytes.length !== objectBytes - indexStart) {
      throw new CorruptChunk(`${bytes.length} bytes, not ${objectBytes - indexStart}`);
    }
    return readIndex(bytes.subarray(0, bytes.length - SEGMENT_FOOTER_BYTES), indexStart);
  } catch (error) {
    throw asCorrupt(error, `${what}, its index`);
  }
}

function readIndex(encoded: Uint8Array, indexStart: number): SegmentIndex {
  const crcStart = encoded.length - CRC_BYTES;
  const crc = new DataView(encoded.buffer, encoded.byteOffset).getUint32(crcStart, true);
  if (crc !== crc32(encoded.subarray(0, crcStart))) {
    throw new CorruptChunk('the checksum does not match');
  }
  const reader = new VarintReader(encoded.subarray(0, crcStart));
  const first = reader.next('first offset');
  const blocks: SegmentBlock[] = [];
  let before: BlockEnd = { end: first, lastTimeMs: 0, start: BLOCKS_START, size: 0 };
  while (reader.position < crcStart) {
    const block = readBlock(reader, before);
    blocks.push(block);
    before = block;
  }
  if (before.start + before.size !== indexStart) {
    throw new CorruptChunk(`blocks up to ${before.start + before.size}, an index at ${indexStart}`);
  }
  return { first, end: before.end, blocks };
}

type BlockEnd = Pick<SegmentBlock, 'end' | 'lastTimeMs' | 'start' | 'size'>;

function readBlock(reader: VarintReader, before: BlockEnd): SegmentBlock {
  const count = reader.next('messages');
  const bytes = reader.next('logical bytes');
  const size = reader.next('bytes of the block');
  const firstTimeMs = before.lastTimeMs + reader.next('first time');
  const lastTimeMs = firstTimeMs + reader.next('last time');
  const end = before.end + count;
  if (count === 0 || !Number.isSafeInteger(end) || !Number.isSafeInteger(lastTimeMs)) {
    throw new CorruptChunk(`${count} messages at ${before.end} up to ${lastTimeMs} ms`);
  }
  const summary = decodeBlockSummary(reader);
  const start = before.start + before.size;
  return { base: before.end, end, firstTimeMs, lastTimeMs, bytes, start, size, summary };
}
