/**
 * A block of a segment object: consecutive chunks, exactly as they were published, packed together.
 *
 *   flags u8 (1: compressed) | varint base offset | varint chunks | varint bytes of the records
 *   | varint bytes of the table | varint bytes of the payload | crc-32 u32 of all the rest | payload
 *   payload: records | table; as one zstd frame when that saves an eighth
 *   table, per chunk: varint 2 * count + 1 if its JSON was parsed | varint ms since the chunk before
 *   | varint bytes of its records | varint logical bytes; the first ms count from 1970
 */
import { crc32 } from 'node:zlib';
import { VarintReader, varintBytes, writeVarint } from '../wire/varint.ts';
import { asCorrupt, CorruptChunk } from './corrupt-chunk.ts';
import { compressRecords, decompressRecords } from './record-compression.ts';
import type { SegmentChunk } from './segment-builder.ts';
import type { SegmentBlock } from './segment-index.ts';

/** Offsets [base, base + count). */
export interface SegmentBlockChunk extends SegmentChunk {
  readonly base: number;
}

const COMPRESSED = 1;
const CRC_BYTES = 4;

/** What is in a block before it is encoded. */
export interface PlainBlock {
  readonly base: number;
  readonly chunkCount: number;
  readonly recordBytes: number;
  /** The records, and the table behind them. */
  readonly plain: Uint8Array;
}

/** Four numbers for each chunk, the first ms since `beforeMs`. */
export function tableRow(chunk: SegmentChunk, beforeMs: number): readonly number[] {
  const { count, jsonChecked, timeMs, records, bytes } = chunk;
  return [2 * count + (jsonChecked ? 1 : 0), timeMs - beforeMs, records.length, bytes];
}

export function encodeSegmentBlock(block: PlainBlock): Uint8Array {
  const { base, chunkCount, recordBytes, plain } = block;
  const compressed = compressRecords(plain);
  const payload = compressed ?? plain;
  const numbers = [base, chunkCount, recordBytes, plain.length - recordBytes, payload.length];
  const headerEnd = numbers.reduce((sum, n) => sum + varintBytes(n), 1);

  const target = new Uint8Array(headerEnd + CRC_BYTES + payload.length);
  target[0] = compressed ? COMPRESSED : 0;
  numbers.reduce((position, n) => writeVarint(target, n, position), 1);
  target.set(payload, headerEnd + CRC_BYTES);
  new DataView(target.buffer).setUint32(headerEnd, checksum(target, headerEnd), true);
  return target;
}

function checksum(block: Uint8Array, headerEnd: number): number {
  return crc32(block.subarray(headerEnd + CRC_BYTES), crc32(block.subarray(0, headerEnd)));
}

/**
 * Every byte is checked. `what` names the object in the {@link CorruptChunk} that is thrown when these
 * are not exactly the bytes of the block that the index speaks of.
 */
export function decodeSegmentBlock(
  bytes: Uint8Array,
  block: SegmentBlock,
  what: string,
): readonly SegmentBlockChunk[] {
  try {
    const chunks = decode(bytes);
    checkBlock(chunks, block);
    return chunks;
  } catch (error) {
    throw asCorrupt(error, `${what}, block at offset ${block.base}`);
  }
}

function decode(bytes: Uint8Array): readonly SegmentBlockChunk[] {
  const { isCompressed, base, chunkCount, recordBytes, tableBytes, payload } = readHeader(bytes);
  const plainBytes = recordBytes + tableBytes;
  const plain = isCompressed ? decompressRecords(payload, plainBytes) : payload;
  if (plain.length !== plainBytes) {
    throw new CorruptChunk(`${plain.length} bytes of records and table, not ${plainBytes}`);
  }
  const records = new VarintReader(plain.subarray(0, recordBytes));
  const table = new VarintReader(plain.subarray(recordBytes));
  const chunks: SegmentBlockChunk[] = [];
  let before = { base, count: 0, timeMs: 0 };
  while (chunks.length < chunkCount) {
    const chunk = readChunk(table, records, before);
    chunks.push(chunk);
    before = chunk;
  }
  if (table.position !== tableBytes || records.position !== recordBytes) {
    throw new CorruptChunk('a table that speaks of other chunks');
  }
  return chunks;
}

function readHeader(bytes: Uint8Array) {
  const reader = new VarintReader(bytes);
  const flags = reader.byte('flags');
  if ((flags & ~COMPRESSED) !== 0) throw new CorruptChunk(`unknown flags ${flags}`);
  const base = reader.next('base');
  const chunkCount = reader.next('chunks');
  const recordBytes = reader.next('bytes of the records');
  const tableBytes = reader.next('bytes of the table');
  const payloadBytes = reader.next('bytes of the payload');
  const headerEnd = reader.position;
  const crc = reader.take(CRC_BYTES, 'checksum');
  const payload = reader.take(payloadBytes, 'payload');
  if (reader.position !== bytes.length) {
    throw new CorruptChunk(`a block of ${reader.position} bytes in ${bytes.length}`);
  }
  const expected = new DataView(crc.buffer, crc.byteOffset).getUint32(0, true);
  if (expected !== checksum(bytes, headerEnd)) {
    throw new CorruptChunk('the checksum does not match');
  }
  const isCompressed = (flags & COMPRESSED) !== 0;
  return { isCompressed, base, chunkCount, recordBytes, tableBytes, payload };
}

function readChunk(
  table: VarintReader,
  records: VarintReader,
  before: { readonly base: number; readonly count: number; readonly timeMs: number },
): SegmentBlockChunk {
  const countAndMark = table.next('count');
  const count = Math.floor(countAndMark / 2);
  if (count === 0) throw new CorruptChunk('a chunk without messages');
  const timeMs = before.timeMs + table.next('time');
  return {
    base: before.base + before.count,
    count,
    timeMs,
    records: records.take(table.next('bytes of its records'), 'records'),
    bytes: table.next('logical bytes'),
    jsonChecked: countAndMark % 2 === 1,
  };
}

/** Another block of the same size, in place of this one, has a checksum that fits. */
function checkBlock(chunks: readonly SegmentBlockChunk[], block: SegmentBlock): void {
  const [first, last] = [chunks[0], chunks.at(-1)];
  const fits =
    first?.base === block.base &&
    last !== undefined &&
    last.base + last.count === block.end &&
    first.timeMs === block.firstTimeMs &&
    last.timeMs === block.lastTimeMs &&
    chunks.reduce((sum, { bytes }) => sum + bytes, 0) === block.bytes;
  if (!fits) throw new CorruptChunk('not the block of which the index speaks');
}
