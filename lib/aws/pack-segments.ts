/**
 * Packs what is sealed of a stream, the oldest segment first, some pieces at a time. One maintainer does so for
 * a stream: the others would only do the same again.
 */
import type { StreamId } from '../core/log/ids.ts';
import { effectiveSettings } from '../core/log/settings.ts';
import { numberOf, numberValue } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import { GRACE_MS } from './horizon.ts';
import type { KnownStream } from './known-stream.ts';
import { packPiece } from './pack-segment.ts';
import { decodeSegment, type SealedSegment, segmentKey } from './segment-item.ts';
import { endLease, takeLease } from './stream-lease.ts';
import { sealedSegments } from './stream-segments.ts';
import { controlKey } from './table-key.ts';

/** Some seconds each: then it is the turn of another stream. */
const PIECES_PER_TURN = 4;

export interface Packing {
  /** When there is more to be packed, if there is. */
  readonly againMs?: number;
  /** Some segments that end at or below it are packed, and none above it. */
  readonly packedTo: number;
}

export async function packSegments(context: AwsContext, stream: KnownStream): Promise<Packing> {
  const { streamId } = stream.tail;
  const { from, packedTo } = await scanSegments(context, stream);
  if (from === undefined) return { packedTo };
  const lease = await takeLease(context, streamId);
  if (lease.kind === 'gone') return { packedTo };
  if (lease.kind === 'taken') return { packedTo, againMs: lease.untilMs };
  try {
    return await packFrom(context, stream, { from, packedTo });
  } finally {
    await endLease(context, streamId, lease.holder);
  }
}

interface Scanned {
  /** The first one that is not packed, if any is to be: also one that is to be dropped, as settings may change. */
  readonly from: number | undefined;
  readonly packedTo: number;
}

/** Behind those of which it is known that they are packed; whoever packed others may have died before it said so. */
async function scanSegments(context: AwsContext, stream: KnownStream): Promise<Scanned> {
  const { streamId, first } = stream.tail;
  const control = await context.table.get(controlKey(streamId));
  const known = control?.['pe'] === undefined ? 0 : numberOf(control, 'pe');
  let [packedTo, unpacked, isWanted]: [number, number | undefined, boolean] = [
    known,
    undefined,
    false,
  ];
  for await (const segment of sealedSegments(context.table, streamId, Math.max(first, known))) {
    if (segment.packedMs === undefined) unpacked ??= segment.first;
    else packedTo = segment.end;
    isWanted ||= isToBePacked(context, stream, segment);
  }
  if (unpacked === undefined && packedTo > known) {
    await raisePackedEnd(context, streamId, packedTo);
  }
  return { from: isWanted ? unpacked : undefined, packedTo };
}

/** What is dropped before its chunks could be removed gains nobody anything. */
function isToBePacked(
  { clock }: AwsContext,
  { settings }: KnownStream,
  { packedMs, lastTimeMs }: SealedSegment,
): boolean {
  const { max_age } = effectiveSettings(settings);
  const isForEver = max_age === null || lastTimeMs === undefined;
  const staysMs = isForEver ? Number.POSITIVE_INFINITY : lastTimeMs + max_age - clock.nowMs();
  return packedMs === undefined && staysMs > GRACE_MS;
}

async function packFrom(
  context: AwsContext,
  stream: KnownStream,
  { from, packedTo: before }: { readonly from: number; readonly packedTo: number },
): Promise<Packing> {
  const { streamId } = stream.tail;
  let [left, isComplete, packedTo] = [PIECES_PER_TURN, true, before];
  for await (const found of sealedSegments(context.table, streamId, from)) {
    const { segment, pieces, isTurnOver } = await packOne(context, stream, { found, left });
    left -= pieces;
    if (isTurnOver) return { packedTo, againMs: context.clock.nowMs() };
    const isPacked = segment === undefined || segment.packedMs !== undefined;
    if (isPacked) packedTo = found.end;
    isComplete &&= isPacked;
    if (isComplete) await raisePackedEnd(context, streamId, found.end);
  }
  if (isComplete || (await isOvertaken(context, stream))) return { packedTo };
  return { packedTo, againMs: context.clock.nowMs() + GRACE_MS };
}

interface PackedOne {
  /** As it is then; undefined when it was dropped and removed meanwhile. */
  readonly segment: SealedSegment | undefined;
  readonly pieces: number;
  /** It needs more pieces than were left. */
  readonly isTurnOver: boolean;
}

async function packOne(
  context: AwsContext,
  stream: KnownStream,
  { found, left }: { readonly found: SealedSegment; readonly left: number },
): Promise<PackedOne> {
  let segment: SealedSegment | undefined = found;
  let pieces = 0;
  while (segment !== undefined && isToBePacked(context, stream, segment)) {
    if (pieces === left) return { segment, pieces, isTurnOver: true };
    const outcome = await packPiece(context, stream, segment);
    // No part of the turn: the next one would begin with it, and come no further than this one.
    if (outcome.kind === 'incomplete') break;
    pieces++;
    segment = await loadSegment(context, stream.tail.streamId, segment.first);
  }
  return { segment, pieces, isTurnOver: false };
}

/** What was not all there may have been dropped; if not, readers will tell of it. */
async function isOvertaken({ streams }: AwsContext, { tail }: KnownStream): Promise<boolean> {
  const now = await streams.loadById(tail.streamId);
  return now === undefined || now.tail.first > tail.first;
}

async function loadSegment(
  { table }: AwsContext,
  streamId: StreamId,
  first: number,
): Promise<SealedSegment | undefined> {
  const item = await table.get(segmentKey(streamId, first));
  return item && decodeSegment(item);
}

/** pe: all segments that end at or below it are packed or dropped, so that nobody looks at them again. */
async function raisePackedEnd(
  { table }: AwsContext,
  streamId: StreamId,
  end: number,
): Promise<void> {
  await table.update(
    {
      key: controlKey(streamId),
      update: 'SET #pe = :end',
      condition: 'attribute_exists(#k) AND (attribute_not_exists(#pe) OR #pe < :end)',
      values: { ':end': numberValue(end) },
    },
    'harmless',
  );
}
