/**
 * Runs a store's maintenance now and then, one run at a time, until it is told to end. Several processes may
 * do so for one store.
 */
import type { Clock } from '../ports/clock.ts';
import type { Maintenance } from '../ports/maintenance.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { Waker } from '../ports/waker.ts';
import { linkAbort } from './linked-abort.ts';

/** Work that is wanted at once comes segment by segment: so much of it is done together. */
const PAUSE_MS = 250;

export interface MaintainedParts {
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly waker: Waker;
  /** Between the end of a run and the beginning of the next. */
  readonly everyMs: number;
}

/** Resolves when `signal` has aborted and no run is under way. Never rejects. */
export async function keepMaintained(
  maintenance: Maintenance,
  { clock, telemetry, waker, everyMs }: MaintainedParts,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await nextTurn(maintenance, { clock, everyMs }, signal);
    if (signal.aborted) return;
    try {
      const { trimmed } = await maintenance.run(signal);
      // Followers that stand below the new first tell their readers of the gap now (SPEC O16).
      for (const streamId of trimmed) waker.wake(streamId);
    } catch (error) {
      telemetry.error('maintenance_failed', { error });
    }
  }
}

/** Sooner than `everyMs` when the store wants it. */
async function nextTurn(
  maintenance: Maintenance,
  { clock, everyMs }: Pick<MaintainedParts, 'clock' | 'everyMs'>,
  signal: AbortSignal,
): Promise<void> {
  const pauseMs = Math.min(PAUSE_MS, everyMs);
  await clock.wait(pauseMs, signal);
  const waiting = linkAbort(signal);
  const forget = maintenance.whenWanted?.(waiting.end);
  await clock.wait(everyMs - pauseMs, waiting.signal);
  forget?.();
  waiting.end();
}
