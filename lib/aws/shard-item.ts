/**
 * What a shard of held messages is doing (PROTOCOL R12): v rises with every plan, its end and every cancellation; q
 * counts plans; w is 1 while a function was woken that has not looked yet. An open plan: d ids, p what each stream
 * gets of them, as places in their order, x how many go nowhere, and why.
 */

import type { StreamName } from '../core/log/ids.ts';
import { streamId } from '../core/log/ids.ts';
import type { HeldId } from '../core/timer/held-id.ts';
import type { DropReason, Sending } from '../core/timer/release-plan.ts';
import { decodeHeldId, encodeHeldId } from '../format/held-object.ts';
import { VarintReader, varintBytes, writeVarint } from '../wire/varint.ts';
import {
  asBytes,
  asList,
  asNumber,
  asText,
  bytesValue,
  listOf,
  listValue,
  numberOf,
  numberValue,
  setOf,
  textValue,
} from './attribute.ts';
import type { Attribute, Item, PutRequest, UpdateRequest } from './table.ts';
import { shardKey } from './table-key.ts';

export interface OpenPlan {
  readonly seq: number;
  /** In their order. */
  readonly ids: readonly HeldId[];
  readonly sendings: readonly Sending[];
  readonly dropped: { readonly [Reason in DropReason]: number };
}

export interface ShardState {
  readonly version: number;
  readonly seq: number;
  readonly plan: OpenPlan | undefined;
}

const NEW_SHARD: ShardState = { version: 0, seq: 0, plan: undefined };

export function decodeShard(item: Item | undefined): ShardState {
  if (item === undefined) return NEW_SHARD;
  const [version, seq] = [numberOf(item, 'v'), numberOf(item, 'q')];
  if (item['p'] === undefined) return { version, seq, plan: undefined };
  const [unroutable, deleted] = listOf(item, 'x').map((n) => asNumber(n, () => 'dropped'));
  const plan = {
    seq,
    ids: setOf(item, 'd').map(decodeHeldId).sort(),
    sendings: listOf(item, 'p').map(decodeSending),
    dropped: { unroutable: unroutable ?? 0, target_deleted: deleted ?? 0 },
  };
  return { version, seq, plan };
}

/** A shard has an item from its first need of one on. */
export function newShard(shard: number, isAwake: boolean): PutRequest {
  const { k, s } = shardKey(shard);
  const item = {
    k: textValue(k),
    s: textValue(s),
    v: numberValue(0),
    q: numberValue(0),
    w: numberValue(isAwake ? 1 : 0),
  };
  return { item, condition: 'attribute_not_exists(#k)' };
}

/** Refused when anything happened since the shard was read: another plan, or a cancellation. */
export function planUpdate(shard: number, read: ShardState, plan: OpenPlan): UpdateRequest {
  const { unroutable, target_deleted: deleted } = plan.dropped;
  return {
    key: shardKey(shard),
    update: 'SET #v = #v + :one, #q = :seq, #d = :ids, #p = :sendings, #x = :dropped',
    condition: '#v = :read AND attribute_not_exists(#p)',
    values: {
      ':one': numberValue(1),
      ':seq': numberValue(plan.seq),
      ':read': numberValue(read.version),
      ':ids': { BS: plan.ids.map(encodeHeldId) },
      ':sendings': listValue(...plan.sendings.map(encodeSending)),
      ':dropped': listValue(numberValue(unroutable), numberValue(deleted)),
    },
  };
}

export function doneUpdate(shard: number, seq: number): UpdateRequest {
  return {
    key: shardKey(shard),
    update: 'SET #v = #v + :one REMOVE #d, #p, #x',
    condition: '#q = :seq AND attribute_exists(#p)',
    values: { ':one': numberValue(1), ':seq': numberValue(seq) },
  };
}

function encodeSending({ destination, indexes, recordedBefore }: Sending): Attribute {
  return listValue(
    textValue(destination.name),
    bytesValue(Buffer.from(destination.id, 'hex')),
    bytesValue(encodePlaces(indexes)),
    bytesValue(encodePlaces(recordedBefore)),
  );
}

function decodeSending(value: Attribute): Sending {
  const what = () => 'what a stream gets by a plan';
  const [name, id, indexes, before] = asList(value, what);
  return {
    destination: {
      name: asText(name, what) as StreamName,
      id: streamId(Buffer.from(asBytes(id, what)).toString('hex')),
    },
    indexes: decodePlaces(asBytes(indexes, what)),
    recordedBefore: decodePlaces(asBytes(before, what)),
  };
}

/** Runs, as varints: how far behind the end of the run before, and how many. */
function encodePlaces(places: readonly number[]): Uint8Array {
  const numbers: number[] = [];
  let [start, end, last] = [0, 0, 0];
  for (const place of [...places, Number.POSITIVE_INFINITY]) {
    if (place === end) {
      end++;
      continue;
    }
    if (end > start) numbers.push(start - last, end - start);
    last = end;
    [start, end] = [place, place + 1];
  }
  const target = new Uint8Array(numbers.reduce((sum, number) => sum + varintBytes(number), 0));
  numbers.reduce((position, number) => writeVarint(target, number, position), 0);
  return target;
}

function decodePlaces(encoded: Uint8Array): readonly number[] {
  const reader = new VarintReader(encoded);
  const places: number[] = [];
  let next = 0;
  while (reader.position < encoded.length) {
    next += reader.next('gap');
    for (let left = reader.next('count'); left > 0; left--) places.push(next++);
  }
  return places;
}
