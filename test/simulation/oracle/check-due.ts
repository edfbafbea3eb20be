/**
 * Whether somebody will come for the work that there is (PROTOCOL R14): at every moment, as if all processes
 * died then, an item is there that is due in time. Clocks are off by some seconds, and a maintainer that finds
 * others at work comes again.
 */
import { GRACE_MS } from '../../../lib/aws/horizon.ts';
import type { SealedSegment } from '../../../lib/aws/segment-item.ts';
import type { Tail } from '../../../lib/aws/tail-item.ts';
import { effectiveSettings } from '../../../lib/core/log/settings.ts';
import { retainedSegments } from './check-segments.ts';
import type { Incarnation } from './incarnation.ts';
import { demand } from './violation.ts';

/** Of two clocks that are off, one ahead and one behind, and of what two minutes of a lease may hold up. */
const SLACK_MS = 2 * 60_000 + 20_000;

export function checkDue(incarnation: Incarnation, tail: Tail, nowMs: number): void {
  for (const { letters, why, atMs } of neededWork(incarnation, tail, nowMs)) {
    const latestMs = Math.max(atMs, nowMs) + 3 * GRACE_MS + SLACK_MS;
    const isLeft = [...incarnation.due.values()].some(
      (work) => letters.includes(work.letter) && work.dueMs <= latestMs,
    );
    demand(isLeft, 'FORGOTTEN', () => `${why} of ${incarnation.streamId}, not due by ${latestMs}`);
  }
}

interface NeededWork {
  /** Work of any of these kinds leads to it. */
  readonly letters: string;
  readonly why: string;
  readonly atMs: number;
}

export function neededWork(
  incarnation: Incarnation,
  tail: Tail,
  nowMs: number,
): readonly NeededWork[] {
  const needed: NeededWork[] = [];
  const need = (letters: string, why: string, atMs = 0) => needed.push({ letters, why, atMs });
  const { log, sealedEnd = 0, segments } = incarnation;
  const activeBase = log.activeSegment()[0]?.base ?? 0;
  if (tail.cancelled.length > 0) need('c', 'cancelled ids');
  if (activeBase > sealedEnd) need('s', `segment at ${sealedEnd} is not sealed`);
  const dropped = [...segments.values()].find(({ end }) => end <= tail.first);
  // Who looks after segments leaves the removal of what it finds unneeded.
  if (dropped !== undefined) need('ds', `dropped segment ${dropped.first}`);
  const left = unneededItem(incarnation, tail);
  if (left !== undefined) need('ds', `index item ${left}`);

  const retained = retainedSegments(incarnation, tail.first);
  const { max_age: ageMs, consumer_limit: limit } = settingsInForce(incarnation, tail);
  const { size } = incarnation.consumers.stored;
  if (size > limit) need('os', `${size} stored offsets beyond ${limit}`);
  const unpacked = retained.find((segment) => isToBePacked(segment, ageMs, nowMs));
  if (unpacked !== undefined) need('s', `segment ${unpacked.first} is not packed`);
  const [oldest] = retained;
  if (ageMs !== null && oldest !== undefined) {
    need('s', `segment ${oldest.first} of an age`, (oldest.lastTimeMs ?? 0) + ageMs);
  }
  return needed;
}

export function settingsInForce({ settings }: Incarnation, { epoch }: Tail) {
  return effectiveSettings(settings.get(epoch) ?? {});
}

/** Not what is dropped before its chunks could be removed, whatever the clock of whoever judges it says. */
function isToBePacked(
  { packedMs, lastTimeMs }: SealedSegment,
  ageMs: number | null,
  nowMs: number,
): boolean {
  if (packedMs !== undefined) return false;
  return ageMs === null || (lastTimeMs ?? 0) + ageMs - nowMs > GRACE_MS + SLACK_MS;
}

/** An index item of what is dropped, or packed, unless a late spiller brought it back. */
function unneededItem(
  { index, sealedEnd = 0, removedItems, segments }: Incarnation,
  { first }: Tail,
): number | undefined {
  const isUnneeded = (base: number) => {
    if (base >= sealedEnd || removedItems.has(base)) return false;
    const segment = [...segments.values()].find((one) => one.first <= base && base < one.end);
    return segment === undefined || segment.end <= first || segment.packedMs !== undefined;
  };
  return [...index.keys()].find(isUnneeded);
}
