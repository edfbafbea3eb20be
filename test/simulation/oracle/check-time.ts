/** Whether a search by time found the first retained message of that time (SPEC O8). */
import type { TimeQuery } from '../../../lib/aws/find-time.ts';
import type { Oracle } from './oracle.ts';
import { demand } from './violation.ts';

export function checkTime(
  oracle: Oracle,
  { streamId, first, next, timeMs }: TimeQuery,
  found: number,
): void {
  const { log, tail } = oracle.stored.incarnation(streamId);
  const what = () => `${found} for ${timeMs} in [${first}, ${next}), first ${tail?.first}`;
  demand(found >= first && found <= next, 'TIME_NOT_IN_RANGE', what);
  if (tail === undefined) return;
  const retained = Math.max(first, tail.first);
  const skipped = log.messages.slice(retained, Math.max(retained, found));
  demand(
    skipped.every((message) => message.timeMs < timeMs),
    'TIME_SKIPPED_LIVE',
    what,
  );
  // What was dropped meanwhile need not be right: the reader learns of it by a gap.
  const isRight = found === next || found < tail.first || isAtOrAfter(log.messages[found], timeMs);
  demand(isRight, 'TIME_TOO_EARLY', what);
}

function isAtOrAfter(message: { readonly timeMs: number } | undefined, timeMs: number): boolean {
  return message !== undefined && message.timeMs >= timeMs;
}
