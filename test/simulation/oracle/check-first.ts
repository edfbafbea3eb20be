/** Why the first retained offset rose: somebody trimmed to there, or retention says so (SPEC T1 to T5, R6). */
import type { Tail } from '../../../lib/aws/tail-item.ts';
import type { StreamId } from '../../../lib/core/log/ids.ts';
import { planRetention } from '../../../lib/core/log/retention.ts';
import { settingsInForce } from './check-due.ts';
import { retainedSegments } from './check-segments.ts';
import type { Incarnation } from './incarnation.ts';
import { demand } from './violation.ts';

/** A call that trims, whatever became of it: it may take effect late. */
export interface TrimCall {
  readonly streamId: StreamId;
  readonly before: number | 'next';
}

/** Clocks of processes are ahead by less. */
const AHEAD_MS = 10_000;

interface FirstRules {
  readonly trims: readonly TrimCall[];
  readonly nowMs: number;
}

export function checkFirst(
  incarnation: Incarnation,
  { before, after }: { readonly before: Tail; readonly after: Tail },
  { trims, nowMs }: FirstRules,
): void {
  if (after.first === before.first) return;
  const isTrimmed = trims.some(
    (trim) =>
      trim.streamId === after.streamId &&
      (trim.before === 'next' ? after.next : trim.before) === after.first,
  );
  if (isTrimmed) return;
  // What was judged earlier was judged of less: fewer messages, and a time that was not later.
  const question = {
    settings: settingsInForce(incarnation, before),
    next: before.next,
    bytes: before.bytes,
    nowMs: nowMs + AHEAD_MS,
    holders: [],
  };
  const segments = retainedSegments(incarnation, before.first);
  const { dropBelow = before.first } = planRetention(segments, question);
  const isEnd = segments.some(({ end }) => end === after.first);
  const what = () => `from ${before.first} to ${after.first}, retention up to ${dropBelow}`;
  demand(isEnd && after.first <= dropBelow, 'DROPPED_FOR_NOTHING', what);
}
