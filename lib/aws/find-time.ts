/**
 * Finds the first message of a time (SPEC O8). Timestamps never decrease along a stream, so halving the
 * range of offsets finds what holds it, by one small read for each step: a ref, of which the object is read
 * then, or a block of a packed segment.
 */
import { type Offset, offset, type StreamId } from '../core/log/ids.ts';
import type { StoredChunk } from '../ports/log-store.ts';
import { StoreError } from '../ports/store-error.ts';
import type { AwsContext } from './aws-context.ts';
import { findSource, type Source } from './find-source.ts';
import { lastTimeMs, type PlacedRef, placeRefs } from './placed-refs.ts';
import type { PlacedPiece } from './segment-item.ts';
import type { Tail } from './tail-item.ts';

export interface TimeQuery {
  readonly streamId: StreamId;
  readonly first: Offset;
  readonly next: Offset;
  readonly timeMs: number;
}

const LOOKS_MAX = 3;

export async function findTime(context: AwsContext, query: TimeQuery): Promise<Offset> {
  const { streamId, first, next } = query;
  if (first >= next) return next;
  for (let look = 1; ; look++) {
    const stream = await (look === 1
      ? context.streams.covering(streamId, next)
      : context.streams.loadById(streamId));
    if (stream === undefined) return next;

    const result = await firstSource(context, stream.tail, query);
    if (result.kind === 'none') return next;
    const base = await baseOf(context, query, result);
    // What is not there may have been dropped or packed since it was seen.
    if (base === undefined && look < LOOKS_MAX) continue;
    if (result.kind === 'missing') throw notIndexed(streamId, result.at);
    return offset(Math.min(Math.max(base ?? result.found.base, first), next));
  }
}

/** A stretch of messages that is read as one, and holds the message that is looked for. */
type Found =
  | { readonly kind: 'ref'; readonly base: number; readonly ref: PlacedRef }
  | { readonly kind: 'block'; readonly base: number; readonly piece: PlacedPiece };

type SearchResult =
  | { readonly kind: 'found'; readonly found: Found }
  | { readonly kind: 'none' }
  /** Neither the index nor a segment holds this offset. */
  | { readonly kind: 'missing'; readonly at: number };

async function baseOf(
  context: AwsContext,
  { streamId, timeMs }: TimeQuery,
  result: Exclude<SearchResult, { kind: 'none' }>,
): Promise<number | undefined> {
  if (result.kind === 'missing') return undefined;
  const chunks = await load(context, streamId, result.found);
  return chunks && (chunks.find((one) => one.timeMs >= timeMs)?.base ?? result.found.base);
}

async function load(
  { chunks, segments, packed }: AwsContext,
  streamId: StreamId,
  found: Found,
): Promise<readonly StoredChunk[] | undefined> {
  if (found.kind === 'ref') return await chunks.load(streamId, found.ref);
  const range = { from: found.base, end: found.base + 1, bytesMax: 0 };
  const block = await segments.read(streamId, found.piece, range);
  if (block === undefined) packed.forget(streamId);
  return block?.chunks;
}

/** The first one whose last message is of that time or later. */
async function firstSource(
  context: AwsContext,
  tail: Tail,
  query: TimeQuery,
): Promise<SearchResult> {
  const { next, timeMs } = query;
  const first = Math.min(Math.max(query.first, tail.first), next);
  const reaches = (ref: PlacedRef) => lastTimeMs(ref) >= timeMs && ref.end > first;
  const inTail = placeRefs(tail, tail.refs).find(reaches);
  let result: SearchResult = inTail ? { kind: 'found', found: foundRef(inTail) } : { kind: 'none' };
  let [low, high]: [number, number] = [first, Math.min(next, tail.base)];
  // Everything below the base is older than the first ref of the tail, if that has the time already.
  if (tail.timeBelowMs < timeMs) return result;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const range = { from: middle, end: middle + 1, bytesMax: 0 };
    const source = await findSource(context, tail, range);
    const step = await stepTo(context, source, {
      ...query,
      streamId: tail.streamId,
      first,
      middle,
    });
    if (step.kind === 'missing') return step;
    if (step.kind === 'found') result = step;
    if (step.kind === 'found') high = Math.min(middle, step.high);
    else low = step.low;
  }
  return result;
}

interface Look {
  readonly streamId: StreamId;
  readonly first: number;
  readonly middle: number;
  readonly timeMs: number;
}

type Step =
  /** What holds the middle reaches the time: what lies in front of it is looked for below `high`. */
  | { readonly kind: 'found'; readonly found: Found; readonly high: number }
  /** Everything below `low` is older. */
  | { readonly kind: 'older'; readonly low: number }
  | Extract<SearchResult, { kind: 'missing' }>;

async function stepTo(context: AwsContext, source: Source | undefined, look: Look): Promise<Step> {
  if (source?.kind === 'piece') return await stepToPiece(context, source, look);
  const ref = source?.refs[0];
  if (ref === undefined) return { kind: 'missing', at: look.middle };
  if (lastTimeMs(ref) < look.timeMs) return { kind: 'older', low: ref.end };
  return { kind: 'found', found: foundRef(ref), high: ref.base };
}

async function stepToPiece(
  { segments, packed }: AwsContext,
  { segment, piece }: Extract<Source, { kind: 'piece' }>,
  { streamId, first, timeMs }: Look,
): Promise<Step> {
  if (segment.lastTimeMs !== undefined && segment.lastTimeMs < timeMs) {
    return { kind: 'older', low: segment.end };
  }
  const index = await segments.index(streamId, piece);
  if (index === undefined) {
    packed.forget(streamId);
    return { kind: 'missing', at: piece.base };
  }
  const block = index.blocks.find((one) => one.lastTimeMs >= timeMs && one.end > first);
  if (block === undefined) return { kind: 'older', low: piece.end };
  // Behind an older block of its piece it is the first one.
  const high = block.base === piece.base ? piece.base : first;
  return { kind: 'found', found: { kind: 'block', base: block.base, piece }, high };
}

function foundRef(ref: PlacedRef): Found {
  return { kind: 'ref', base: ref.base, ref };
}

function notIndexed(streamId: StreamId, at: number): StoreError {
  return new StoreError(`the index of stream ${streamId} does not hold offset ${at}`, {
    kind: 'corrupt',
    sideEffects: 'none',
  });
}
