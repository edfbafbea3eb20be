/**
 * What the retained part of a stream takes up, counted in whole segments: the sealed ones that still hold
 * a retained message, and behind them what the index and the tail hold.
 */
import { offset, type StreamId } from '../core/log/ids.ts';
import type { StoredChunk, StreamUsage } from '../ports/log-store.ts';
import { StoreError } from '../ports/store-error.ts';
import { numberOf } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import { type PlacedRef, placeRefs } from './placed-refs.ts';
import { readChunks } from './read-chunks.ts';
import { decodeSegment, type SealedSegment, withRef } from './seal-segments.ts';
import { unbrokenRefs } from './stream-index.ts';
import type { Table } from './table.ts';
import { controlKey, offsetSortKey, segmentPartition } from './table-key.ts';
import type { Tail } from './tail-item.ts';

export async function streamUsage(context: AwsContext, streamId: StreamId): Promise<StreamUsage> {
  const stream = await context.streams.loadById(streamId);
  if (stream === undefined || stream.tail.first === stream.tail.next) {
    return { segments: 0, bytes: 0 };
  }
  const { tail } = stream;
  const segments = await retainedSegments(context.table, tail);
  const range = { streamId, from: tail.first, end: offset(tail.first + 1), bytesMax: 0 };
  const [oldest] = await readChunks(context, range).catch(nothingIfDamaged);
  return {
    segments: segments.length,
    bytes: segments.reduce((sum, { bytes }) => sum + bytes, 0),
    ...(oldest && { oldestMs: oldest.timeMs }),
  };
}

/** Reads tell of it: a description is to be had all the same. */
function nothingIfDamaged(error: unknown): readonly StoredChunk[] {
  if (error instanceof StoreError && error.kind === 'corrupt') return [];
  throw error;
}

async function retainedSegments(table: Table, tail: Tail): Promise<readonly SealedSegment[]> {
  // In this order: what is sealed in between is found among the segments.
  const control = await table.get(controlKey(tail.streamId));
  const sealed = await sealedSegments(table, tail);
  const sealedEnd = control === undefined ? 0 : numberOf(control, 'se');
  const from = sealed.at(-1)?.end ?? sealedEnd;
  return [...sealed, ...(await unsealedSegments(table, tail, from))].filter(
    ({ end }) => end > tail.first,
  );
}

/** Those that end above the first retained offset. */
async function sealedSegments(table: Table, { streamId, first }: Tail): Promise<SealedSegment[]> {
  const k = segmentPartition(streamId);
  const holding = await table.query({ k, to: offsetSortKey(first), descending: true, limit: 1 });
  const items = [...holding.items];
  let page: string | undefined;
  do {
    const following = await table.query({
      k,
      from: offsetSortKey(first + 1),
      ...(page !== undefined && { page }),
    });
    items.push(...following.items);
    page = following.next;
  } while (page !== undefined);
  return items.map(decodeSegment).filter(({ end }) => end > first);
}

async function unsealedSegments(
  table: Table,
  tail: Tail,
  from: number,
): Promise<readonly SealedSegment[]> {
  const segments: SealedSegment[] = [];
  const add = (ref: PlacedRef) => {
    const last = ref.opensSegment ? undefined : segments.pop();
    segments.push(withRef(last, ref));
  };
  const range = { from, end: tail.base };
  for await (const ref of unbrokenRefs(table, tail.streamId, range)) add(ref);
  for (const ref of placeRefs(tail, tail.refs)) if (ref.base >= from) add(ref);
  return segments;
}
