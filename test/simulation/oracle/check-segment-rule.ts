/** Whether a commit opens the segment that it must, by the settings in force when it took effect. */
import { effectiveSettings } from '../../../lib/core/log/settings.ts';
import type { ObjectPart } from '../../../lib/format/chunk-object.ts';
import type { Commit } from './record-commit.ts';
import { demand, Violation } from './violation.ts';

export function checkSegmentRule(commit: Commit, parts: readonly ObjectPart[]): void {
  const { ref, incarnation } = commit;
  const { segment_max_bytes: bytesMax, segment_max_age: ageMax } = settingsInForce(commit);
  const active = incarnation.log.activeSegment();
  const held = active.reduce((sum, { bytes }) => sum + bytes, 0);
  const ageMs = ageOf(commit, parts);
  const what = () => `${ref.opensSegment}, with ${held} of ${bytesMax} bytes and ${ageMs} ms`;

  // What was stored before the last request: with so much in a segment, that one had to open the next.
  const beforeLast = parts.slice(0, -1).reduce((sum, { bytes }) => sum + bytes, 0);
  if (ref.opensSegment) {
    const isDue = active.length === 0 || held >= bytesMax || ageMs > ageMax;
    demand(isDue, 'SEGMENT_OPENED_EARLY', what);
    demand(beforeLast < bytesMax, 'SEGMENT_OPENED_LATE', what);
    return;
  }
  const isFull = active.length === 0 || held + beforeLast >= bytesMax;
  demand(!isFull, 'SEGMENT_OPENED_LATE', what);
}

function settingsInForce({ incarnation, before }: Commit) {
  const epoch = before?.epoch ?? 1;
  const { acknowledgedRevision, settings } = incarnation;
  demand(
    epoch >= acknowledgedRevision,
    'STALE_SETTINGS',
    () => `a commit under revision ${epoch} after ${acknowledgedRevision} was acknowledged`,
  );
  const inForce = settings.get(epoch);
  if (inForce === undefined) throw new Violation('STALE_SETTINGS', `no revision ${epoch} yet`);
  return effectiveSettings(inForce);
}

/** Of the active segment, when the commit took effect. */
function ageOf({ before, incarnation }: Commit, parts: readonly ObjectPart[]): number {
  const timeMs = Math.max(incarnation.log.timeMs, parts[0]?.timeMs ?? 0);
  return timeMs - (before?.segment?.firstTimeMs ?? timeMs);
}
