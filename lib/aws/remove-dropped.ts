/**
 * Removes what describes dropped messages (PROTOCOL R5): sealed segments that end at or below the first
 * retained offset, and index items below them. Found by their range of keys, never through one another;
 * nothing at or above the end of what is sealed is touched, though it may be dropped too.
 */
import { numberOf } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import type { KnownStream } from './known-stream.ts';
import { decodeSegment, type SealedSegment } from './seal-segments.ts';
import type { ItemKey, Table } from './table.ts';
import { controlKey, indexPartition, offsetSortKey, segmentPartition } from './table-key.ts';

export async function removeDropped(
  { table, streams }: AwsContext,
  { name, tail: { streamId } }: KnownStream,
): Promise<void> {
  // In this order: a segment that is sealed later ends above this one.
  const control = await table.get(controlKey(streamId));
  const stream = await streams.load(name);
  if (control === undefined || stream?.tail.streamId !== streamId) return;

  const { first } = stream.tail;
  const partition = segmentPartition(streamId);
  const { dropped, kept } = await splitSegments(table, partition, first);
  const boundary = kept?.first ?? numberOf(control, 'se');
  await table.deleteMany(
    dropped.map((segment) => ({ k: partition, s: offsetSortKey(segment.first) })),
  );
  if (boundary > 0) await removeBelow(table, indexPartition(streamId), boundary);
}

async function splitSegments(
  table: Table,
  partition: string,
  first: number,
): Promise<{ readonly dropped: readonly SealedSegment[]; readonly kept?: SealedSegment }> {
  const dropped: SealedSegment[] = [];
  let page: string | undefined;
  do {
    const { items, next } = await table.query({
      k: partition,
      ...(page !== undefined && { page }),
    });
    for (const segment of items.map(decodeSegment)) {
      if (segment.end > first) return { dropped, kept: segment };
      dropped.push(segment);
    }
    page = next;
  } while (page !== undefined);
  return { dropped };
}

async function removeBelow(table: Table, partition: string, boundary: number): Promise<void> {
  await removeItems(table, partition, { to: offsetSortKey(boundary - 1) });
}

/** All items of a partition, or those up to a sort key. */
export async function removeItems(
  table: Table,
  partition: string,
  range: { readonly to?: string } = {},
): Promise<number> {
  let removed = 0;
  let page: string | undefined;
  do {
    const found = await table.query({
      k: partition,
      ...range,
      ...(page !== undefined && { page }),
    });
    const keys = found.items.flatMap(({ s }): ItemKey[] =>
      s !== undefined && 'S' in s ? [{ k: partition, s: s.S }] : [],
    );
    if (keys.length > 0) await table.deleteMany(keys);
    removed += keys.length;
    page = found.next;
  } while (page !== undefined);
  return removed;
}
