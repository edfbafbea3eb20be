/**
 * Plans one commit: the longest run of appends to one stream that a single object and a single update can
 * store, judged as core judges them against the stream as it is known. What was assumed of the stream
 * becomes the update's condition, so a plan made on an old state is refused, never wrong. Pure.
 */
import { assert } from '../core/assert.ts';
import { type CommitOutcome, planCommit } from '../core/log/commit-batch.ts';
import {
  LARGE_CACHE_VALUES_MAX,
  type RecordedValue,
  type ValueMemory,
} from '../core/log/deduplication.ts';
import { offset, type PublisherName } from '../core/log/ids.ts';
import type { PublisherRecord } from '../core/log/publisher.ts';
import { effectiveSettings } from '../core/log/settings.ts';
import type { StreamState } from '../core/log/stream-state.ts';
import type { RecordClaim } from '../core/routing/routing-record.ts';
import { appendCommand } from '../format/append-command.ts';
import { withoutLeftOut } from '../format/chunk-content.ts';
import type { ObjectPart } from '../format/chunk-object.ts';
import type { Append } from '../ports/log-store.ts';
import type { PlannedTimer } from './held-bodies.ts';
import { isLarge } from './known-values.ts';
import { plannedTimers } from './planned-timers.ts';

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
  /** Records of publishers that store something, or are heard by a value, after the run. */
  readonly changed: ReadonlyMap<PublisherName, PublisherRecord>;
  readonly opensSegment: boolean;
  /** Some outcome depends on the exact next offset. */
  readonly needsNext: boolean;
  /** The first request of each that has changed its record: the others are behind it. */
  readonly heard: ReadonlyMap<PublisherName, HeardClaim>;
  readonly recorded: readonly RecordedValue[];
  /** Records of exchanges in which the stream is noted with the commit. */
  readonly taken: readonly RecordClaim[];
  /** That some outcome depends on. All that name one name the same: that of the stream as it was planned. */
  readonly token: string | undefined;
  /** Some outcome depends on the values that the stream remembers. */
  readonly hasValues: boolean;
  /** What is held, in the order of the appends. */
  readonly timers: readonly PlannedTimer[];
  /** All that is new is of named publishers, whose conditions refuse a commit that lands late (SPEC D1). */
  readonly isNamed: boolean;
}

export interface HeardClaim {
  readonly lowestId: number;
  readonly epoch: number | undefined;
}

export interface PlanBase {
  readonly state: StreamState | undefined;
  record(name: PublisherName): PublisherRecord | undefined;
  readonly values?: ValueMemory;
  readonly isOpen?: ((claim: RecordClaim) => boolean) | undefined;
}

/** An update may have 300 operators (four for each publisher) and 4096 bytes: 64 fit both. */
const PUBLISHERS_PER_COMMIT_MAX = 64;

export function planStreamCommit(base: PlanBase, appends: readonly Append[]): CommitPlan {
  const all = decide(base, appends);
  const length = runLength(appends, all.outcomes);
  const run = length === appends.length ? all : decide(base, appends.slice(0, length));
  const { outcomes, changed, recorded, taken } = run;
  const timers = plannedTimers(appends, outcomes);
  if (length > 1 && isBeyondTransaction(base, { recorded, taken, timers })) {
    return planStreamCommit(base, appends.slice(0, Math.ceil(length / 2)));
  }
  const parts = plannedParts(appends, outcomes);
  return {
    outcomes,
    parts,
    changed,
    opensSegment: parts[0]?.outcome.opensSegment ?? false,
    needsNext: appends.slice(0, length).some(({ expectedOffset }) => expectedOffset !== undefined),
    heard: heardClaims(appends, outcomes),
    recorded,
    taken,
    token: appends.find(
      ({ fencingToken }, index) => fencingToken !== undefined && isNew(outcomes[index]),
    )?.fencingToken,
    hasValues: recorded.length > 0 || outcomes.some((outcome) => isByValue(outcome)),
    timers,
    isNamed: outcomes.every((outcome, index) => !isNew(outcome) || isRepeatable(appends[index])),
  };
}

/** Values of a large cache, records and held messages are written one by one, in the transaction of the commit. */
function isBeyondTransaction(
  { state }: PlanBase,
  { recorded, taken, timers }: Pick<CommitPlan, 'recorded' | 'taken' | 'timers'>,
): boolean {
  const { deduplication } = effectiveSettings(state?.settings ?? {});
  const values = deduplication !== null && isLarge(deduplication) ? recorded.length : 0;
  return values + taken.length + timers.length > LARGE_CACHE_VALUES_MAX;
}

/** Whether a token refuses it later is not said by its publisher's ids: tokens may come back. */
function isRepeatable(append: Append | undefined): boolean {
  return append?.publisher !== undefined && append.fencingToken === undefined;
}

/** It changes the stream, or what the stream remembers of a publisher. */
function isNew(outcome: CommitOutcome | undefined): boolean {
  if (outcome === undefined) return false;
  return outcome.kind === 'stored' || outcome.kind === 'held' || isByValue(outcome);
}

function isByValue(outcome: CommitOutcome): boolean {
  return outcome.kind !== 'reject' && outcome.byValue !== undefined;
}

function heardClaims(appends: readonly Append[], outcomes: readonly CommitOutcome[]) {
  const heard = new Map<PublisherName, HeardClaim>();
  for (const [index, outcome] of outcomes.entries()) {
    const claim = appends[index]?.publisher;
    if (claim === undefined || heard.has(claim.name)) continue;
    if (!isNew(outcome)) continue;
    const { duplicates = 0, byValue = [] } = outcome.kind === 'reject' ? {} : outcome;
    const lowestId = claim.ids[duplicates - byValue.length];
    assert(lowestId !== undefined, 'a publisher that says nothing new');
    heard.set(claim.name, { lowestId, epoch: claim.epoch });
  }
  return heard;
}

function decide(base: PlanBase, appends: readonly Append[]) {
  return planCommit(base, appends.map(appendCommand));
}

/** A segment can only open with an object, so a run ends before the next append that opens one. */
function runLength(appends: readonly Append[], outcomes: readonly CommitOutcome[]): number {
  const publishers = new Set<PublisherName>();
  let isFirst = true;
  for (const [index, outcome] of outcomes.entries()) {
    if (!isNew(outcome)) continue;
    if (outcome.kind === 'stored') {
      if (outcome.opensSegment && !isFirst) return index;
      isFirst = false;
    }
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
    const part = { ...withoutLeftOut(append.batch, outcome), timeMs };
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
    if (outcome.kind === 'held') return { ...outcome, next: shifted(outcome.next, shift) };
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
