/**
 * Where the messages from an offset on are read from (PROTOCOL R8): refs of the tail or the index, each an
 * object of chunks, or the piece of a packed segment, which goes before what the index says. What neither
 * holds is not made up.
 */
import type { AwsContext } from './aws-context.ts';
import { findRefs, type RefRange } from './find-refs.ts';
import type { PlacedRef } from './placed-refs.ts';
import type { PlacedPiece, SealedSegment } from './segment-item.ts';
import { sealedFrom, segmentHolding } from './stream-segments.ts';
import type { Tail } from './tail-item.ts';

export type Source =
  /** Consecutive, the first holds `from`. */
  | { readonly kind: 'refs'; readonly refs: readonly PlacedRef[] }
  | { readonly kind: 'piece'; readonly segment: SealedSegment; readonly piece: PlacedPiece };

/** A reader that goes on from one segment to the next gets so many at a time: a read unit each 30. */
const SEGMENTS_AHEAD = 50;

export async function findSource(
  context: AwsContext,
  tail: Tail,
  range: RefRange,
): Promise<Source | undefined> {
  const { streamId } = tail;
  const isSealed = tail.segment !== undefined && range.from < tail.segment.first;
  const known = isSealed ? context.packed.holding(streamId, range.from) : undefined;
  if (known !== undefined) return pieceOf(known, range.from);
  if (isSealed && context.packed.endsAt(streamId, range.from)) {
    const next = await nextPacked(context, tail, range.from);
    if (next !== undefined) return pieceOf(next, range.from);
  }
  const packed = isSealed ? await packedPiece(context, tail, range.from) : undefined;
  if (packed !== undefined) return packed;
  const refs = await findRefs(context.table, tail, range);
  if (refs.length > 0) return { kind: 'refs', refs };
  // Of what was packed since it was looked for, or since the tail was seen, the index says nothing any more.
  return range.from < tail.next ? await packedPiece(context, tail, range.from) : undefined;
}

async function packedPiece(
  { table, packed }: AwsContext,
  { streamId }: Tail,
  from: number,
): Promise<Source | undefined> {
  const segment = await segmentHolding(table, streamId, from);
  if (segment === undefined) return undefined;
  packed.keep(streamId, segment);
  return pieceOf(segment, from);
}

/** Those that follow on what was read last. */
async function nextPacked(
  { table, packed }: AwsContext,
  { streamId }: Tail,
  from: number,
): Promise<SealedSegment | undefined> {
  let segments = 0;
  for await (const segment of sealedFrom(table, streamId, from)) {
    packed.keep(streamId, segment);
    if (segment.packedMs === undefined || ++segments === SEGMENTS_AHEAD) break;
  }
  return packed.holding(streamId, from);
}

function pieceOf(segment: SealedSegment, from: number): Source | undefined {
  const piece = segment.pieces.find(({ base, end }) => base <= from && from < end);
  return piece && { kind: 'piece', segment, piece };
}
