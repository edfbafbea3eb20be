/**
 * A held message (PROTOCOL R12), in the partition of its target's shard, under its id: i the target's id, n its name
 * if it is a stream, e if it is an exchange; b the record, or c if its JSON was checked; or o, where that lies: the id
 * of an object, varints of offset, length and twice the logical bytes, 1 more if its JSON was checked. h is when it
 * came in, unless the id says the same.
 */

import type { StreamName } from '../core/log/ids.ts';
import { streamId } from '../core/log/ids.ts';
import { type ExchangeName, exchangeId } from '../core/routing/exchange.ts';
import { type HeldId, storedHeldId } from '../core/timer/held-id.ts';
import type { HeldMessage, HeldTarget } from '../core/timer/held-message.ts';
import type { HeldPlace } from '../format/held-object.ts';
import { ULID_BYTES, type Ulid, ulidOf } from '../format/ulid.ts';
import { logicalBytes } from '../wire/record.ts';
import { VarintReader, varintBytes, writeVarint } from '../wire/varint.ts';
import { bytesOf, bytesValue, numberOf, numberValue, textOf, textValue } from './attribute.ts';
import type { Attribute, Item, ItemKey } from './table.ts';
import { timerKey, timerShard } from './table-key.ts';

export type HeldBody =
  | { readonly kind: 'inline'; readonly record: Uint8Array }
  | ({ readonly kind: 'object'; readonly ulid: Ulid } & HeldPlace);

export interface StoredTimer {
  readonly message: HeldMessage;
  /** As of a batch: the body was parsed if it is JSON. */
  readonly jsonChecked: boolean;
  readonly body: HeldBody;
}

/** Of the id: the time that it was made at lies behind that at which it is due. */
const MADE_AT = { start: 12, end: 24 };

export function keyOfTimer({ id, target }: Pick<HeldMessage, 'id' | 'target'>): ItemKey {
  return timerKey(timerShard(target.id), id);
}

export function encodeTimer({ message, jsonChecked, body }: StoredTimer): Item {
  const { id, target, heldMs, bytes } = message;
  const { k, s } = keyOfTimer(message);
  return {
    k: textValue(k),
    s: textValue(s),
    i: bytesValue(Buffer.from(target.id, 'hex')),
    [target.kind === 'stream' ? 'n' : 'e']: textValue(target.name),
    ...(heldMs !== madeMs(id) && { h: numberValue(heldMs) }),
    ...(body.kind === 'inline'
      ? { [jsonChecked ? 'c' : 'b']: bytesValue(body.record) }
      : { o: encodePlace(body, 2 * bytes + Number(jsonChecked)) }),
  };
}

export function decodeTimer(item: Item): StoredTimer {
  const id = storedHeldId(textOf(item, 's'));
  const common = {
    id,
    target: decodeTarget(item),
    heldMs: item['h'] === undefined ? madeMs(id) : numberOf(item, 'h'),
  };
  if (item['o'] !== undefined) {
    const { size, ...place } = decodePlace(bytesOf(item, 'o'));
    return {
      message: { ...common, bytes: Math.floor(size / 2) },
      jsonChecked: size % 2 === 1,
      body: { kind: 'object', ...place },
    };
  }
  const jsonChecked = item['c'] !== undefined;
  const record = bytesOf(item, jsonChecked ? 'c' : 'b');
  return {
    message: { ...common, bytes: logicalBytes(record, 1) },
    jsonChecked,
    body: { kind: 'inline', record },
  };
}

function decodeTarget(item: Item): HeldTarget {
  const id = Buffer.from(bytesOf(item, 'i')).toString('hex');
  return item['n'] === undefined
    ? { kind: 'exchange', name: textOf(item, 'e') as ExchangeName, id: exchangeId(id) }
    : { kind: 'stream', name: textOf(item, 'n') as StreamName, id: streamId(id) };
}

function madeMs(id: HeldId): number {
  return Number.parseInt(id.slice(MADE_AT.start, MADE_AT.end), 16);
}

function encodePlace(
  { ulid, offset, length }: HeldPlace & { readonly ulid: Ulid },
  size: number,
): Attribute {
  const numbers = [offset, length, size];
  const encodedBytes = numbers.reduce((sum, number) => sum + varintBytes(number), ULID_BYTES);
  const target = new Uint8Array(encodedBytes);
  target.set(ulid);
  numbers.reduce((position, number) => writeVarint(target, number, position), ULID_BYTES);
  return bytesValue(target);
}

function decodePlace(encoded: Uint8Array) {
  const reader = new VarintReader(encoded);
  return {
    ulid: ulidOf(reader.take(ULID_BYTES, 'id of an object')),
    offset: reader.next('offset'),
    length: reader.next('length'),
    size: reader.next('bytes'),
  };
}
