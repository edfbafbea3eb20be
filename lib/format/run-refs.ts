/**
 * A run: consecutive chunks of one stream that one commit stored, one after the other in one value. Its
 * refs lie beside it and say where each chunk begins and when it was taken in, so nothing else is read:
 *
 *   varint base offset | refs | crc-32 u32 little endian of all before
 *   ref: varint 2 * count + 1 if it opens a segment | varint chunk bytes | varint ms since the ref before
 *
 * The first ref's ms count from 1970. Only the first chunk of a run can open a segment.
 */
import { crc32 } from 'node:zlib';
import { VarintReader, varintBytes, writeVarint } from '../wire/varint.ts';
import { asCorrupt, CorruptChunk } from './corrupt-chunk.ts';

export interface ChunkRef {
  readonly count: number;
  /** Bytes of the chunk as stored, its header among them. */
  readonly chunkBytes: number;
  readonly timeMs: number;
  readonly opensSegment: boolean;
}

export interface RunRefs {
  /** Offset of the first message; that of each chunk follows from the counts. */
  readonly base: number;
  readonly refs: readonly ChunkRef[];
}

const CRC_BYTES = 4;

export function encodeRunRefs({ base, refs }: RunRefs): Uint8Array {
  const numbers = [base];
  let timeMs = 0;
  for (const ref of refs) {
    numbers.push(2 * ref.count + (ref.opensSegment ? 1 : 0), ref.chunkBytes, ref.timeMs - timeMs);
    timeMs = ref.timeMs;
  }
  const target = new Uint8Array(numbers.reduce((sum, n) => sum + varintBytes(n), CRC_BYTES));
  const end = numbers.reduce((position, n) => writeVarint(target, n, position), 0);
  new DataView(target.buffer).setUint32(end, crc32(target.subarray(0, end)), true);
  return target;
}

/** `what` names the run in the {@link CorruptChunk} that is thrown on any damage. */
export function decodeRunRefs(encoded: Uint8Array, what: string): RunRefs {
  try {
    return decode(encoded);
  } catch (error) {
    throw asCorrupt(error, what);
  }
}

function decode(encoded: Uint8Array): RunRefs {
  const end = encoded.length - CRC_BYTES;
  if (end < 1) throw new CorruptChunk(`refs of ${encoded.length} bytes`);
  const crc = new DataView(encoded.buffer, encoded.byteOffset).getUint32(end, true);
  if (crc !== crc32(encoded.subarray(0, end))) {
    throw new CorruptChunk('the checksum of the refs does not match');
  }
  const reader = new VarintReader(encoded.subarray(0, end));
  const base = reader.next('base');
  const refs: ChunkRef[] = [];
  for (let timeMs = 0; reader.position < end; ) {
    const countAndMark = reader.next('count');
    const chunkBytes = reader.next('chunk bytes');
    timeMs += reader.next('time');
    const count = Math.floor(countAndMark / 2);
    refs.push({ count, chunkBytes, timeMs, opensSegment: countAndMark % 2 === 1 });
  }
  return { base, refs };
}
