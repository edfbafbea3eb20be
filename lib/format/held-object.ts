/**
 * An object of held messages that are too large for items: those of one commit, with their ids in front, by which
 * whoever removes one of them learns which others need the object.
 *
 *   'V' 0x56 | 'H' 0x48 | version 0x01 | count u8 | ids, 22 bytes each | records (wire/record)
 */
import { assert } from '../core/assert.ts';
import { type HeldId, storedHeldId } from '../core/timer/held-id.ts';
import { HELD_PER_REQUEST_MAX } from '../core/timer/held-message.ts';
import { joinBytes } from '../wire/record-list.ts';
import { VarintReader } from '../wire/varint.ts';
import { asCorrupt, CorruptChunk } from './corrupt-chunk.ts';

/** Where a record lies in its object. */
export interface HeldPlace {
  readonly offset: number;
  readonly length: number;
}

export interface HeldObject {
  readonly bytes: Uint8Array;
  /** In the order of the messages. */
  readonly places: readonly HeldPlace[];
}

interface LargeMessage {
  readonly id: HeldId;
  readonly record: Uint8Array;
}

const PREFIX = [0x56, 0x48, 1] as const;
const ID_BYTES = 22;

/** So much of an object holds all its ids. */
export const HELD_HEADER_BYTES_MAX = PREFIX.length + 1 + HELD_PER_REQUEST_MAX * ID_BYTES;

export function encodeHeldId(id: HeldId): Uint8Array {
  return Buffer.from(id, 'hex');
}

export function decodeHeldId(bytes: Uint8Array): HeldId {
  return storedHeldId(Buffer.from(bytes).toString('hex'));
}

export function encodeHeldObject(messages: readonly LargeMessage[]): HeldObject {
  assert(messages.length <= HELD_PER_REQUEST_MAX, 'more held messages than a commit may have');
  const header = joinBytes([
    Uint8Array.of(...PREFIX, messages.length),
    ...messages.map(({ id }) => encodeHeldId(id)),
  ]);
  let offset = header.length;
  const places = messages.map(({ record: { length } }) => {
    const place = { offset, length };
    offset += length;
    return place;
  });
  return { bytes: joinBytes([header, ...messages.map(({ record }) => record)]), places };
}

/** From the object, or from its first bytes. `what` names it in the error that is thrown on damage. */
export function decodeHeldIds(object: Uint8Array, what: string): readonly HeldId[] {
  try {
    const reader = new VarintReader(object);
    const prefix = reader.take(PREFIX.length, 'magic');
    if (PREFIX.some((byte, index) => prefix[index] !== byte)) {
      throw new CorruptChunk(`no held messages of version ${PREFIX[2]}`);
    }
    const count = reader.byte('count');
    return Array.from({ length: count }, () => decodeHeldId(reader.take(ID_BYTES, 'id')));
  } catch (error) {
    throw asCorrupt(error, what);
  }
}
