/**
 * What a stream's segments need now and then (PROTOCOL R14): those that ended are sealed, what the settings keep
 * no longer is dropped, what stays is packed. Done twice, or by two at the same time, it changes nothing more.
 */
import type { AwsContext } from './aws-context.ts';
import { leaveRemoval } from './due-work.ts';
import type { KnownStream } from './known-stream.ts';
import { type Packing, packSegments } from './pack-segments.ts';
import { type RetainedStream, retainStream } from './retain-stream.ts';
import { firstRefs } from './stream-index.ts';
import { sealedFrom } from './stream-segments.ts';
import { keepTail } from './tail-upkeep.ts';

export interface KeptSegments {
  /** When they need it again, as far as it is known now. */
  readonly againMs?: number;
  /** The tail's, if messages were dropped, and so it was raised. */
  readonly workVersion?: number;
}

export async function keepSegments(
  context: AwsContext,
  stream: KnownStream,
): Promise<KeptSegments> {
  const { clock, streams } = context;
  const { streamId } = stream.tail;
  const hasMore = await keepTail(context, stream, { mustSeal: true });
  const sealed = await streams.loadById(streamId);
  const retained = sealed && (await retainStream(context, sealed, { nowMs: clock.nowMs() }));
  const now = retained && (await streams.loadById(streamId));
  if (now === undefined) return {};
  const packing = await packSegments(context, now);
  if (await hasUnneeded(context, now, packing)) await leaveRemoval(context, streamId);
  const times = [hasMore ? clock.nowMs() : undefined, retained?.expiresMs, packing.againMs];
  const known = times.filter((time) => time !== undefined);
  const againMs = known.length > 0 ? { againMs: Math.min(...known) } : {};
  return { ...againMs, ...raisedVersion(stream, retained) };
}

/** Not that of a later tail: what raised it in between may have made more necessary. */
function raisedVersion(
  { tail: { workVersion: before } }: KnownStream,
  retained: RetainedStream | undefined,
): Pick<KeptSegments, 'workVersion'> {
  const { workVersion } = retained ?? {};
  return workVersion === undefined ? {} : { workVersion: Math.min(workVersion, before + 1) };
}

/**
 * Judged by what there is, behind the packing and before this work ends: so it is found whoever packed, and died. A
 * segment that was dropped before it was sealed could not be removed by then either.
 */
async function hasUnneeded(
  { table }: AwsContext,
  { tail: { streamId, first } }: KnownStream,
  { packedTo }: Packing,
): Promise<boolean> {
  const [indexed] = await firstRefs(table, streamId, 0);
  if (indexed !== undefined && indexed.base < packedTo) return true;
  for await (const oldest of sealedFrom(table, streamId, 0)) return oldest.end <= first;
  return false;
}
