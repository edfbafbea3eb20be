/**
 * The values that a tail remembers itself (PROTOCOL R17), the latest last, 16 bytes each:
 *
 *   the first 10 bytes of the value's hash | 6 bytes when it expires
 *
 * All zero for one that has an item of its own instead. Their numbers follow one another up to the tail's.
 */
import { createHash } from 'node:crypto';
import { forgottenThrough, type RecordedValue } from '../core/log/deduplication.ts';

const HASH_BYTES = 10;
const ENTRY_BYTES = 16;
/** 132 bits: as text, since it is a sort key. */
const KEY_CHARACTERS = 22;

export interface ValueRing {
  readonly bytes: Uint8Array;
  /** Of its last value; 0 when there never was one. */
  readonly number: number;
}

export const NO_BYTES = new Uint8Array(0);

export interface ValueHash {
  readonly bytes: Uint8Array;
  /** By what an item is found. */
  readonly key: string;
}

export function valueHash(value: string): ValueHash {
  const digest = createHash('sha256').update(value).digest();
  return {
    bytes: digest.subarray(0, HASH_BYTES),
    key: digest.toString('base64url').slice(0, KEY_CHARACTERS),
  };
}

/** The latest with this hash. */
export function findInRing(
  { bytes, number }: ValueRing,
  hash: ValueHash,
): Pick<RecordedValue, 'number' | 'expiresMs'> | undefined {
  const ring = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const last = ring.length - ENTRY_BYTES;
  for (let at = last; at >= 0; at -= ENTRY_BYTES) {
    if (ring.compare(hash.bytes, 0, HASH_BYTES, at, at + HASH_BYTES) !== 0) continue;
    const expiresMs = ring.readUIntBE(at + HASH_BYTES, ENTRY_BYTES - HASH_BYTES);
    return { number: number - (last - at) / ENTRY_BYTES, expiresMs };
  }
  return undefined;
}

/** Whether some of the values that a cache of this size holds are to be looked for elsewhere. */
export function hasBlanks({ bytes, number }: ValueRing, count: number, size: number): boolean {
  if (number < count) return true;
  const kept = bytes.subarray(Math.max(bytes.length - size * ENTRY_BYTES, 0));
  for (let at = 0; at < kept.length; at += ENTRY_BYTES) {
    if (kept.subarray(at, at + ENTRY_BYTES).every((byte) => byte === 0)) return true;
  }
  return false;
}

/** With what was recorded behind `count` values; those that have items in between leave blanks. */
export function extendRing(
  { bytes, number }: ValueRing,
  {
    count,
    recorded,
    size,
  }: {
    readonly count: number;
    readonly recorded: readonly RecordedValue[];
    readonly size: number;
  },
): Uint8Array {
  const through = forgottenThrough(count + recorded.length, size);
  const blanks = Math.min(count - number, size);
  const ring = Buffer.concat([
    bytes,
    new Uint8Array(blanks * ENTRY_BYTES),
    ...recorded.filter((one) => one.number > through).map(encodeEntry),
  ]);
  return ring.subarray(Math.max(ring.length - size * ENTRY_BYTES, 0));
}

function encodeEntry({ value, expiresMs }: RecordedValue): Uint8Array {
  const entry = Buffer.alloc(ENTRY_BYTES);
  entry.set(valueHash(value).bytes);
  entry.writeUIntBE(expiresMs, HASH_BYTES, ENTRY_BYTES - HASH_BYTES);
  return entry;
}
