/** Records as zstd frames: the one place that knows when that pays, and how far a frame may grow. */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** Below this the time for a call of zstd is worth more than the bytes it saves. */
const COMPRESSED_FROM_BYTES = 1024;
/** Node takes no smaller one. */
const CHUNK_SIZE_MIN = 64;
/** Above the records of any request; a header that claims more gets its memory when the bytes come. */
const CHUNK_SIZE_MAX = 8 * 1024 * 1024;
/** Readers pay for every decompression, so what hardly shrinks is stored as it is. */
const SAVED_SHARE_MIN = 1 / 8;
/** Level 1 took 551 MiB/s where level 3 took 328, for a few percent of size. */
const LEVEL_1 = { [constants.ZSTD_c_compressionLevel]: 1 };
/** What zstd adds to bytes that do not shrink at all is far less. */
const ADDED_BYTES = 512;

/** Undefined when the records are better stored as they are. */
export function compressRecords(records: Uint8Array): Uint8Array | undefined {
  if (records.length < COMPRESSED_FROM_BYTES) return undefined;
  const compressed = zstdCompressSync(records, {
    params: LEVEL_1,
    // As when decompressing, one buffer instead of pieces of 16 KiB: 1.9 ms for a MiB of JSON, not 2.6.
    chunkSize: Math.min(records.length + ADDED_BYTES, CHUNK_SIZE_MAX),
  });
  return compressed.length <= records.length * (1 - SAVED_SHARE_MIN) ? compressed : undefined;
}

/** The bound keeps a forged payload from growing beyond what its header says. */
export function decompressRecords(payload: Uint8Array, recordBytes: number): Uint8Array {
  const { buffer, byteOffset, length } = zstdDecompressSync(payload, {
    maxOutputLength: Math.max(recordBytes, 1),
    // All of it in one buffer, which never runs full: by default it comes in pieces of 16 KiB that are
    // then copied together: 0.40 ms for a MiB, and 0.16 so.
    chunkSize: Math.min(Math.max(recordBytes + 1, CHUNK_SIZE_MIN), CHUNK_SIZE_MAX),
  });
  return new Uint8Array(buffer, byteOffset, length);
}
