/**
 * A chunk: the messages of one publish as they are stored, immutable.
 *
 *   'V' 0x56 | 'C' 0x43 | version 0x01 | flags u8 | varint count | varint logical bytes
 *   | varint record bytes | varint payload bytes | crc-32 u32 little endian | payload
 *
 * The payload is the records (wire/record), compressed when flag 1 says so. The CRC covers all but itself:
 * a chunk with any byte changed, cut off or added is refused, never decoded to something else.
 */
import { crc32 } from 'node:zlib';
import { VarintReader, varintBytes, writeVarint } from '../wire/varint.ts';
import { asCorrupt, CorruptChunk } from './corrupt-chunk.ts';
import { compressRecords, decompressRecords } from './record-compression.ts';

/** What a chunk holds: the messages of one publish, as records one after the other. */
export interface ChunkContent {
  readonly count: number;
  readonly records: Uint8Array;
  /** Logical bytes of all messages. */
  readonly bytes: number;
  /** True when every body of a JSON content type was parsed. */
  readonly jsonChecked: boolean;
}

const PREFIX = [0x56, 0x43, 1] as const;
const COMPRESSED = 1;
const JSON_CHECKED = 2;
const CRC_BYTES = 4;

export function encodeChunk(content: ChunkContent): Uint8Array {
  const compressed = compressRecords(content.records);
  const payload = compressed ?? content.records;
  const numbers = [content.count, content.bytes, content.records.length, payload.length];
  let headerEnd = PREFIX.length + 1;
  for (const number of numbers) headerEnd += varintBytes(number);

  const target = new Uint8Array(headerEnd + CRC_BYTES + payload.length);
  target.set(PREFIX);
  target[PREFIX.length] = (compressed ? COMPRESSED : 0) | (content.jsonChecked ? JSON_CHECKED : 0);
  let position = PREFIX.length + 1;
  for (const number of numbers) position = writeVarint(target, number, position);
  target.set(payload, headerEnd + CRC_BYTES);
  new DataView(target.buffer).setUint32(headerEnd, checksum(target, headerEnd), true);
  return target;
}

function checksum(chunk: Uint8Array, headerEnd: number): number {
  return crc32(chunk.subarray(headerEnd + CRC_BYTES), crc32(chunk.subarray(0, headerEnd)));
}

/**
 * The records are a view of `chunk` unless they were compressed. `what` names the chunk in the
 * {@link CorruptChunk} that is thrown when it is not exactly one undamaged chunk.
 */
export function decodeChunk(chunk: Uint8Array, what: string): ChunkContent {
  try {
    return decode(chunk);
  } catch (error) {
    throw asCorrupt(error, what);
  }
}

function decode(chunk: Uint8Array): ChunkContent {
  const reader = new VarintReader(chunk);
  const { flags, count, bytes, recordBytes, payloadBytes } = readHeader(reader);
  const headerEnd = reader.position;
  const crc = reader.take(CRC_BYTES, 'checksum');
  const payload = reader.take(payloadBytes, 'payload');
  if (reader.position !== chunk.length) {
    throw new CorruptChunk(`a chunk of ${reader.position} bytes in ${chunk.length}`);
  }
  if (littleEndian(crc) !== checksum(chunk, headerEnd)) {
    throw new CorruptChunk('the checksum does not match');
  }
  const records = (flags & COMPRESSED) === 0 ? payload : decompressRecords(payload, recordBytes);
  if (records.length !== recordBytes) {
    throw new CorruptChunk(`${records.length} bytes of records, not ${recordBytes}`);
  }
  return { count, records, bytes, jsonChecked: (flags & JSON_CHECKED) !== 0 };
}

function readHeader(reader: VarintReader) {
  const prefix = reader.take(PREFIX.length, 'magic');
  if (PREFIX.some((byte, index) => prefix[index] !== byte)) {
    throw new CorruptChunk(`no chunk of version ${PREFIX[2]}`);
  }
  const flags = reader.take(1, 'flags')[0] ?? 0;
  if ((flags & ~(COMPRESSED | JSON_CHECKED)) !== 0) {
    throw new CorruptChunk(`unknown flags ${flags}`);
  }
  return {
    flags,
    count: reader.next('message count'),
    bytes: reader.next('logical bytes'),
    recordBytes: reader.next('record bytes'),
    payloadBytes: reader.next('payload bytes'),
  };
}

function littleEndian(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
}
