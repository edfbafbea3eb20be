/**
 * The index of a stream: items of up to 16 refs that left the tail together, by the offset of the first,
 * each with the maximum time of everything before it. Items are immutable and appear only at the end
 * (PROTOCOL R2); what is below the retained range may be gone.
 */
import type { StreamId } from '../core/log/ids.ts';
import { decodeTailRef, encodeTailRef, type TailRef } from '../format/tail-ref.ts';
import {
  asBytes,
  bytesValue,
  listOf,
  listValue,
  numberOf,
  numberValue,
  textOf,
  textValue,
} from './attribute.ts';
import { type PlacedRef, placeRefs, type RefsStart } from './placed-refs.ts';
import type { Item, Table } from './table.ts';
import { indexPartition, offsetSortKey } from './table-key.ts';

export interface IndexItem extends RefsStart {
  readonly refs: readonly TailRef[];
}

export interface IndexRange {
  readonly from: number;
  readonly end: number;
  /** Items to be read at a time; as many as come by default. */
  readonly itemsAtOnce?: number;
}

export function encodeIndexItem(streamId: StreamId, { base, timeBelowMs, refs }: IndexItem): Item {
  return {
    k: textValue(indexPartition(streamId)),
    s: textValue(offsetSortKey(base)),
    a: numberValue(timeBelowMs),
    r: listValue(...refs.map((ref) => bytesValue(encodeTailRef(ref)))),
  };
}

export function decodeIndexItem(item: Item): IndexItem {
  const what = () => `index item ${textOf(item, 'k')} ${textOf(item, 's')}`;
  return {
    base: Number(textOf(item, 's')),
    timeBelowMs: numberOf(item, 'a'),
    refs: listOf(item, 'r').map((ref) => decodeTailRef(asBytes(ref, what), what())),
  };
}

/** The refs of the last item that begins at or before this offset; whether they hold it is theirs to say. */
export async function refsBefore(
  table: Table,
  streamId: StreamId,
  offset: number,
): Promise<readonly PlacedRef[]> {
  const { items } = await table.query({
    k: indexPartition(streamId),
    to: offsetSortKey(offset),
    descending: true,
    limit: 1,
  });
  return items.flatMap(placedRefs);
}

/** The refs of the first item that begins at or above `from`. */
export async function firstRefs(
  table: Table,
  streamId: StreamId,
  from: number,
): Promise<readonly PlacedRef[]> {
  const { items } = await table.query({
    k: indexPartition(streamId),
    from: offsetSortKey(from),
    limit: 1,
  });
  return items.flatMap(placedRefs);
}

/** The refs of all items that begin in [from, end), in their order. */
export async function* indexRefs(
  table: Table,
  streamId: StreamId,
  { from, end, itemsAtOnce }: IndexRange,
): AsyncGenerator<PlacedRef> {
  if (from >= end) return;
  let page: string | undefined;
  do {
    const { items, next } = await table.query({
      k: indexPartition(streamId),
      from: offsetSortKey(from),
      to: offsetSortKey(end - 1),
      ...(itemsAtOnce !== undefined && { limit: itemsAtOnce }),
      ...(page !== undefined && { page }),
    });
    yield* items.flatMap(placedRefs);
    page = next;
  } while (page !== undefined);
}

/** Those that begin in [from, end) one behind the other, also where `from` lies within an item. */
export async function* refsOfRange(
  table: Table,
  streamId: StreamId,
  { from, end }: IndexRange,
): AsyncGenerator<PlacedRef> {
  let expected = from;
  for (const ref of await refsBefore(table, streamId, from)) {
    if (ref.base < from || ref.base >= end) continue;
    if (ref.base !== expected) return;
    yield ref;
    expected = ref.end;
  }
  yield* unbrokenRefs(table, streamId, { from: expected, end });
}

/** As {@link indexRefs}, but only as far as one follows on the other without a break, from `from` on. */
export async function* unbrokenRefs(
  table: Table,
  streamId: StreamId,
  range: IndexRange,
): AsyncGenerator<PlacedRef> {
  let expected = range.from;
  for await (const ref of indexRefs(table, streamId, range)) {
    if (ref.base !== expected) return;
    yield ref;
    expected = ref.end;
  }
}

function placedRefs(item: Item): readonly PlacedRef[] {
  const index = decodeIndexItem(item);
  return placeRefs(index, index.refs);
}
