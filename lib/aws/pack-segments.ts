/**
 * Packs what is sealed of a stream, the oldest segment first, some pieces at a time. One maintainer does so for
 * a stream: the others would only do the same again.
 */
import type { StreamId } from '../core/log/ids.ts';
import { effectiveSettings } from '../core/log/settings.ts';
import { numberOf, numberValue } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import { leaveRemoval } from './due-work.ts';
import { GRACE_MS } from './horizon.ts';
import type { KnownStream } from './known-stream.ts';
import { packPiece } from './pack-segment.ts';
import { decodeSegment, type SealedSegment, segmentKey } from './segment-item.ts';
import { endLease, takeLease } from './stream-lease.ts';
import { sealedSegments } from './stream-segments.ts';
import { controlKey } from './table-key.ts';

/** Some seconds each: then it is the turn of another stream. */
const PIECES_PER_TURN = 4;

/** When there is more to be packed, or nothing for now. */
export type PackingEnd = { readonly againMs?: number };

export async function packSegments(context: AwsContext, stream: KnownStream): Promise<PackingEnd> {
  const { streamId } = stream.tail;
  const first = await firstUnpacked(context, stream);
  if (first === undefined) return {};
  const lease = await takeLease(context, streamId);
  if (lease.kind === 'gone') return {};
  if (lease.kind === 'taken') return { againMs: lease.untilMs };
  try {
    // Before there is a chunk that nothing needs any more (PROTOCOL R14).
    await leaveRemoval(context, streamId);
    return await packFrom(context, stream, first);
  } finally {
    await endLease(context, streamId, lease.holder);
  }
}

/** If one is to be packed: also one before that is to be dropped, as long as settings may still keep it. */
async function firstUnpacked(
  context: AwsContext,
  stream: KnownStream,
): Promise<number | undefined> {
  const { table } = context;
  const { streamId, first } = stream.tail;
  const control = await table.get(controlKey(streamId));
  const packedEnd = control?.['pe'] === undefined ? 0 : numberOf(control, 'pe');
  let unpacked: number | undefined;
  for await (const segment of sealedSegments(table, streamId, Math.max(first, packedEnd))) {
    if (segment.packedMs === undefined) unpacked ??= segment.first;
    if (isToBePacked(context, stream, segment)) return unpacked;
  }
  return undefined;
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
  from: number,
): Promise<PackingEnd> {
  const { streamId } = stream.tail;
  let [pieces, isComplete] = [0, true];
  for await (const found of sealedSegments(context.table, streamId, from)) {
    let segment: SealedSegment | undefined = found;
    while (segment !== undefined && isToBePacked(context, stream, segment)) {
      if (pieces === PIECES_PER_TURN) return { againMs: context.clock.nowMs() };
      const outcome = await packPiece(context, stream, segment);
      // No part of the turn: the next one would begin with it, and come no further than this one.
      if (outcome.kind === 'incomplete') break;
      pieces++;
      segment = await loadSegment(context, streamId, segment.first);
    }
    isComplete &&= segment === undefined || segment.packedMs !== undefined;
    if (isComplete) await raisePackedEnd(context, streamId, found.end);
  }
  if (isComplete || (await isOvertaken(context, stream))) return {};
  return { againMs: context.clock.nowMs() + GRACE_MS };
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
