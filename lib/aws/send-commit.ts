/**
 * Sends what was planned (PROTOCOL R1, R12a, R17): one update, or a transaction of it, of the values that a large
 * cache is to remember, and of what is held. An answer that got lost is for the caller to look for.
 */
import { assert } from '../core/assert.ts';
import type { RecordClaim } from '../core/routing/routing-record.ts';
import { isSameUlid, type Ulid } from '../format/ulid.ts';
import type { AwsContext } from './aws-context.ts';
import type { CommitPlan } from './commit-plan.ts';
import { commitUpdate } from './commit-update.ts';
import { timerPuts } from './held-bodies.ts';
import type { KnownStream } from './known-stream.ts';
import type { ValueItems } from './known-values.ts';
import { mintUlid } from './mint-ulid.ts';
import { type PlacedRef, placeRefs } from './placed-refs.ts';
import type { Side } from './publisher-side.ts';
import { takeSteps } from './record-item.ts';
import { findCommit } from './recover-commit.ts';
import type { Item } from './table.ts';
import { hasOwnItems, valuePuts } from './value-update.ts';

export interface PlannedCommit {
  readonly stream: KnownStream;
  readonly side: Side;
  readonly items: ValueItems;
  readonly plan: CommitPlan;
  readonly ulid: Ulid;
}

export type Sent =
  | { readonly kind: 'stored'; readonly stream: KnownStream; readonly ref: PlacedRef }
  /** With the tail as it is, if the tail refused: undefined when there is none any more. */
  | { readonly kind: 'refused'; readonly by: 'tail'; readonly item: Item | undefined }
  | { readonly kind: 'refused'; readonly by: 'value' }
  /** Whose records are others by now. */
  | { readonly kind: 'refused'; readonly by: 'record'; readonly changed: readonly RecordClaim[] };

export async function sendCommit(context: AwsContext, commit: PlannedCommit): Promise<Sent> {
  const { timers, taken } = commit.plan;
  return hasOwnItems(commit) || timers.length > 0 || taken.length > 0
    ? await sendTogether(context, commit)
    : await sendAlone(context, commit);
}

async function sendAlone(context: AwsContext, commit: PlannedCommit): Promise<Sent> {
  const { stream: before, plan, side, ulid } = commit;
  const update = commitUpdate({ stream: before, plan, ulid, sideVersion: side.version });
  const result = await context.table.update(update, 'once');
  if (result.kind === 'refused') return { kind: 'refused', by: 'tail', item: result.item };
  assert(result.item !== undefined, 'a commit without an answer');
  const stream = context.streams.committed(before, result.item);
  const ref = placeRefs(stream.tail, stream.tail.refs).at(-1);
  assert(ref !== undefined && isSameUlid(ref.ulid, ulid), 'a commit without its ref');
  return { kind: 'stored', stream, ref };
}

/** A transaction does not say where the messages came to lie: that takes a look. */
async function sendTogether(context: AwsContext, commit: PlannedCommit): Promise<Sent> {
  const { stream, plan, side, ulid } = commit;
  const update = commitUpdate({ stream, plan, ulid, sideVersion: side.version });
  const values = hasOwnItems(commit) ? valuePuts(commit) : [];
  const { taken } = plan;
  const result = await context.table.transact(
    [
      { kind: 'update', ...update },
      ...values,
      ...takeSteps(stream.name, taken),
      ...timerPuts(plan.timers, ulid),
    ],
    // Not the object's id: an object is sent again with what changed, a token must not be.
    Buffer.from(mintUlid(context)).toString('hex'),
  );
  if (result.kind === 'done') {
    const found = await findCommit(context, { stream, ulid });
    return { kind: 'stored', stream: found.stream, ref: found.placement };
  }
  const [tail] = result.steps;
  if (tail?.refused) return { kind: 'refused', by: 'tail', item: tail.item };
  const changed = taken.filter((_, at) => result.steps[1 + values.length + at]?.refused);
  return changed.length > 0
    ? { kind: 'refused', by: 'record', changed }
    : { kind: 'refused', by: 'value' };
}
