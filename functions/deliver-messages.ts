/**
 * Releases held messages at their time, for about a minute: as long as something is due within it. The next run by
 * the clock begins before this one ends; several at a time are harmless.
 */
import type { Components } from '../lib/services/components.ts';
import { releaseDue } from '../lib/services/release-due.ts';
import type { FunctionStore } from './store.ts';

/** A little more than until the next run by the clock. */
const STAYS_MS = 62_000;
/** What is accepted meanwhile and due sooner wakes nobody, and is to be seen in time (SPEC L11). */
const LOOKS_EVERY_MS = 500;
const AFTER_FAILURE_MS = 1_000;

export interface Delivered {
  readonly done: number;
  readonly failed: number;
  readonly overdueMs: number;
}

interface DeliveringParts {
  readonly components: Components;
  readonly store: Pick<FunctionStore, 'awakeSigns'>;
}

export async function deliverMessages(
  { components, store }: DeliveringParts,
  signal: AbortSignal,
): Promise<Delivered> {
  const { clock } = components;
  const endMs = clock.nowMs() + STAYS_MS;
  let [done, failed] = [0, 0];
  for (;;) {
    const report = await releaseDue(components, signal);
    done += report.released;
    failed += report.failed;
    const { overdueMs, nextDueMs } = report;
    const waitMs = report.failed > 0 ? AFTER_FAILURE_MS : untilNext(nextDueMs, clock.nowMs());
    const isOver = signal.aborted || clock.nowMs() + waitMs >= endMs;
    const isSoon = nextDueMs !== undefined && nextDueMs < endMs;
    if (!isOver && (isSoon || report.failed > 0)) await clock.wait(waitMs, signal);
    else if (isOver || !(await store.awakeSigns.takeDown())) return { done, failed, overdueMs };
  }
}

function untilNext(nextDueMs: number | undefined, nowMs: number): number {
  return Math.min(Math.max((nextDueMs ?? nowMs) - nowMs, 0), LOOKS_EVERY_MS);
}
