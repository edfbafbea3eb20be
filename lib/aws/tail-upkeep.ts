/**
 * What a commit leaves to be done before its answer: a full tail is spilled, a segment that ended is
 * sealed and retention looked at (SPEC T5), publishers make room for others. The commit is durable whatever becomes of this: the next one
 * tries again, so a failure is told to the operators only.
 */
import type { AwsContext } from './aws-context.ts';
import { leaveSegments } from './due-work.ts';
import type { KnownStream } from './known-stream.ts';
import { evictPublishers, hasManyPublishers } from './publisher-side.ts';
import { type RetentionMoment, retainStream } from './retain-stream.ts';
import { sealSegments } from './seal-segments.ts';
import { REFS_PER_INDEX_ITEM, spillWhile } from './spill-refs.ts';
import type { Tail } from './tail-item.ts';

export async function tidyTail(
  context: AwsContext,
  stream: KnownStream,
  opened?: RetentionMoment,
): Promise<void> {
  try {
    await keepTail(context, stream, { mustSeal: opened !== undefined });
    if (opened !== undefined) await retainStream(context, stream, opened);
  } catch (error) {
    context.telemetry.error('tail_upkeep_failed', { stream_id: stream.tail.streamId, error });
    await leaveForLater(context, stream);
  }
}

/**
 * As the first part of the answer to a commit, or later by whoever maintains the store. True when there may be
 * more to seal.
 */
export async function keepTail(
  context: AwsContext,
  stream: KnownStream,
  { mustSeal }: { readonly mustSeal: boolean },
): Promise<boolean> {
  const spilled = await spillWhile(context, stream, isUntidy);
  // Before a stream's first segment there is nothing to seal.
  const maySeal = mustSeal && spilled !== undefined && spilled.tail.base > 0;
  const hasMore = maySeal && (await sealSegments(context, spilled));
  if (hasManyPublishers(stream.tail)) await evictPublishers(context, stream);
  return hasMore;
}

/** What cannot be left either is done by the next commit. */
async function leaveForLater(context: AwsContext, { tail }: KnownStream): Promise<void> {
  await leaveSegments(context, tail.streamId).catch(() => {});
}

function isUntidy(tail: Tail): boolean {
  return tail.refs.length >= REFS_PER_INDEX_ITEM || isParted(tail);
}

/** A segment begins behind refs of the one before. */
function isParted({ refs }: Tail): boolean {
  return refs.some(({ opensSegment }, index) => opensSegment && index > 0);
}
