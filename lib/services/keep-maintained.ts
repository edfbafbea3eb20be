/**
 * Runs a store's maintenance now and then, one run at a time, until it is told to end. Several processes may
 * do so for one store.
 */
import type { Clock } from '../ports/clock.ts';
import type { Maintenance } from '../ports/maintenance.ts';
import type { Telemetry } from '../ports/telemetry.ts';

/** As often as the scheduled function runs it: what is due waits a minute at most. */
export const MAINTAIN_EVERY_MS = 60_000;

export interface MaintainedParts {
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

/** Resolves when `signal` has aborted and no run is under way. Never rejects. */
export async function keepMaintained(
  maintenance: Maintenance,
  { clock, telemetry }: MaintainedParts,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await clock.wait(MAINTAIN_EVERY_MS, signal);
    if (signal.aborted) return;
    try {
      await maintenance.run(signal);
    } catch (error) {
      telemetry.error('maintenance_failed', { error });
    }
  }
}
