/**
 * Messages that are held until their time (SPEC L1-L13). They are accepted by `LogStore.commit`, with the append
 * that they came with; here they are listed, cancelled and released. Durable and visible like commits; failures
 * are StoreErrors.
 */

import type { StreamId } from '../core/log/ids.ts';
import type { HeldId } from '../core/timer/held-id.ts';
import type { HeldMessage, HeldTarget } from '../core/timer/held-message.ts';
import type { DropReason, ReleasePlan } from '../core/timer/release-plan.ts';

/** A held message with what is stored of it then: one record (wire/record). */
export interface DueMessage extends HeldMessage {
  readonly record: Uint8Array;
  /** As of {@link Batch}: a body of a JSON content type was parsed. */
  readonly jsonChecked: boolean;
}

/** In the order of release; those whose target is gone are left out. */
export interface HeldQuery {
  /** All of them when it is left out. */
  readonly target?: HeldTarget;
  /** Ids above this one; an empty text is below all. */
  readonly startAfter: string;
  readonly limit: number;
}

export interface ReleaseOptions {
  nowMs(): number;
  /**
   * Where the first of these messages go, by the routes of this moment. Called with what is due, in its order; what
   * the plan leaves out is asked for again later.
   */
  plan(due: readonly DueMessage[]): Promise<ReleasePlan>;
  /** Hears of each release that took effect here. */
  released(what: Released): void;
  readonly signal: AbortSignal;
}

export interface Released {
  readonly messages: number;
  /** When the first of them was due. */
  readonly oldestDueMs: number;
  /** Of these, those that went nowhere. */
  readonly dropped: { readonly [Reason in DropReason]: number };
  /** Streams that have new messages. */
  readonly stored: readonly StreamId[];
}

export interface ReleaseReport {
  /** Messages that were released; those that went nowhere among them. */
  readonly released: number;
  /** Releases that failed; what they were to release stays due. */
  readonly failed: number;
  /** How long the oldest that is still due has been so. */
  readonly overdueMs: number;
  /** When the first of all others is due; absent when none is held. */
  readonly nextDueMs?: number;
}

export interface Timers {
  load(id: HeldId): Promise<DueMessage | undefined>;

  list(query: HeldQuery): Promise<readonly HeldMessage[]>;

  count(target?: HeldTarget): Promise<number>;

  /** False when there is none, or it is being released: then it is too late (SPEC L10). */
  cancel(id: HeldId): Promise<boolean>;

  /** Releases what is due, each once, until nothing is or `signal` aborts. Never throws for what failed. */
  release(options: ReleaseOptions): Promise<ReleaseReport>;
}
