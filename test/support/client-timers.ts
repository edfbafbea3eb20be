/** Timers for the client library under which no test waits for time to pass. */
import type { Timer } from '../../lib/client/timer.ts';

/** Back-off, `Retry-After` and linger are below it, the time that an answer may take above. */
const PATIENCE_MS_MIN = 20_000;

export interface PromptTimer extends Timer {
  /** How long was waited, in order; patience with answers left out. */
  readonly waits: readonly number[];
}

/** Waits end at once, and patience never does. */
export function createPromptTimer(): PromptTimer {
  const waits: number[] = [];
  return {
    waits,
    after(ms, run) {
      if (ms >= PATIENCE_MS_MIN) return () => undefined;
      waits.push(ms);
      const handle = setImmediate(run);
      return () => clearImmediate(handle);
    },
  };
}

export interface ManualTimer extends Timer {
  /** Of those that wait, how long each was to wait. */
  waiting(): readonly number[];
  /** Runs what was to wait so long. Throws when nothing is. */
  fire(ms: number): void;
}

export function createManualTimer(): ManualTimer {
  const waits = new Set<{ readonly ms: number; run(): void }>();
  return {
    after(ms, run) {
      const wait = { ms, run };
      waits.add(wait);
      return () => waits.delete(wait);
    },
    waiting: () => [...waits].map(({ ms }) => ms),
    fire(ms) {
      const wait = [...waits].find((one) => one.ms === ms);
      if (wait === undefined) throw new Error(`nothing waits ${ms} ms`);
      waits.delete(wait);
      wait.run();
    },
  };
}
