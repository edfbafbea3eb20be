/** The clock of this machine. Waiting holds no listener on the signal once it is over. */
import type { Clock } from '../ports/clock.ts';

export function createSystemClock(): Clock {
  return { nowMs: () => Date.now(), elapsedMs: () => performance.now(), alarm, wait };
}

function alarm(ms: number, ring: () => void): () => void {
  const timer = setTimeout(ring, ms);
  return () => clearTimeout(timer);
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) {
    resolve();
    return promise;
  }
  const end = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    resolve();
  };
  const timer = setTimeout(end, ms);
  signal.addEventListener('abort', end);
  return promise;
}
