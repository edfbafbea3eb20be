/** What must hold of sealed segments, at every moment. */
import { withRef } from '../../../lib/aws/seal-segments.ts';
import { packedEnd, type SealedSegment, type SegmentSpan } from '../../../lib/aws/segment-item.ts';
import type { Tail } from '../../../lib/aws/tail-item.ts';
import { canonicalText } from '../canonical-text.ts';
import { checkPieces } from './check-pieces.ts';
import type { Incarnation } from './incarnation.ts';
import { demand } from './violation.ts';

export function checkSegments(incarnation: Incarnation, tail: Tail): void {
  const { segments, sealedEnd = 0, log } = incarnation;
  demand(sealedEnd <= tail.base, 'SEALED_BEYOND_BASE', () => `${sealedEnd} > ${tail.base}`);
  const sealedBytes = bytesBelow(incarnation, sealedEnd);
  demand(incarnation.sealedBytes === sealedBytes, 'BYTES_WRONG', () => `${sealedBytes} sealed`);
  // Dropped ones are removed in any order.
  const rising = retainedSegments(incarnation, tail.first);
  for (const [at, segment] of rising.entries()) {
    const end = rising[at + 1]?.first ?? sealedEnd;
    const what = () => `[${segment.first}, ${segment.end}) before ${end}`;
    demand(segment.end === end, 'SEGMENTS_NOT_CONTIGUOUS', what);
    const refs = log.commits.filter(({ base }) => base >= segment.first && base < segment.end);
    const opens = refs.map(({ opensSegment }) => opensSegment);
    demand(
      opens.every((isOpening, index) => isOpening === (index === 0)),
      'SEGMENT_WRONG',
      what,
    );
  }
  for (const segment of segments.values()) checkSegment(incarnation, segment);
  // What was dropped is passed over too.
  const dropped = incarnation.tail?.first ?? 0;
  const unpacked = rising.find(({ packedMs, end }) => packedMs === undefined && end > dropped);
  const isTold = unpacked === undefined || unpacked.end > incarnation.packedEnd;
  demand(isTold, 'PACKED_END_WRONG', () => `${incarnation.packedEnd}, not ${unpacked?.first}`);
}

/** Those that hold a message at or above `first`, in their order. */
export function retainedSegments(
  { segments }: Incarnation,
  first: number,
): readonly SealedSegment[] {
  return [...segments.values()].filter(({ end }) => end > first).sort((a, b) => a.first - b.first);
}

function checkSegment(incarnation: Incarnation, segment: SealedSegment): void {
  const { first, end, bytes, firstTimeMs, lastTimeMs, bytesThrough, packedMs } = segment;
  const what = () => canonicalText(segment);
  const refs = incarnation.log.commits.filter(({ base }) => base >= first && base < end);
  const expected = refs.reduce<SegmentSpan | undefined>(withRef, undefined);
  const span = { first, end, bytes, firstTimeMs, lastTimeMs };
  demand(canonicalText(expected) === canonicalText(span), 'SEGMENT_WRONG', what);
  demand(bytesThrough === bytesBelow(incarnation, end), 'BYTES_WRONG', what);
  const isWhole = packedEnd(segment) === end;
  demand(packedEnd(segment) <= end, 'PIECES_WRONG', what);
  demand(isWhole === (packedMs !== undefined), 'PACKED_WRONG', what);
  checkPieces(incarnation, segment);
}

function bytesBelow({ log }: Incarnation, offset: number): number {
  return log.commits.reduce((sum, { end, bytes }) => sum + (end <= offset ? bytes : 0), 0);
}
