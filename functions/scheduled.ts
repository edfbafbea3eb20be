/**
 * A function that runs by the clock: it ends before the runtime would end it, and says in one log line what
 * it did. Work that failed stays due and is told; a run that fails as a whole is thrown, for the runtime to count.
 */
import type { WorkReport } from '../lib/ports/maintenance.ts';
import { type FunctionParts, functionParts } from './components.ts';
import { writeLogLine } from './log-lines.ts';
import type { RuntimeContext } from './runtime.ts';

/** For what is under way when the time is up. */
const RESERVED_MS = 5_000;

type Work = (
  parts: FunctionParts,
  signal: AbortSignal,
) => Promise<Pick<WorkReport, 'done' | 'failed' | 'overdueMs'>>;

export function scheduled(event: string, work: Work) {
  return async (_event: unknown, context: RuntimeContext): Promise<void> => {
    const parts = await functionParts();
    const { clock } = parts.components;
    const beganMs = clock.elapsedMs();
    const stop = new AbortController();
    const leftMs = Math.max(context.getRemainingTimeInMillis() - RESERVED_MS, 0);
    const cancel = clock.alarm(leftMs, () => stop.abort());
    try {
      const { done, failed, overdueMs } = await work(parts, stop.signal);
      const tookMs = Math.round(clock.elapsedMs() - beganMs);
      writeLogLine({ level: 'info', event, done, failed, overdue_ms: overdueMs, took_ms: tookMs });
    } finally {
      cancel();
    }
  };
}
