/**
 * Finds the first message of a time (SPEC O8). Timestamps never decrease along a stream, so halving the
 * range of offsets finds the ref, by one small read for each step; only that ref's object is read.
 */
import { type Offset, offset, type StreamId } from '../core/log/ids.ts';
import { StoreError } from '../ports/store-error.ts';
import type { AwsContext } from './aws-context.ts';
import { findRefs } from './find-refs.ts';
import { lastTimeMs, type PlacedRef, placeRefs } from './placed-refs.ts';
import type { Tail } from './tail-item.ts';

export interface TimeQuery {
  readonly streamId: StreamId;
  readonly first: Offset;
  readonly next: Offset;
  readonly timeMs: number;
}

export async function findTime(context: AwsContext, query: TimeQuery): Promise<Offset> {
  const { streamId, first, next, timeMs } = query;
  const stream = first < next ? await context.streams.covering(streamId, next) : undefined;
  if (stream === undefined) return next;

  const ref = await firstRef(context, stream.tail, query).catch(async (error: unknown) => {
    // What was asked about may have been dropped and removed since: then there is less to look through.
    const now = await context.streams.loadById(streamId);
    if (now === undefined) return undefined;
    if (now.tail.first <= first) throw error;
    const rest = { ...query, first: offset(Math.min(now.tail.first, next)) };
    return await firstRef(context, now.tail, rest);
  });
  if (ref === undefined) return next;
  const chunks = await context.chunks.load(streamId, ref);
  const base = chunks?.find((chunk) => chunk.timeMs >= timeMs)?.base ?? ref.base;
  return offset(Math.min(Math.max(base, first), next));
}

/** The first one whose last message is of that time or later. */
async function firstRef(
  { table }: AwsContext,
  tail: Tail,
  { first, next, timeMs }: TimeQuery,
): Promise<PlacedRef | undefined> {
  const reaches = (ref: PlacedRef) => lastTimeMs(ref) >= timeMs && ref.end > first;
  let found = placeRefs(tail, tail.refs).find(reaches);
  let [low, high]: [number, number] = [first, Math.min(next, tail.base)];
  // Everything below the base is older than the first ref of the tail, if that has the time already.
  if (tail.timeBelowMs < timeMs) return found;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [ref] = await findRefs(table, tail, { from: middle, end: middle + 1, bytesMax: 0 });
    if (ref === undefined) throw notIndexed(tail, middle);
    if (lastTimeMs(ref) >= timeMs) {
      found = ref;
      high = Math.min(middle, ref.base);
    } else {
      low = ref.end;
    }
  }
  return found;
}

function notIndexed({ streamId }: Tail, at: number): StoreError {
  return new StoreError(`the index of stream ${streamId} does not hold offset ${at}`, {
    kind: 'corrupt',
    sideEffects: 'none',
  });
}
