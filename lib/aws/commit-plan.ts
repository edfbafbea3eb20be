/**
 * Plans one commit: the longest run of appends to one stream that a single object and a single update can
 * store, judged as core judges them against the stream as it is known. What was assumed of the stream
 * becomes the update's condition, so a plan made on an old state is refused, never wrong. Pure.
 */
import { assert } from '../core/assert.ts';
import { type CommitOutcome, planCommit } from '../core/log/commit-batch.ts';
import { offset, type PublisherName } from '../core/log/ids.ts';
import type { PublisherRecord } from '../core/log/publisher.ts';
import type { StreamState } from '../core/log/stream-state.ts';
import { bytesFrom, withoutFirst } from '../format/chunk-content.ts';
import type { ObjectPart } from '../format/chunk-object.ts';
import type { Append } from '../ports/log-store.ts';

type Stored = Extract<CommitOutcome, { kind: 'stored' }>;

export interface PlannedPart {
  /** Which of the run's appends it is. */
  readonly index: number;
  readonly append: Append;
  readonly outcome: Stored;
  /** What is stored of it. Its time is at least that of the part before, whatever the stream's is. */
  readonly part: ObjectPart;
}

export interface CommitPlan {
  /** Of the appends that the run covers, from the first on. */
  readonly outcomes: readonly CommitOutcome[];
  readonly parts: readonly PlannedPart[];
  /** Records of publishers that store something, after the run. */
  readonly changed: ReadonlyMap<PublisherName, PublisherRecord>;
  readonly opensSegment: boolean;
  /** Some outcome depends on the exact next offset. */
  readonly needsNext: boolean;
}

export interface PlanBase {
  readonly state: StreamState | undefined;
  record(name: PublisherName): PublisherRecord | undefined;
}

/** An update may have 300 operators (four for each publisher) and 4096 bytes: 64 fit both. */
const PUBLISHERS_PER_COMMIT_MAX = 64;

export function planStreamCommit(base: PlanBase, appends: readonly Append[]): CommitPlan {
  const all = decide(base, appends);
  const length = runLength(appends, all.outcomes);
  const { outcomes, changed } =
    length === appends.length ? all : decide(base, appends.slice(0, length));
  const parts = plannedParts(appends, outcomes);
  return {
    outcomes,
    parts,
    changed,
    opensSegment: parts[0]?.outcome.opensSegment ?? false,
    needsNext: appends.slice(0, length).some(({ expectedOffset }) => expectedOffset !== undefined),
  };
}

function decide(base: PlanBase, appends: readonly Append[]) {
  return planCommit(
    base,
    appends.map((append) => ({
      ...append,
      count: append.batch.count,
      bytesFrom: (index) => bytesFrom(append.batch, index),
    })),
  );
}

/** A segment can only open with an object, so a run ends before the next append that opens one. */
function runLength(appends: readonly Append[], outcomes: readonly CommitOutcome[]): number {
  const publishers = new Set<PublisherName>();
  let isFirst = true;
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.kind !== 'stored') continue;
    if (outcome.opensSegment && !isFirst) return index;
    isFirst = false;

    const name = appends[index]?.publisher?.name;
    if (name !== undefined) publishers.add(name);
    if (publishers.size > PUBLISHERS_PER_COMMIT_MAX) return index;
  }
  return appends.length;
}

function plannedParts(
  appends: readonly Append[],
  outcomes: readonly CommitOutcome[],
): readonly PlannedPart[] {
  let timeMs = 0;
  return outcomes.flatMap((outcome, index) => {
    const append = appends[index];
    if (outcome.kind !== 'stored' || append === undefined) return [];
    timeMs = Math.max(timeMs, append.timeMs);
    const part = { ...withoutFirst(append.batch, outcome.duplicates), timeMs };
    return [{ index, append, outcome, part }];
  });
}

/** Where the parts came to lie: what was planned holds, but others may have stored messages before. */
export interface Placement {
  readonly base: number;
  /** The maximum time of all messages before them. */
  readonly timeBelowMs: number;
}

/** The outcomes as they came to be (SPEC P3, O18). */
export function placeOutcomes(
  { outcomes, parts }: CommitPlan,
  { base, timeBelowMs }: Placement,
): readonly CommitOutcome[] {
  const planned = parts[0]?.outcome.start;
  assert(planned !== undefined && base >= planned, 'a commit lies before where it was planned');
  const shift = base - planned;
  const times = new Map(
    parts.map(({ index, part }) => [index, Math.max(timeBelowMs, part.timeMs)]),
  );
  return outcomes.map((outcome, index) => {
    if (outcome.kind === 'reject') return outcome;
    if (outcome.kind === 'duplicate') return shiftDuplicate(outcome, { planned, shift });
    const [start, end] = [shifted(outcome.start, shift), shifted(outcome.end, shift)];
    return { ...outcome, start, end, timeMs: times.get(index) ?? outcome.timeMs };
  });
}

type Duplicate = Extract<CommitOutcome, { kind: 'duplicate' }>;

/** The repeat of a request of the same run moves with it, any other stands where it stood. */
function shiftDuplicate(
  outcome: Duplicate,
  { planned, shift }: { readonly planned: number; readonly shift: number },
): Duplicate {
  const { range, next } = outcome;
  const moved = range !== undefined && range.start >= planned;
  return {
    ...outcome,
    next: shifted(next, shift),
    ...(moved && { range: { start: shifted(range.start, shift), end: shifted(range.end, shift) } }),
  };
}

function shifted(from: Stored['start'], by: number): Stored['start'] {
  return offset(from + by);
}
