/** The clock of one process: its wall clock is off and may be set, its alarms are steps like any other. */
import type { Clock } from '../../lib/ports/clock.ts';
import type { NetworkParts } from './network.ts';

/** 1 January 2030. */
export const START_MS = 1_893_456_000_000;
const SKEW_MS_END = 5_000;
const BOOTED_MS_END = 1_000_000;

export function createSimulatedClock(parts: NetworkParts, skewMs?: number): Clock {
  const { actor, scheduler, chance } = parts;
  const bootedMs = chance.below(BOOTED_MS_END);
  let offMs = skewMs ?? drawSkewMs();

  function drawSkewMs(): number {
    return chance.below(2 * SKEW_MS_END) - SKEW_MS_END;
  }

  function alarm(ms: number, ring: () => void): () => void {
    const dueMs = scheduler.nowMs() + Math.max(0, ms);
    return scheduler.post({ actor, label: 'wakes', place: 'process', dueMs, run: ring });
  }

  return {
    nowMs() {
      if (chance.percent(actor.faults.clockStep)) {
        offMs = drawSkewMs();
        scheduler.note(`clock off by ${offMs} ms`);
      }
      return START_MS + scheduler.nowMs() + offMs;
    },
    elapsedMs: () => bootedMs + scheduler.nowMs(),
    alarm,
    wait(ms, signal) {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (actor.isCrashed) return promise;
      if (signal.aborted) {
        resolve();
        return promise;
      }
      const end = () => {
        cancel();
        signal.removeEventListener('abort', end);
        if (!actor.isCrashed) resolve();
      };
      const cancel = alarm(ms, end);
      signal.addEventListener('abort', end);
      return promise;
    },
  };
}
