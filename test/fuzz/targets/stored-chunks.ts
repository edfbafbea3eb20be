/**
 * Chunks and run refs as they lie on a disk, damaged: `CorruptChunk`, or exactly what was stored. With
 * their checksum mended, as no accident does, they still never take more memory than chunks can hold.
 */
import assert from 'node:assert/strict';
import { crc32 } from 'node:zlib';
import { type ChunkContent, decodeChunk, encodeChunk } from '../../../lib/format/chunk.ts';
import { CorruptChunk } from '../../../lib/format/corrupt-chunk.ts';
import { decodeRunRefs, encodeRunRefs, type RunRefs } from '../../../lib/format/run-refs.ts';
import { Malformed, VarintReader } from '../../../lib/wire/varint.ts';
import { attempt } from '../attempt.ts';
import type { Chance } from '../chance.ts';
import { mutateBytes } from '../mutate-bytes.ts';
import { plainTarget } from '../run-rounds.ts';

/** A request of 4 MiB, encoded, and its decoder. */
const HELD_BYTES_MAX = 32 * 1024 * 1024;

export const storedChunks = plainTarget('stored-chunks', 5_000, (chance) => {
  const content = randomContent(chance);
  const chunk = encodeChunk(content);
  const damaged = chance.oneIn(8) ? chunk : mutateBytes(chance, chunk);
  const decoded = attempt(CorruptChunk, () => decodeChunk(damaged, 'a chunk'));
  if (decoded.kind === 'ok') assert.deepEqual(decoded.value, content);
  checkForged(damaged);

  const run = randomRun(chance);
  const refs = attempt(CorruptChunk, () => decodeRunRefs(damagedRefs(chance, run), 'a run'));
  if (refs.kind === 'ok') assert.deepEqual(refs.value, run);
  attempt(CorruptChunk, () => decodeRunRefs(sealed(chance.bytes(30)), 'a forged run'));
});

function randomContent(chance: Chance): ChunkContent {
  const records = chance.oneIn(2)
    ? chance.bytes(200)
    : Uint8Array.from({ length: chance.below(5_000) }, (_, index) => index % 7);
  return {
    count: chance.integer(),
    records,
    bytes: chance.integer(),
    jsonChecked: chance.oneIn(2),
  };
}

function randomRun(chance: Chance): RunRefs {
  let timeMs = chance.integer();
  const refs = chance.some(5, () => {
    timeMs += chance.below(1_000);
    return {
      count: chance.below(10_000),
      chunkBytes: chance.integer(),
      timeMs,
      opensSegment: chance.oneIn(3),
    };
  });
  return { base: chance.integer(), refs };
}

function damagedRefs(chance: Chance, run: RunRefs): Uint8Array {
  const encoded = encodeRunRefs(run);
  return chance.oneIn(8) ? encoded : mutateBytes(chance, encoded);
}

/** Behind all that it covers. */
function sealed(covered: Uint8Array): Uint8Array {
  const target = new Uint8Array(covered.length + 4);
  target.set(covered);
  new DataView(target.buffer).setUint32(covered.length, crc32(covered), true);
  return target;
}

function checkForged(damaged: Uint8Array): void {
  const forged = withChecksum(damaged.slice());
  const heldBefore = process.memoryUsage().arrayBuffers;
  const decoded = attempt(CorruptChunk, () => decodeChunk(forged, 'a forged chunk'));
  const held = process.memoryUsage().arrayBuffers - heldBefore;
  assert(held < HELD_BYTES_MAX, `a chunk of ${forged.length} bytes took ${held}`);
  if (decoded.kind === 'ok') assert(Number.isSafeInteger(decoded.value.count));
}

/** Where the header can be read at all: behind it come four bytes, and then what is covered with it. */
function withChecksum(chunk: Uint8Array): Uint8Array {
  const reader = new VarintReader(chunk, 4);
  const header = attempt(Malformed, () => {
    for (let numbers = 0; numbers < 4; numbers++) reader.next('a number');
  });
  const end = reader.position;
  if (header.kind === 'refused' || end + 4 > chunk.length) return chunk;
  const checksum = crc32(chunk.subarray(end + 4), crc32(chunk.subarray(0, end)));
  new DataView(chunk.buffer).setUint32(end, checksum, true);
  return chunk;
}
