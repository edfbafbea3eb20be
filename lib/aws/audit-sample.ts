/**
 * Looks at a part of a stream's history that chance picks, now and then beside other upkeep: damage that no
 * reader met is so told before one does. One block of one packed segment is two small reads.
 */
import type { Random } from '../ports/random.ts';
import { StoreError } from '../ports/store-error.ts';
import type { AwsContext } from './aws-context.ts';
import type { KnownStream } from './known-stream.ts';
import type { PlacedPiece } from './segment-item.ts';
import { segmentHolding } from './stream-segments.ts';

/** Of the passes that come to this. */
const SHARE = 1 / 4;

export async function auditSample(context: AwsContext, { tail }: KnownStream): Promise<void> {
  const { first, segment } = tail;
  const sealedEnd = segment?.first ?? 0;
  if (sealedEnd <= first || fraction(context.random) >= SHARE) return;
  const at = first + Math.floor(fraction(context.random) * (sealedEnd - first));
  const found = await segmentHolding(context.table, tail.streamId, at);
  const piece = found?.pieces.find(({ base, end }) => base <= at && at < end);
  if (piece === undefined) return;
  const fault = await faultOf(context, { tail, piece, at });
  if (fault === undefined) return;
  context.metrics.auditFaults.add(1);
  context.telemetry.error('audit_fault', { stream_id: tail.streamId, error: fault });
}

interface Sample {
  readonly tail: KnownStream['tail'];
  readonly piece: PlacedPiece;
  readonly at: number;
}

async function faultOf(
  { segments, streams }: AwsContext,
  { tail: { streamId }, piece, at }: Sample,
): Promise<Error | undefined> {
  try {
    const range = { from: at, end: at + 1, bytesMax: 0 };
    if ((await segments.read(streamId, piece, range)) !== undefined) return undefined;
    // It may have been dropped since, by whoever maintains the stream beside this one.
    const now = await streams.loadById(streamId);
    if (now === undefined || now.tail.first > at) return undefined;
    return new Error(`a piece of messages [${piece.base}, ${piece.end}) is not there`);
  } catch (error) {
    if (error instanceof StoreError && error.kind === 'corrupt') return error;
    throw error;
  }
}

/** In [0, 1). */
function fraction(random: Random): number {
  return Number.parseInt(random.hex128().slice(0, 8), 16) / 2 ** 32;
}
