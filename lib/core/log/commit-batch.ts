/**
 * Decides several appends against one stream, each with its own outcome: what group commit plans and
 * one transaction then writes. Each append sees the effects of those before it, so the result is the
 * same as that of committing them one by one.
 */
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
  | (AppendOutcome & { readonly kind: 'stored' | 'duplicate'; readonly streamId: StreamId })
  | (AppendOutcome & { readonly kind: 'reject' })
  | { readonly kind: 'reject'; readonly code: 'stream_not_found' };

export interface CommitPlan {
  /** In the order of the appends. */
  readonly outcomes: readonly CommitOutcome[];
  /** Undefined when the stream is missing and stays so. */
  readonly state: StreamState | undefined;
  /** Records of publishers that stored something, or said something that is known by its value. */
  readonly changed: ReadonlyMap<PublisherName, PublisherRecord>;
  /** In the order of their numbers; a value may be among them twice. */
  readonly recorded: readonly RecordedValue[];
}

export interface CommitBase {
  readonly state: StreamState | undefined;
  /** What the stream remembers of a publisher before this commit. */
  record(name: PublisherName): PublisherRecord | undefined;
  /** What the stream remembers of values; needed when its settings ask for deduplication. */
  readonly values?: ValueMemory;
}

export function planCommit(base: CommitBase, appends: readonly CreatingAppend[]): CommitPlan {
  const changed = new Map<PublisherName, PublisherRecord>();
  const outcomes: CommitOutcome[] = [];
  const values = new ValueLedger(base.values ?? NO_VALUES);
  let state = base.state;
  for (const append of appends) {
    const before = state ?? (append.createAs && newStreamState(append.createAs, {}));
    if (before === undefined || isOther(before, append)) {
      outcomes.push({ kind: 'reject', code: 'stream_not_found' });
      continue;
    }
    const name = append.publisher?.name;
    // A missing stream has no publishers, so nothing is looked up for one that is being created.
    const known = name && (changed.get(name) ?? (state && base.record(name)));
    const result = applyAppend(before, { record: known, values }, append);
    outcomes.push(identify(result.outcome, before.streamId));
    values.record(result.recorded);
    if (result.outcome.kind === 'stored') state = result.state;
    const { record } = result;
    if (name !== undefined && record !== undefined && record !== known) changed.set(name, record);
  }
  return { outcomes, state, changed, recorded: values.recorded };
}

function isOther({ streamId }: StreamState, { ifStreamId }: CreatingAppend): boolean {
  return ifStreamId !== undefined && ifStreamId !== streamId;
}

function identify(outcome: AppendOutcome, streamId: StreamId): CommitOutcome {
  return outcome.kind === 'reject' ? outcome : { ...outcome, streamId };
}
