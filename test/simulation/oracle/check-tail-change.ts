/** What one step may do to a tail, and what is to be written down of it. */
import type { Tail } from '../../../lib/aws/tail-item.ts';
import type { StreamId } from '../../../lib/core/log/ids.ts';
import { compareBytes } from '../../../lib/format/ulid.ts';
import { checkFirst, type TrimCall } from './check-first.ts';
import type { Incarnation } from './incarnation.ts';
import type { PublishCall } from './publish-call.ts';
import { recordCommit } from './record-commit.ts';
import type { StoredRecords } from './stored-records.ts';
import type { StoredStreams, TailChange } from './stored-streams.ts';
import { demand } from './violation.ts';

export interface TailRules {
  readonly stored: StoredStreams;
  readonly calls: readonly PublishCall[];
  /** Incarnations that were created, and those that somebody asked to delete. */
  readonly created: Set<StreamId>;
  readonly removals: ReadonlySet<StreamId>;
  readonly trims: readonly TrimCall[];
  readonly records: StoredRecords;
  readonly nowMs: number;
}

export function checkTailChange(rules: TailRules, { before, after }: TailChange): void {
  if (before?.streamId === after?.streamId && before && after) {
    checkSame(rules, before, after);
    return;
  }
  demand(!before || !after, 'REPLACED', () => `${before?.streamId} by ${after?.streamId}`);
  if (before) {
    const isAsked = rules.removals.has(before.streamId);
    demand(isAsked, 'DELETED_ANOTHER_INCARNATION', () => `nobody asked for ${before.streamId}`);
  }
  if (after) checkCreated(rules, after);
}

function checkCreated({ stored, created, ...rules }: TailRules, tail: Tail): void {
  const { streamId } = tail;
  demand(!created.has(streamId), 'INCARNATION_USED_TWICE', () => streamId);
  created.add(streamId);
  const incarnation = stored.incarnation(streamId);
  for (const ref of tail.refs) recordCommit(rules, { incarnation, before: undefined, ref });
}

function checkSame(rules: TailRules, before: Tail, after: Tail): void {
  const { stored } = rules;
  const incarnation = stored.incarnation(after.streamId);
  checkRising(before, after);
  const ref = after.refs.at(-1);
  if (after.next > before.next && ref !== undefined) {
    recordCommit(rules, { incarnation, before, ref });
  }
  checkCancelled(incarnation, before, after);
  checkFirst(incarnation, { before, after }, rules);
}

const RISING = [
  'epoch',
  'next',
  'base',
  'first',
  'sideVersion',
  'timeBelowMs',
  'workVersion',
  'valuesRecorded',
] as const;

function checkRising(before: Tail, after: Tail): void {
  for (const name of RISING) {
    const what = () => `${name} from ${before[name]} to ${after[name]}`;
    demand(after[name] >= before[name], 'WENT_BACK', what);
  }
  const isBack = compareBytes(after.horizon, before.horizon) < 0;
  demand(!isBack, 'WENT_BACK', () => 'horizon');
}

/** A cancelled id leaves only when the horizon has passed it. */
function checkCancelled({ name }: Incarnation, before: Tail, after: Tail): void {
  for (const ulid of before.cancelled) {
    const isKept = after.cancelled.some((other) => compareBytes(other, ulid) === 0);
    const isPassed = compareBytes(ulid, after.horizon) <= 0;
    demand(isKept || isPassed, 'FENCE_GONE', () => `${name}: ${Buffer.from(ulid).toString('hex')}`);
  }
}
