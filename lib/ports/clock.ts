/** Time, as a component: the wall clock, and waiting. Tests inject one that they move by hand. */

export interface Clock {
  /** Milliseconds since 1970 UTC. May step backwards: SPEC O18 holds whatever it says. */
  nowMs(): number;

  /** Milliseconds with their fractions since some moment; never steps, so durations are taken from it. */
  elapsedMs(): number;

  /** Calls `ring` after `ms` of elapsed time, unless the function that is returned is called before. */
  alarm(ms: number, ring: () => void): () => void;

  /** Resolves after `ms` of elapsed time, or as soon as `signal` aborts; never rejects. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}
