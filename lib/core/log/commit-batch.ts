/**
 * Decides several appends against one stream, each with its own outcome: what group commit plans and
 * one transaction then writes. Each append sees the effects of those before it, so the result is the
 * same as that of committing them one by one.
 */
import { ClaimLedger, type RecordClaim } from '../routing/routing-record.ts';
import { type AppendCommand, type AppendOutcome, applyAppend } from './append.ts';
import { NO_VALUES, type RecordedValue, ValueLedger, type ValueMemory } from './deduplication.ts';
import type { PublisherName, StreamId } from './ids.ts';
import type { PublisherRecord } from './publisher.ts';
import { newStreamState, type StreamState } from './stream-state.ts';

export interface CreatingAppend extends AppendCommand {
  /** The id that the stream gets when it is missing and this append is stored (SPEC P12). */
  readonly createAs?: StreamId;
  /** Any other incarnation of the name is not the stream that is meant (SPEC T13). */
  readonly ifStreamId?: StreamId;
}

export type CommitOutcome =
  | (AppendOutcome & {
      readonly kind: 'stored' | 'duplicate' | 'held';
      readonly streamId: StreamId;
    })
  | (AppendOutcome & { readonly kind: 'reject' })
  | { readonly kind: 'reject'; readonly code: 'stream_not_found' }
  /** Of a routed message: its exchange remembers another try, or that this stream has it. */
  | { readonly kind: 'reject'; readonly code: 'record_changed' };

export interface CommitPlan {
  /** In the order of the appends. */
  readonly outcomes: readonly CommitOutcome[];
  /** Undefined when the stream is missing and stays so. */
  readonly state: StreamState | undefined;
  /** Records of publishers that stored something, or said something that is known by its value. */
  readonly changed: ReadonlyMap<PublisherName, PublisherRecord>;
  /** In the order of their numbers; a value may be among them twice. */
  readonly recorded: readonly RecordedValue[];
  /** Records of exchanges in which the stream is to be noted: it has those messages. */
  readonly taken: readonly RecordClaim[];
}

export interface CommitBase {
  readonly state: StreamState | undefined;
  /** What the stream remembers of a publisher before this commit. */
  record(name: PublisherName): PublisherRecord | undefined;
  /** What the stream remembers of values; needed when its settings ask for deduplication. */
  readonly values?: ValueMemory;
  /** Whether the record is the one that is claimed, and the stream has not taken it. Always, when left out. */
  readonly isOpen?: ((claim: RecordClaim) => boolean) | undefined;
}

export function planCommit(base: CommitBase, appends: readonly CreatingAppend[]): CommitPlan {
  const changed = new Map<PublisherName, PublisherRecord>();
  const outcomes: CommitOutcome[] = [];
  const values = new ValueLedger(base.values ?? NO_VALUES);
  const claims = new ClaimLedger(base.isOpen);
  let state = base.state;
  for (const append of appends) {
    const before = state ?? (append.createAs && newStreamState(append.createAs, {}));
    if (before === undefined || isOther(before, append)) {
      outcomes.push({ kind: 'reject', code: 'stream_not_found' });
      continue;
    }
    if (!claims.areOpen(append.records)) {
      outcomes.push({ kind: 'reject', code: 'record_changed' });
      continue;
    }
    // A missing stream has no publishers, so nothing is looked up for one that is being created.
    const known = recordBefore(append, changed, state && base);
    const result = applyAppend(before, { record: known, values }, append);
    outcomes.push(identify(result.outcome, before.streamId));
    values.record(result.recorded);
    if (result.outcome.kind !== 'reject') state = result.state;
    claims.take(append.records, knownByIds(result.outcome));
    noteChange(changed, append, { before: known, after: result.record });
  }
  return { outcomes, state, changed, recorded: values.recorded, taken: claims.taken };
}

/** How many of its messages the publisher's record left out; all of a refused append. */
function knownByIds(outcome: AppendOutcome): number {
  if (outcome.kind === 'reject') return Number.POSITIVE_INFINITY;
  return outcome.duplicates - (outcome.byValue?.length ?? 0);
}

function recordBefore(
  { publisher }: CreatingAppend,
  changed: CommitPlan['changed'],
  base: CommitBase | undefined,
): PublisherRecord | undefined {
  return publisher && (changed.get(publisher.name) ?? base?.record(publisher.name));
}

function noteChange(
  changed: Map<PublisherName, PublisherRecord>,
  { publisher }: CreatingAppend,
  { before, after }: Readonly<Record<'before' | 'after', PublisherRecord | undefined>>,
): void {
  if (publisher && after !== undefined && after !== before) changed.set(publisher.name, after);
}

function isOther({ streamId }: StreamState, { ifStreamId }: CreatingAppend): boolean {
  return ifStreamId !== undefined && ifStreamId !== streamId;
}

function identify(outcome: AppendOutcome, streamId: StreamId): CommitOutcome {
  return outcome.kind === 'reject' ? outcome : { ...outcome, streamId };
}
