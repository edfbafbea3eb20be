/**
 * A value of a large cache (PROTOCOL R17): u the id of the commit that recorded it, n its number, e when it expires.
 * Written in the transaction of that commit, and only over what was read.
 */
import type { RecordedValue } from '../core/log/deduplication.ts';
import type { StreamId } from '../core/log/ids.ts';
import type { Ulid } from '../format/ulid.ts';
import { bytesOf, bytesValue, numberOf, numberValue, textOf, textValue } from './attribute.ts';
import type { Item, TransactionStep } from './table.ts';
import { valueKey } from './table-key.ts';

export interface StoredValue {
  readonly key: string;
  readonly ulid: Uint8Array;
  readonly number: number;
  readonly expiresMs: number;
}

export function decodeValue(item: Item): StoredValue {
  return {
    key: textOf(item, 's'),
    ulid: bytesOf(item, 'u'),
    number: numberOf(item, 'n'),
    expiresMs: numberOf(item, 'e'),
  };
}

export interface NewValue {
  readonly streamId: StreamId;
  readonly key: string;
  readonly value: Pick<RecordedValue, 'number' | 'expiresMs'>;
  readonly ulid: Ulid;
  /** Undefined when there was none. */
  readonly before: StoredValue | undefined;
}

export function putValue({ streamId, key, value, ulid, before }: NewValue): TransactionStep {
  const { k, s } = valueKey(streamId, key);
  const item = {
    k: textValue(k),
    s: textValue(s),
    u: bytesValue(ulid),
    n: numberValue(value.number),
    e: numberValue(value.expiresMs),
  };
  if (before === undefined) return { kind: 'put', item, condition: 'attribute_not_exists(#k)' };
  return {
    kind: 'put',
    item,
    condition: '#u = :read AND #n = :number',
    values: { ':read': bytesValue(before.ulid), ':number': numberValue(before.number) },
  };
}
