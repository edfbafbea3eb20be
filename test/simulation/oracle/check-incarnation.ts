/** What must hold of what is stored of one incarnation, at every moment. */
import { REFS_MAX } from '../../../lib/aws/commit-update.ts';
import { type PlacedRef, placeRefs } from '../../../lib/aws/placed-refs.ts';
import { rememberedPublishers } from '../../../lib/aws/remembered-publishers.ts';
import { publisherHash } from '../../../lib/aws/table-key.ts';
import type { Tail } from '../../../lib/aws/tail-item.ts';
import { formatUlid } from '../../../lib/format/ulid.ts';
import { canonicalText } from '../canonical-text.ts';
import { checkConsumers } from './check-consumers.ts';
import { checkDue } from './check-due.ts';
import { checkSegments, retainedSegments } from './check-segments.ts';
import type { Incarnation } from './incarnation.ts';
import type { LoggedCommit } from './true-log.ts';
import { demand } from './violation.ts';

export function checkIncarnation(incarnation: Incarnation, nowMs: number): void {
  const { tail } = incarnation;
  if (tail === undefined) {
    checkGone(incarnation);
    return;
  }
  checkWholeness(incarnation);
  checkTail(incarnation, tail);
  checkIndex(incarnation);
  checkReadable(incarnation, tail);
  checkSegments(incarnation, tail);
  checkPublishers(incarnation, tail);
  checkConsumers(incarnation);
  checkDue(incarnation, tail, nowMs);
}

/** What is left of a deleted stream is found by its grave. */
function checkGone(incarnation: Incarnation): void {
  const { name, streamId, isRegistered, hasGrave } = incarnation;
  if (name === undefined) return;
  demand(!isRegistered, 'REGISTERED_BUT_GONE', () => `${name} ${streamId}`);
  if (hasGrave) return;
  const remains = incarnation.remains();
  demand(remains.length === 0, 'ORPHAN_FOREVER', () => `${streamId}: ${remains.join(', ')}`);
}

function checkWholeness({ name, isRegistered, sealedEnd, revision, tail }: Incarnation): void {
  demand(isRegistered, 'LIVE_BUT_NOT_REGISTERED', () => `${name}`);
  demand(sealedEnd !== undefined && revision !== undefined, 'HALF_CREATED', () => `${name}`);
  demand(revision !== undefined && revision >= (tail?.epoch ?? 0), 'EPOCH_AHEAD', () => `${name}`);
}

function checkTail({ log }: Incarnation, tail: Tail): void {
  const what = () => canonicalText(tail.refs);
  demand(tail.next === log.next, 'NOT_DENSE', () => `next ${tail.next}, ${log.next} stored`);
  demand(tail.first <= tail.next, 'FIRST_BEYOND_NEXT', () => `${tail.first} > ${tail.next}`);
  demand(tail.refs.length <= REFS_MAX, 'TOO_MANY_REFS', () => `${tail.refs.length}`);
  const refs = placeRefs(tail, tail.refs);
  demand((refs.at(-1)?.end ?? tail.base) === tail.next, 'NOT_DENSE', what);
  demand(isPartOf(log.commits, refs), 'TAIL_WRONG', what);
  if (refs.length === 0) demand(tail.timeBelowMs === log.timeMs, 'TIME_WRONG', what);
  demand(tail.bytes === log.bytes, 'BYTES_WRONG', () => `${tail.bytes} for ${log.bytes}`);
  const lastChunk = log.commits.at(-1)?.lastChunk ?? 0;
  demand(tail.lastChunk === lastChunk, 'LAST_CHUNK_WRONG', () => `${tail.lastChunk}`);
  const active = log.commits.findLast(({ opensSegment }) => opensSegment);
  demand(tail.segment?.first === active?.base, 'SEGMENT_START_WRONG', what);
}

function checkIndex({ index, log }: Incarnation): void {
  for (const item of index.values()) {
    const refs = placeRefs(item, item.refs);
    demand(
      refs.length > 0 && isPartOf(log.commits, refs),
      'INDEX_WRONG',
      () => `item ${item.base} of ${refs.length} refs`,
    );
    const opening = refs.findIndex(({ opensSegment }, at) => at > 0 && opensSegment);
    demand(opening < 0, 'SEGMENT_IN_INDEX_ITEM', () => `item ${item.base}, ref ${opening}`);
  }
}

/** A run of commits, with their offsets and times, as they were stored. */
function isPartOf(commits: readonly LoggedCommit[], refs: readonly PlacedRef[]): boolean {
  const start = commits.findIndex(({ base }) => base === refs[0]?.base);
  return refs.every((ref, at) => {
    const commit = commits[start + at];
    return (
      commit !== undefined &&
      commit.base === ref.base &&
      commit.timeBelowMs === ref.timeBelowMs &&
      commit.timeMs === ref.timeMs &&
      commit.count === ref.count &&
      commit.bytes === ref.bytes &&
      commit.opensSegment === ref.opensSegment &&
      Buffer.compare(commit.ulid, ref.ulid) === 0
    );
  });
}

/**
 * As a reader would find it now: in the pieces of its segment, in the tail, or by the last index item that
 * begins before it. Pieces are looked at with their segment.
 */
function checkReadable(incarnation: Incarnation, tail: Tail): void {
  const { index, log, objects } = incarnation;
  const bases = [...index.keys()].sort((a, b) => a - b);
  const packed = retainedSegments(incarnation, tail.first).filter(
    ({ packedMs }) => packedMs !== undefined,
  );
  for (const commit of log.commits) {
    if (commit.end <= tail.first) continue;
    if (packed.some(({ first, end }) => first <= commit.base && commit.base < end)) continue;
    const what = () => `offset ${commit.base}, first ${tail.first}, base ${tail.base}`;
    const ulid = formatUlid(commit.ulid);
    demand(objects.has(ulid), 'LIVE_OBJECT_GONE', () => `${ulid}, ${what()}`);
    if (commit.base >= tail.base) continue;
    for (const offset of [Math.max(commit.base, tail.first), commit.end - 1]) {
      const item = index.get(bases.findLast((base) => base <= offset) ?? -1);
      const end = item?.refs.reduce((sum, { count }) => sum + count, item.base as number) ?? 0;
      demand(offset < end, 'LIVE_UNREACHABLE', what);
    }
  }
}

/** Whoever is remembered is remembered with the highest id that was stored. */
function checkPublishers({ log, side }: Incarnation, tail: Tail): void {
  demand(tail.sideVersion <= (side?.version ?? 0), 'SIDE_AHEAD', () => `${tail.sideVersion}`);
  const remembered = rememberedPublishers(tail.publishers, side?.entries ?? new Map());
  for (const [name, { highestId }] of log.publishers) {
    const kept = remembered.get(publisherHash(name))?.record.highestId;
    demand(kept === highestId, 'PUBLISHER_FORGOTTEN', () => `${name}: ${kept}, not ${highestId}`);
  }
}
