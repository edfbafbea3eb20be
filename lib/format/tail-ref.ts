/**
 * A ref: what a stream's tail and its index know of one object of chunks. Small, since every commit
 * rewrites the tail with all of its refs: 22 bytes as a rule, 26 at most.
 *
 *   ulid 16 bytes | varint 2 * count + 1 if it opens a segment | varint logical bytes
 *   | varint zigzag of (time - time of the ulid) in ms
 *
 * Its time is that of its last request; a message's timestamp is the maximum of its own and all before
 * it (SPEC O18), which readers compute.
 */
import { VarintReader, varintBytes, writeVarint } from '../wire/varint.ts';
import { asCorrupt, CorruptChunk } from './corrupt-chunk.ts';
import { ULID_BYTES, type Ulid, ulidOf, ulidTimeMs } from './ulid.ts';

export interface TailRef {
  readonly ulid: Ulid;
  readonly count: number;
  /** Logical bytes of its messages. */
  readonly bytes: number;
  readonly timeMs: number;
  readonly opensSegment: boolean;
}

export function encodeTailRef({ ulid, count, bytes, timeMs, opensSegment }: TailRef): Uint8Array {
  const numbers = [2 * count + (opensSegment ? 1 : 0), bytes, zigzag(timeMs - ulidTimeMs(ulid))];
  const target = new Uint8Array(numbers.reduce((sum, n) => sum + varintBytes(n), ULID_BYTES));
  target.set(ulid);
  numbers.reduce((position, n) => writeVarint(target, n, position), ULID_BYTES);
  return target;
}

/** `what` names the ref in the {@link CorruptChunk} that is thrown on any damage. */
export function decodeTailRef(encoded: Uint8Array, what: string): TailRef {
  try {
    const reader = new VarintReader(encoded);
    const ulid = ulidOf(reader.take(ULID_BYTES, 'ulid'));
    const countAndMark = reader.next('count');
    const bytes = reader.next('bytes');
    const timeMs = ulidTimeMs(ulid) + unzigzag(reader.next('time'));
    if (reader.position !== encoded.length) throw new CorruptChunk('bytes behind the ref');
    const count = Math.floor(countAndMark / 2);
    return { ulid, count, bytes, timeMs, opensSegment: countAndMark % 2 === 1 };
  } catch (error) {
    throw asCorrupt(error, what);
  }
}

function zigzag(n: number): number {
  return n < 0 ? -2 * n - 1 : 2 * n;
}

function unzigzag(n: number): number {
  return n % 2 === 1 ? -(n + 1) / 2 : n / 2;
}
