/** How long a published message is to be held, checked before anything of it is sent (SPEC L2, L3). */
import { invalid } from './client-error.ts';

/** One of them, or none. */
export interface OutgoingDelay {
  /** Held for so long from when the service takes it; 10 years at most, 0 or less is at once. */
  readonly delayMs?: number;
  /** Held until then: milliseconds since 1970, or RFC 3339. What has passed is at once. */
  readonly deliverAt?: number | string | DateLike;
}

/** A `Date`: only the time in it is asked for, never the clock of this side. */
interface DateLike {
  getTime(): number;
}

/** As the API takes it. */
export type WrittenDelay = { readonly delay_ms: number } | { readonly deliver_at: number | string };

const DELAY_MS_MAX = 315_360_000_000;

export function writeDelay({ delayMs, deliverAt }: OutgoingDelay): WrittenDelay | undefined {
  if (delayMs !== undefined && deliverAt !== undefined) {
    throw invalid('deliverAt', 'a message has delayMs or deliverAt, not both');
  }
  if (delayMs !== undefined) {
    if (Number.isInteger(delayMs) && delayMs <= DELAY_MS_MAX) {
      return { delay_ms: Math.max(delayMs, 0) };
    }
    throw invalid('delayMs', `delayMs must be an integer, at most ${DELAY_MS_MAX} (10 years)`);
  }
  if (deliverAt === undefined) return undefined;
  const written = typeof deliverAt === 'object' ? deliverAt.getTime() : deliverAt;
  if (typeof written === 'string' || Number.isSafeInteger(written)) return { deliver_at: written };
  throw invalid('deliverAt', 'deliverAt must be integer ms since 1970, a Date or RFC 3339 text');
}
