/**
 * What the opening of a segment asks for: before the commit, that somebody will take care of the segment that
 * it ends, whoever dies; behind it, a look at retention.
 */
import type { AwsContext } from './aws-context.ts';
import type { CommitPlan, Placement } from './commit-plan.ts';
import { leaveSegments } from './due-work.ts';
import type { KnownStream } from './known-stream.ts';
import type { RetentionMoment } from './retain-stream.ts';

/** Before the commit makes it necessary (PROTOCOL R14). */
export async function leaveEndedSegment(
  context: AwsContext,
  { tail }: KnownStream,
  { opensSegment }: CommitPlan,
): Promise<void> {
  if (opensSegment && tail.segment !== undefined) await leaveSegments(context, tail.streamId);
}

/** Retention counts the publish that opened the segment and none behind it, as if it had come alone (SPEC T5). */
export function openedSegment(
  { tail: { segment } }: KnownStream,
  { parts: [first], opensSegment }: CommitPlan,
  { base, timeBelowMs }: Placement,
): RetentionMoment | undefined {
  // Whoever opened another one behind it meanwhile looks for both.
  if (!opensSegment || first === undefined || segment?.first !== base) return undefined;
  return {
    nowMs: Math.max(timeBelowMs, first.part.timeMs),
    next: base + first.part.count,
    bytes: segment.bytesBefore + first.part.bytes,
  };
}
