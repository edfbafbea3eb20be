/**
 * Drops the segments that a stream keeps no longer (SPEC T1-T7), inside the transaction of its caller: what
 * core plans, the removal of what it drops, and when the clock is to be asked again.
 */
import type { DatabaseSync } from 'node:sqlite';
import { offset } from '../core/log/ids.ts';
import { planRetention, type RetentionPlan } from '../core/log/retention.ts';
import { effectiveSettings } from '../core/log/settings.ts';
import { applyTrim, type StreamState } from '../core/log/stream-state.ts';
import type { RemovalQueue } from './removal-queue.ts';
import { RetentionTable } from './retention-table.ts';
import { SegmentTable } from './segment-table.ts';

/** The stream's next offset and logical bytes, and the time, for which it is asked. */
export interface RetentionMoment {
  readonly next: number;
  readonly bytes: number;
  readonly nowMs: number;
}

export class SegmentRetention {
  readonly #segments: SegmentTable;
  readonly #due: RetentionTable;
  readonly #removals: RemovalQueue;

  constructor(database: DatabaseSync, removals: RemovalQueue) {
    this.#segments = new SegmentTable(database);
    this.#due = new RetentionTable(database);
    this.#removals = removals;
  }

  /** The state that is to be saved: the same one, or with a higher first. */
  apply(no: number, state: StreamState, moment: RetentionMoment): StreamState {
    const active = state.segment?.first ?? 0;
    const plan = planRetention(this.#segments.sealed(no, state.first, active), {
      ...moment,
      settings: effectiveSettings(state.settings),
      holders: [],
    });
    this.#due.set(no, expiryOf(plan));
    if (plan.dropBelow === undefined) return state;

    this.#removals.addBelow(no, plan.dropBelow);
    return applyTrim(state, offset(plan.dropBelow));
  }
}

/** When the oldest segment that stays reaches its age. */
function expiryOf({ kept }: RetentionPlan): number | undefined {
  const verdict = kept?.verdict;
  return verdict?.kind === 'keep' && verdict.why === 'within-limits'
    ? verdict.expiresMs
    : undefined;
}
