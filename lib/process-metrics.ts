/**
 * What is counted of the process itself: memory, processor time, how late its event loop runs. The process
 * and the timers are handed in by whoever may touch them.
 */
import type { Meter } from './ports/meter.ts';

export interface ProcessFacts {
  memoryUsage(): { readonly rss: number; readonly heapUsed: number };
  /** In microseconds, since the start. */
  cpuUsage(): { readonly user: number; readonly system: number };
  readonly version: string;
}

export interface ProcessMetricsOptions {
  readonly process: ProcessFacts;
  readonly version: string;
  readonly startedMs: number;
}

/** Once a meter. */
export function registerProcessMetrics(
  meter: Meter,
  { process, version, startedMs }: ProcessMetricsOptions,
): void {
  meter.reading(
    {
      name: 'varve_build_info',
      help: 'Always 1: the versions of Varve and of Node are its labels.',
      kind: 'gauge',
      labels: { version, node: process.version.replace('v', '') },
    },
    () => 1,
  );
  meter.reading(
    {
      name: 'varve_process_start_time_seconds',
      help: 'When the process was started, since 1970 UTC.',
      kind: 'gauge',
    },
    () => startedMs / 1000,
  );
  registerUsage(meter, process);
}

function registerUsage(meter: Meter, process: ProcessFacts): void {
  meter.reading(
    {
      name: 'varve_process_cpu_seconds_total',
      help: 'Processor time taken, of all threads, in user and kernel mode.',
      kind: 'counter',
    },
    () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000_000;
    },
  );
  meter.reading(
    {
      name: 'varve_process_resident_memory_bytes',
      help: 'Memory of the process that is in RAM.',
      kind: 'gauge',
    },
    () => process.memoryUsage().rss,
  );
  meter.reading(
    {
      name: 'varve_process_heap_used_bytes',
      help: 'Memory in use by JavaScript, that of the writing thread left out.',
      kind: 'gauge',
    },
    () => process.memoryUsage().heapUsed,
  );
}

/** Often enough to meet a stall, seldom enough to cost nothing. */
export const LOOP_CHECK_MS = 100;

const LATE_BOUNDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2];

/** To be called every {@link LOOP_CHECK_MS}; a call that comes late tells how late. */
export function createLoopCheck(meter: Meter, elapsedMs: () => number): () => void {
  const delay = meter.histogram({
    name: 'varve_event_loop_delay_seconds',
    help: 'How late a timer ran that was due: what a request waits before anything is done for it.',
    bounds: LATE_BOUNDS,
  });
  let lastMs = elapsedMs();
  return () => {
    const nowMs = elapsedMs();
    delay.observe(Math.max(nowMs - lastMs - LOOP_CHECK_MS, 0) / 1000);
    lastMs = nowMs;
  };
}
