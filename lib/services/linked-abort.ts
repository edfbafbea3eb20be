/**
 * An abort of one's own that also follows other signals, and lets go of them at the end: a listener
 * left on a long-lived signal is a leak for every wait (SPEC LR5).
 */
export interface LinkedAbort {
  readonly signal: AbortSignal;
  /** Aborts this one only, and lets go of the signals it followed. */
  end(): void;
}

/** Given, as the one made for each abort has a stack, which took a tenth of a follower's time. */
const ENDED = new Error('ended');

export function linkAbort(...followed: readonly AbortSignal[]): LinkedAbort {
  const own = new AbortController();
  const end = () => {
    for (const signal of followed) signal.removeEventListener('abort', end);
    own.abort(ENDED);
  };
  for (const signal of followed) signal.addEventListener('abort', end, { once: true });
  if (followed.some(({ aborted }) => aborted)) end();
  return { signal: own.signal, end };
}
