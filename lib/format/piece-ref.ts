/**
 * A piece ref: what the item of a sealed segment knows of one object that holds a part of it.
 *
 *   ulid 16 bytes | varint messages | varint bytes of the object | varint where its index begins
 *
 * The pieces of a segment follow on one another, so their offsets need not be stored.
 */
import { VarintReader, varintBytes, writeVarint } from '../wire/varint.ts';
import { asCorrupt, CorruptChunk } from './corrupt-chunk.ts';
import { ULID_BYTES, type Ulid, ulidOf } from './ulid.ts';

export interface PieceRef {
  readonly ulid: Ulid;
  /** Messages. */
  readonly count: number;
  /** Of the object as stored. */
  readonly bytes: number;
  /** The index takes the object's bytes [indexStart, bytes). */
  readonly indexStart: number;
}

export function encodePieceRef({ ulid, count, bytes, indexStart }: PieceRef): Uint8Array {
  const numbers = [count, bytes, indexStart];
  const target = new Uint8Array(numbers.reduce((sum, n) => sum + varintBytes(n), ULID_BYTES));
  target.set(ulid);
  numbers.reduce((position, n) => writeVarint(target, n, position), ULID_BYTES);
  return target;
}

/** `what` names the ref in the {@link CorruptChunk} that is thrown on any damage. */
export function decodePieceRef(encoded: Uint8Array, what: string): PieceRef {
  try {
    const reader = new VarintReader(encoded);
    const ulid = ulidOf(reader.take(ULID_BYTES, 'ulid'));
    const count = reader.next('messages');
    const bytes = reader.next('bytes');
    const indexStart = reader.next('start of the index');
    if (reader.position !== encoded.length) throw new CorruptChunk('bytes behind the ref');
    if (indexStart >= bytes) throw new CorruptChunk('an index behind the object');
    return { ulid, count, bytes, indexStart };
  } catch (error) {
    throw asCorrupt(error, what);
  }
}
