/** What a commit holds, of the outcomes that it plans: each message with the record that is stored when it is due. */
import { assert } from '../core/assert.ts';
import type { CommitOutcome } from '../core/log/commit-batch.ts';
import type { StreamId } from '../core/log/ids.ts';
import type { HeldTarget } from '../core/timer/held-message.ts';
import type { Append } from '../ports/log-store.ts';
import { recordsAt } from '../wire/record-list.ts';
import type { PlannedTimer } from './held-bodies.ts';

export function plannedTimers(
  appends: readonly Append[],
  outcomes: readonly CommitOutcome[],
): readonly PlannedTimer[] {
  return outcomes.flatMap((outcome, index) => {
    const append = appends[index];
    if (append === undefined || (outcome.kind !== 'stored' && outcome.kind !== 'held')) return [];
    const { held = [], streamId } = outcome;
    return held.length === 0 ? [] : timersOf(append, held, targetOf(append, streamId));
  });
}

function targetOf({ stream: name, heldFor }: Append, id: StreamId): HeldTarget {
  return heldFor === undefined
    ? { kind: 'stream', name, id }
    : { kind: 'exchange', name: heldFor.name, id: heldFor.id };
}

function timersOf(
  { delays = [], batch, timeMs: heldMs }: Append,
  held: readonly number[],
  target: HeldTarget,
): readonly PlannedTimer[] {
  const records = recordsAt(batch.records, held);
  return held.map((place, at) => {
    const delay = delays.find(({ index }) => index === place);
    const record = records[at];
    assert(delay !== undefined && record !== undefined, 'a message is held that is not delayed');
    const { id, bytes } = delay;
    return { message: { id, target, heldMs, bytes }, record, jsonChecked: batch.jsonChecked };
  });
}
