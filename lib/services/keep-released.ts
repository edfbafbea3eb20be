/**
 * Releases held messages at their time, for as long as the process runs. Several processes may do so for one store;
 * what another one accepted is seen at the next look at the latest.
 */
import type { Telemetry } from '../ports/telemetry.ts';
import type { Components } from './components.ts';
import { releaseDue } from './release-due.ts';

export interface ReleasedParts {
  readonly components: Components;
  readonly telemetry: Telemetry;
  /** Between two looks when nothing is known to be due. */
  readonly everyMs: number;
}

/** For a store that fails: what was to be released stays due. */
const AFTER_FAILURE_MS = 1_000;

/** Resolves when `signal` has aborted and no release is under way. Never rejects. */
export async function keepReleased(
  { components, telemetry, everyMs }: ReleasedParts,
  signal: AbortSignal,
): Promise<void> {
  const { clock, dueAlarm } = components;
  while (!signal.aborted) {
    const nextMs = await releaseOnce({ components, telemetry }, signal);
    const lookMs = clock.nowMs() + everyMs;
    await dueAlarm.until(Math.min(nextMs ?? lookMs, lookMs), signal);
  }
}

/** When to look next; undefined when nothing is known to be due. */
async function releaseOnce(
  { components, telemetry }: Pick<ReleasedParts, 'components' | 'telemetry'>,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { clock } = components;
  try {
    const { failed, nextDueMs } = await releaseDue(components, signal);
    return failed > 0 ? clock.nowMs() + AFTER_FAILURE_MS : nextDueMs;
  } catch (error) {
    telemetry.error('release_failed', { error });
    return clock.nowMs() + AFTER_FAILURE_MS;
  }
}
