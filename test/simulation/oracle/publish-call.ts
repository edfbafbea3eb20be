/** A call that publishes, and what whoever made it was told of each of its appends. */
import type { Append } from '../../../lib/ports/log-store.ts';
import type { HeldRequest } from './held-ledger.ts';
import type { Incarnation } from './incarnation.ts';

/** What the caller was told so far: nothing, or one of these. */
export type Fate = 'open' | 'stored' | 'duplicate' | 'refused' | 'none' | 'possible';

export interface CheckedAppend {
  readonly append: Append;
  readonly hasRival: boolean;
  fate: Fate;
  /** What is to be held of it. */
  readonly held: HeldRequest | undefined;
  /** Set when it took effect. */
  placed: Placed | undefined;
}

export interface Placed {
  readonly incarnation: Incarnation;
  /** Of its messages from the one with index `skipped` on: [base, end). */
  readonly base: number;
  readonly end: number;
  readonly skipped: number;
  readonly timeMs: number;
}

export interface PublishCall {
  readonly number: number;
  readonly begunAt: number;
  readonly appends: readonly CheckedAppend[];
}

/** Fates of an append that certainly is not stored and never will be. */
export function isRefused(fate: Fate): boolean {
  return fate === 'refused' || fate === 'none';
}
