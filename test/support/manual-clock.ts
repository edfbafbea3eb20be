/** A clock that tests move by hand; waits end when it has been moved far enough. */
import type { Clock } from '../../lib/ports/clock.ts';

export interface ManualClock extends Clock {
  set(ms: number): void;
  /** Moves on and lets everything run that waited for it. */
  advance(ms: number): Promise<void>;
  /** How many waits and alarms are under way. */
  waiting(): number;
}

interface Wait {
  readonly at: number;
  finish(): void;
}

export function createManualClock(startMs: number): ManualClock {
  let nowMs = startMs;
  // Elapsed time goes on although the wall clock may be set back.
  let elapsedMs = 0;
  const waits = new Set<Wait>();

  return {
    nowMs: () => nowMs,
    elapsedMs: () => elapsedMs,
    set: (ms) => {
      nowMs = ms;
    },
    async advance(ms) {
      nowMs += ms;
      elapsedMs += ms;
      for (const wait of [...waits]) if (wait.at <= elapsedMs) wait.finish();
      await settle();
    },
    waiting: () => waits.size,
    alarm(ms, ring) {
      const finish = () => {
        waits.delete(wait);
        ring();
      };
      const wait: Wait = { at: elapsedMs + ms, finish };
      waits.add(wait);
      return () => waits.delete(wait);
    },
    wait: (ms, signal) =>
      new Promise((resolve) => {
        const finish = () => {
          waits.delete(wait);
          signal.removeEventListener('abort', finish);
          resolve();
        };
        const wait: Wait = { at: elapsedMs + ms, finish };
        waits.add(wait);
        signal.addEventListener('abort', finish, { once: true });
        if (signal.aborted || ms <= 0) finish();
      }),
  };
}

/** Lets promises and immediates run that are due now; waits for nothing else. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 8; round++)
    await new Promise<void>((resolve) => setImmediate(resolve));
}
