/** From batches to the held messages that are kept of them. */
import { assert } from '../core/assert.ts';
import type { CommitOutcome } from '../core/log/commit-batch.ts';
import type { Append } from '../ports/log-store.ts';
import type { DueMessage } from '../ports/timers.ts';
import { recordsAt } from '../wire/record-list.ts';

/** Those that the outcomes of these appends ask to be held. */
export function heldToStore(
  appends: readonly Append[],
  outcomes: readonly CommitOutcome[],
): readonly Omit<DueMessage, 'target'>[] {
  return appends.flatMap((append, index) => {
    const outcome = outcomes[index];
    if (append.delays === undefined || outcome === undefined) return [];
    return outcome.kind === 'stored' || outcome.kind === 'held'
      ? heldOf(append, new Set(outcome.held))
      : [];
  });
}

function heldOf(
  { batch, delays = [], timeMs: heldMs }: Append,
  places: ReadonlySet<number>,
): readonly Omit<DueMessage, 'target'>[] {
  const held = delays.filter(({ index }) => places.has(index));
  const records = recordsAt(
    batch.records,
    held.map(({ index }) => index),
  );
  return held.map(({ id, bytes }, at) => {
    const record = records[at];
    assert(record !== undefined, 'a held message without a record');
    return { id, heldMs, bytes, record, jsonChecked: batch.jsonChecked };
  });
}
