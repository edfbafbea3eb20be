/**
 * Removes what describes dropped messages (PROTOCOL R5): sealed segments that end at or below the first
 * retained offset, and index items below them. Found by their range of keys, never through one another;
 * nothing at or above the end of what is sealed is touched, though it may be dropped too.
 */
import { numberOf } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import type { KnownStream } from './known-stream.ts';
import { removeItems } from './remove-items.ts';
import { decodeSegment, type SealedSegment, segmentKey } from './segment-item.ts';
import type { Table } from './table.ts';
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
  await table.deleteMany(dropped.map((segment) => segmentKey(streamId, segment.first)));
  if (boundary > 0) {
    await removeItems(table, indexPartition(streamId), { to: offsetSortKey(boundary - 1) });
  }
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
