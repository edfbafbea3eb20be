/**
 * What exchanges remember of values (PROTOCOL R18): an item for each value in the partition of its exchange, with r its
 * record's id, n number, c when it was made, x when it expires, d the destinations (name to id), o the names of those
 * that have the message. Beside them `!`: c the highest number that was given.
 */
import { streamId } from '../core/log/ids.ts';
import type { ExchangeId } from '../core/routing/exchange.ts';
import type { StreamDestination } from '../core/routing/route.ts';
import type { RecordClaim, RoutingRecord } from '../core/routing/routing-record.ts';
import {
  asBytes,
  bytesValue,
  mapOf,
  mapValue,
  numberOf,
  numberValue,
  textValue,
} from './attribute.ts';
import type { Item, ItemKey, PutRequest, Table, TransactionStep, UpdateRequest } from './table.ts';
import { recordKey } from './table-key.ts';
import { valueHash } from './value-ring.ts';

/** All that a map of names says of one that is in it. */
const HAS_IT = numberValue(1);

export function keyOfRecord(exchangeId: ExchangeId, value: string): ItemKey {
  return recordKey(exchangeId, valueHash(value).key);
}

export function decodeRecord(item: Item): RoutingRecord {
  const names = mapOf(item, 'd');
  const taken = mapOf(item, 'o');
  const destinations = Object.entries(names).map(([name, id]) => ({
    name: name as StreamDestination['name'],
    id: streamId(Buffer.from(asBytes(id, () => `destination ${name}`)).toString('hex')),
  }));
  const { r } = item;
  return {
    rid: Buffer.from(asBytes(r, () => 'the id of a record')).toString('hex'),
    number: numberOf(item, 'n'),
    startedMs: numberOf(item, 'c'),
    expiresMs: numberOf(item, 'x'),
    destinations,
    taken: new Set(destinations.flatMap(({ name, id }) => (name in taken ? [id] : []))),
  };
}

/** Over the record as it was read, while what was not taken by anybody still is not. */
export function putRecord(
  key: ItemKey,
  record: RoutingRecord,
  before: RoutingRecord | undefined,
): PutRequest {
  const destinations = record.destinations.map(
    ({ name, id }) => [name, bytesValue(Buffer.from(id, 'hex'))] as const,
  );
  const item = {
    k: textValue(key.k),
    s: textValue(key.s),
    r: ridValue(record.rid),
    n: numberValue(record.number),
    c: numberValue(record.startedMs),
    x: numberValue(record.expiresMs),
    d: mapValue(Object.fromEntries(destinations)),
    o: mapValue({}),
  };
  if (before === undefined) return { item, condition: 'attribute_not_exists(#k)' };
  return {
    item,
    condition: '#r = :before AND size(#o) = :taken',
    values: { ':before': ridValue(before.rid), ':taken': numberValue(before.taken.size) },
  };
}

/** Notes that the stream has the message: only in that record, and only once. */
function takeRecord(
  { exchangeId, value, rid }: RecordClaim,
  stream: StreamDestination['name'],
): UpdateRequest {
  return {
    key: keyOfRecord(exchangeId, value),
    update: 'SET #o.#to = :hasIt',
    condition: '#r = :rid AND attribute_not_exists(#o.#to)',
    names: { '#to': stream },
    values: { ':hasIt': HAS_IT, ':rid': ridValue(rid) },
  };
}

export function takeSteps(
  stream: StreamDestination['name'],
  claims: readonly RecordClaim[],
): readonly TransactionStep[] {
  return claims.map((claim) => ({ kind: 'update', ...takeRecord(claim, stream) }));
}

/** Of what a commit stores nothing of, since the stream knows it: refused, another one has noted it. */
export async function takeKnown(
  table: Table,
  stream: StreamDestination['name'],
  claims: readonly RecordClaim[],
): Promise<void> {
  await Promise.all(claims.map((claim) => table.update(takeRecord(claim, stream), 'harmless')));
}

export function ridValue(rid: string) {
  return bytesValue(Buffer.from(rid, 'hex'));
}
