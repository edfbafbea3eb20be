/**
 * The segments of a stream: the sealed ones have items, oldest first; what lies behind them is told by the
 * refs of the index and the tail, each of which says whether it opens a segment.
 */
import { offset, type StreamId } from '../core/log/ids.ts';
import { segmentObjectName } from '../format/object-key.ts';
import type { SegmentEntry } from '../ports/log-store.ts';
import { numberOf } from './attribute.ts';
import { type PlacedRef, placeRefs } from './placed-refs.ts';
import { withRef } from './seal-segments.ts';
import { decodeSegment, type SealedSegment, type SegmentSpan } from './segment-item.ts';
import { unbrokenRefs } from './stream-index.ts';
import type { Table } from './table.ts';
import { controlKey, offsetSortKey, segmentPartition } from './table-key.ts';
import type { Tail } from './tail-item.ts';

/** Of some 130 bytes each: one read unit together. */
const ITEMS_AT_ONCE = 30;

/** The last one that begins at or before this offset, if it was sealed and holds it. */
export async function segmentHolding(
  table: Table,
  streamId: StreamId,
  at: number,
): Promise<SealedSegment | undefined> {
  const { items } = await table.query({
    k: segmentPartition(streamId),
    to: offsetSortKey(at),
    descending: true,
    limit: 1,
  });
  return items.map(decodeSegment).find(({ end }) => end > at);
}

/** Those that end above `from`, in their order; read as they are asked for. */
export async function* sealedSegments(
  table: Table,
  streamId: StreamId,
  from: number,
): AsyncGenerator<SealedSegment> {
  let holding = await segmentHolding(table, streamId, from);
  if (holding !== undefined) yield holding;
  for await (const segment of sealedFrom(table, streamId, holding?.end ?? from)) {
    // One that begins below `from` may have been sealed between the two queries, and this one behind it.
    if (holding === undefined && segment.first > from) {
      holding = await segmentHolding(table, streamId, from);
      if (holding !== undefined) yield holding;
    }
    holding ??= segment;
    yield segment;
  }
}

/** Those that begin at or above `from`. */
export async function* sealedFrom(
  table: Table,
  streamId: StreamId,
  from: number,
): AsyncGenerator<SealedSegment> {
  let page: string | undefined;
  do {
    const { items, next } = await table.query({
      k: segmentPartition(streamId),
      from: offsetSortKey(from),
      limit: ITEMS_AT_ONCE,
      ...(page !== undefined && { page }),
    });
    yield* items.map(decodeSegment);
    page = next;
  } while (page !== undefined);
}

/** Those that hold a message at or above `from`, which is not below the first retained one. */
export async function* retainedSegments(
  table: Table,
  tail: Tail,
  from: number,
): AsyncGenerator<SegmentEntry> {
  if (tail.first === tail.next) return;
  // In this order: what is sealed in between is found among the segments.
  const control = await table.get(controlKey(tail.streamId));
  let sealed: Sealed = {
    end: control === undefined ? 0 : numberOf(control, 'se'),
    bytesThrough: control === undefined ? 0 : numberOf(control, 'sy'),
  };
  for await (const segment of sealedSegments(table, tail.streamId, from)) {
    // One that opened after the tail was read is not among what was asked for.
    if (segment.first >= tail.next) return;
    yield entryOfSealed(tail.streamId, segment);
    sealed = segment;
  }
  for (const entry of await unsealedSegments(table, tail, sealed)) {
    if (entry.end > from) yield entry;
  }
}

type Sealed = Pick<SealedSegment, 'end' | 'bytesThrough'>;

function entryOfSealed(streamId: StreamId, segment: SealedSegment): SegmentEntry {
  const { pieces, packedMs, bytes: logicalBytes, bytesThrough, lastTimeMs } = segment;
  return {
    first: offset(segment.first),
    end: offset(segment.end),
    ...(logicalBytes !== undefined && { bytes: logicalBytes }),
    ...(bytesThrough !== undefined && { bytesThrough }),
    ...(lastTimeMs !== undefined && { lastTimeMs }),
    state: packedMs === undefined ? 'sealed' : 'packed',
    objects: pieces.map(({ base, end: pieceEnd, ulid, bytes }) => ({
      start: offset(base),
      end: offset(pieceEnd),
      name: segmentObjectName({ streamId, first: base, end: pieceEnd, ulid }),
      bytes,
    })),
  };
}

/** The last of them is active. */
async function unsealedSegments(
  table: Table,
  tail: Tail,
  sealed: Sealed,
): Promise<readonly SegmentEntry[]> {
  const spans: SegmentSpan[] = [];
  const add = (ref: PlacedRef) => {
    const last = ref.opensSegment ? undefined : spans.pop();
    spans.push(withRef(last, ref));
  };
  const range = { from: sealed.end, end: tail.base };
  for await (const ref of unbrokenRefs(table, tail.streamId, range)) add(ref);
  for (const ref of placeRefs(tail, tail.refs)) if (ref.base >= sealed.end) add(ref);
  let { bytesThrough } = sealed;
  return spans.map(({ first, end, bytes, lastTimeMs }, index) => {
    if (bytesThrough !== undefined) bytesThrough += bytes;
    const state = index === spans.length - 1 ? 'active' : 'sealed';
    const range = { first: offset(first), end: offset(end) };
    const through = bytesThrough === undefined ? {} : { bytesThrough };
    return { ...range, bytes, ...through, lastTimeMs, state, objects: [] };
  });
}
