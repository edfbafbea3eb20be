/**
 * Removes what the index says of packed segments (PROTOCOL R5), so that their chunk objects can be collected:
 * by the range of keys, a late item among them, and only of segments that are packed wholly and lie below the
 * base of the tail. Not before readers that were given URLs of the chunks are done.
 */
import type { AwsContext } from './aws-context.ts';
import { GRACE_MS } from './horizon.ts';
import type { KnownStream } from './known-stream.ts';
import { removeItems } from './remove-items.ts';
import { sealedSegments } from './stream-segments.ts';
import { indexPartition, offsetSortKey } from './table-key.ts';

/** Below `end` some went, if it is not 0; those whose turn is yet to come have a note of their own. */
export async function removePacked(
  { table, clock }: AwsContext,
  { tail }: KnownStream,
): Promise<{ readonly end: number }> {
  const partition = indexPartition(tail.streamId);
  const agedMs = clock.nowMs() - GRACE_MS;
  /** Offsets of segments in a row that may go. */
  let removedEnd = 0;
  let row: { readonly from: number; readonly end: number } | undefined;
  const removeRow = async () => {
    if (row === undefined) return;
    const keys = { from: offsetSortKey(row.from), to: offsetSortKey(row.end - 1) };
    row = undefined;
    await removeItems(table, partition, keys);
  };
  for await (const { first, end, packedMs } of sealedSegments(table, tail.streamId, tail.first)) {
    const mayGo = packedMs !== undefined && packedMs <= agedMs && end <= tail.base;
    if (mayGo) row = { from: row?.from ?? first, end };
    if (mayGo) removedEnd = end;
    else await removeRow();
  }
  await removeRow();
  return { end: removedEnd };
}
