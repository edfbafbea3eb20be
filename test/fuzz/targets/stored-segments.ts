/**
 * Segment objects as they lie in a bucket, damaged: `CorruptChunk`, or exactly what was packed. With all
 * their checksums mended, as no accident does, they still never take more memory than blocks can hold.
 */
import assert from 'node:assert/strict';
import { crc32 } from 'node:zlib';
import { CorruptChunk } from '../../../lib/format/corrupt-chunk.ts';
import { decodeSegmentBlock } from '../../../lib/format/segment-block.ts';
import { SegmentBuilder, type SegmentChunk } from '../../../lib/format/segment-builder.ts';
import {
  decodeSegmentFooter,
  decodeSegmentIndex,
  SEGMENT_FOOTER_BYTES,
} from '../../../lib/format/segment-index.ts';
import { encodeRecords, recordBytes } from '../../../lib/wire/record.ts';
import { Malformed, VarintReader } from '../../../lib/wire/varint.ts';
import { attempt } from '../attempt.ts';
import type { Chance } from '../chance.ts';
import { joinBytes, mutateBytes } from '../mutate-bytes.ts';
import { randomRecord } from '../random-record.ts';
import { plainTarget } from '../run-rounds.ts';

/** The largest buffer that is taken before its bytes come, and its decoder. */
const HELD_BYTES_MAX = 32 * 1024 * 1024;
const CRC_BYTES = 4;
const MAGIC_BYTES = 3;

export const storedSegments = plainTarget('stored-segments', 3_000, (chance) => {
  const object = randomObject(chance);
  const whole = read(object);
  const damaged = chance.oneIn(8) ? object : mutateBytes(chance, object);
  const decoded = attempt(CorruptChunk, () => read(damaged));
  if (decoded.kind === 'ok') assert.deepEqual(decoded.value, whole);

  const heldBefore = process.memoryUsage().arrayBuffers;
  attempt(CorruptChunk, () => read(forgedObject(chance, object)));
  const held = process.memoryUsage().arrayBuffers - heldBefore;
  assert(held < HELD_BYTES_MAX, `an object of ${object.length} bytes took ${held}`);
});

function read(object: Uint8Array) {
  const footer = object.subarray(-SEGMENT_FOOTER_BYTES);
  const { indexStart } = decodeSegmentFooter(footer, 'a footer');
  const index = decodeSegmentIndex(object.subarray(indexStart), 'an index');
  return index.blocks.map((block) => {
    const bytes = object.subarray(block.start, block.start + block.size);
    return { block, chunks: decodeSegmentBlock(bytes, block, 'a segment') };
  });
}

function randomObject(chance: Chance): Uint8Array {
  const builder = new SegmentBuilder(chance.integer());
  let timeMs = chance.integer();
  const parts = [randomChunk, ...chance.some(4, () => randomChunk)].map((make) => {
    timeMs += chance.below(1_000);
    return builder.add({ ...make(chance), timeMs });
  });
  return joinBytes(...parts, builder.finish().rest);
}

function randomChunk(chance: Chance): Omit<SegmentChunk, 'timeMs'> {
  const long = { body: new Uint8Array(chance.pick([0, 5_000])), contentType: 'text/plain' };
  const records = [long, ...chance.some(4, () => randomRecord(chance))];
  return {
    count: records.length,
    records: encodeRecords(records),
    bytes: records.reduce((sum, record) => sum + recordBytes(record), 0),
    jsonChecked: chance.oneIn(2),
  };
}

/** Its one block and its index with other bytes, under checksums and a footer that fit them. */
function forgedObject(chance: Chance, object: Uint8Array): Uint8Array {
  const { indexStart } = decodeSegmentFooter(object, 'a footer');
  const indexEnd = object.length - SEGMENT_FOOTER_BYTES - CRC_BYTES;
  const block = object.slice(MAGIC_BYTES, indexStart);
  const index = object.slice(indexStart, indexEnd);
  const forgedBlock = chance.oneIn(3) ? block : withChecksum(mutateBytes(chance, block).slice());
  const forgedIndex = chance.oneIn(2) ? index : mutateBytes(chance, index);
  const blocksEnd = MAGIC_BYTES + forgedBlock.length;
  const objectBytes = blocksEnd + forgedIndex.length + CRC_BYTES + SEGMENT_FOOTER_BYTES;
  const footer = sealed(u64s(blocksEnd, objectBytes));
  const magic = object.subarray(0, MAGIC_BYTES);
  return joinBytes(magic, forgedBlock, sealed(forgedIndex), footer, magic);
}

/** Where the header of the block can be read at all: behind it come four bytes, then what they cover too. */
function withChecksum(block: Uint8Array): Uint8Array {
  const reader = new VarintReader(block, 1);
  const header = attempt(Malformed, () => {
    for (let numbers = 0; numbers < 5; numbers++) reader.next('a number');
  });
  const end = reader.position;
  if (header.kind === 'refused' || end + CRC_BYTES > block.length) return block;
  const checksum = crc32(block.subarray(end + CRC_BYTES), crc32(block.subarray(0, end)));
  new DataView(block.buffer).setUint32(end, checksum, true);
  return block;
}

function u64s(...numbers: readonly number[]): Uint8Array {
  const target = new Uint8Array(8 * numbers.length);
  numbers.forEach((n, index) => {
    new DataView(target.buffer).setBigUint64(8 * index, BigInt(n), true);
  });
  return target;
}

function sealed(covered: Uint8Array): Uint8Array {
  const crc = new Uint8Array(CRC_BYTES);
  new DataView(crc.buffer).setUint32(0, crc32(covered), true);
  return joinBytes(covered, crc);
}
