/** What is left when all work that was due is done: all that is needed, and nothing else. */
import { GRACE_MS } from '../../../lib/aws/horizon.ts';
import type { Tail } from '../../../lib/aws/tail-item.ts';
import { planRetention } from '../../../lib/core/log/retention.ts';
import { compareBytes, formatUlid, ulidTimeMs } from '../../../lib/format/ulid.ts';
import { neededWork, settingsInForce } from './check-due.ts';
import { retainedSegments } from './check-segments.ts';
import type { Incarnation } from './incarnation.ts';
import type { LoggedCommit } from './true-log.ts';
import { demand } from './violation.ts';

/** When nothing is due any more: nothing is forgotten, and what is not needed is gone. */
export function checkMaintained(incarnation: Incarnation, nowMs: number): void {
  const { tail, due, streamId } = incarnation;
  demand(due.size === 0, 'DUE_FOREVER', () => `${streamId}: ${[...due.keys()]}`);
  if (tail === undefined) {
    checkGone(incarnation);
    return;
  }
  const [forgotten] = neededWork(incarnation, tail, nowMs);
  demand(forgotten === undefined, 'FORGOTTEN', () => `${forgotten?.why} of ${streamId}`);
  checkRetention(incarnation, tail, nowMs);
  checkUnneeded(incarnation, tail);
}

/** By what there was for sure when the active segment was opened: then it was looked at. */
function checkRetention(incarnation: Incarnation, tail: Tail, nowMs: number): void {
  const [opening] = incarnation.log.activeSegment();
  if (opening === undefined) return;
  const question = {
    settings: settingsInForce(incarnation, tail),
    next: opening.base + 1,
    bytes: incarnation.sealedBytes,
    nowMs,
    holders: [],
  };
  const { dropBelow } = planRetention(retainedSegments(incarnation, tail.first), question);
  demand(dropBelow === undefined, 'KEPT_FOREVER', () => `up to ${dropBelow} of ${tail.first}`);
}

/** Of what was sealed: uploads that came to nothing may wait until something else is removed. */
function checkUnneeded(incarnation: Incarnation, { refs, base, horizon }: Tail): void {
  const { index, log, objects, sealedEnd = 0 } = incarnation;
  const first = [...index.keys()].sort((a, b) => a - b)[0];
  const left = first === undefined ? refs : (index.get(first)?.refs ?? []);
  // Objects are looked for up to here, as ids rise with offsets but for commits that took long.
  const upToMs = Math.max(...left.map(({ ulid }) => ulidTimeMs(ulid))) + GRACE_MS;
  // And but for clocks that are apart by more than the grace, which only runs of this kind know.
  const isInOrder = ({ end, ulid }: LoggedCommit) =>
    log.commits.every(
      (later) => later.base < end || ulidTimeMs(ulid) < ulidTimeMs(later.ulid) + GRACE_MS,
    );
  const named = new Set([...index.values()].flatMap((item) => item.refs).map(ulidText));
  const extra = log.commits.filter(
    (commit) =>
      commit.end <= Math.min(sealedEnd, base) &&
      objects.has(ulidText(commit)) &&
      !named.has(ulidText(commit)) &&
      isInOrder(commit) &&
      // Of a clock that was ahead: the next removal passes over it.
      compareBytes(commit.ulid, horizon) <= 0 &&
      (left.length === 0 || ulidTimeMs(commit.ulid) < upToMs),
  );
  demand(extra.length === 0, 'OBJECT_FOREVER', () => `of offset ${extra[0]?.base}`);
}

function ulidText({ ulid }: { readonly ulid: Parameters<typeof formatUlid>[0] }): string {
  return formatUlid(ulid);
}

function checkGone(incarnation: Incarnation): void {
  const { name, streamId, hasGrave } = incarnation;
  const remains = incarnation.remains();
  const invariant = name === undefined ? 'ORPHAN_OF_NOTHING' : 'ORPHAN_FOREVER';
  demand(remains.length === 0, invariant, () => `${streamId}: ${remains.join(', ')}`);
  demand(!hasGrave, 'GRAVE_FOREVER', () => streamId);
}

/** After a few passes over every stream, whether anything was due there or not. */
export function checkLeft(incarnation: Incarnation): void {
  const { tail } = incarnation;
  if (tail === undefined) checkGone(incarnation);
  else checkLive(incarnation, tail);
}

function checkLive(incarnation: Incarnation, tail: Tail): void {
  const { index, segments, objects, pieces, log, sealedEnd = 0 } = incarnation;
  const activeBase = log.activeSegment()[0]?.base ?? 0;
  demand(tail.refs.length === 0, 'NOT_SPILLED', () => `${tail.refs.length} refs`);
  demand(sealedEnd === activeBase, 'NOT_SEALED', () => `up to ${sealedEnd}, not ${activeBase}`);
  demand(tail.cancelled.length === 0, 'CANCELLED_FOREVER', () => `${tail.cancelled.length}`);

  const dropped = [...segments.values()].filter(({ end }) => end <= tail.first);
  demand(dropped.length === 0, 'SEGMENT_ITEM_FOREVER', () => `${dropped[0]?.first}`);
  const below = [...index.keys()].filter((base) => base < sealedEnd);
  demand(below.length === 0, 'INDEX_ITEM_FOREVER', () => `${below} below ${sealedEnd}`);

  const needed = [...index.values()].flatMap(({ refs }) => refs.map(ulidText));
  const extra = [...objects.keys()].filter((ulid) => !needed.includes(ulid));
  demand(extra.length === 0, 'OBJECT_FOREVER', () => extra.join());
  const named = [...segments.values()].flatMap((segment) => segment.pieces.map(ulidText));
  const extraPieces = [...pieces.keys()].filter((ulid) => !named.includes(ulid));
  demand(extraPieces.length === 0, 'PIECE_FOREVER', () => extraPieces.join());
}
