/** What the process tells of itself, with a process and a clock of the test's own. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createPrometheusMeter } from '../lib/http/prometheus-meter.ts';
import { createLoopCheck, LOOP_CHECK_MS, registerProcessMetrics } from '../lib/process-metrics.ts';
import { VERSION } from '../lib/version.ts';
import { parseExposition } from './support/exposition.ts';

const PROCESS = {
  version: 'v24.1.0',
  memoryUsage: () => ({ rss: 9_000, heapUsed: 4_000 }),
  cpuUsage: () => ({ user: 1_500_000, system: 250_000 }),
};

function samplesOf(text: string): Record<string, number> {
  const families = [...parseExposition(text).values()];
  return Object.fromEntries(families.flatMap(({ samples }) => [...samples]));
}

test('memory, processor time, start and versions are read when they are looked at', () => {
  const meter = createPrometheusMeter();
  registerProcessMetrics(meter, { process: PROCESS, version: '0.2.0', startedMs: 1_500 });

  expect(samplesOf(meter.exposition())).toEqual({
    'varve_build_info{version="0.2.0",node="24.1.0"}': 1,
    varve_process_start_time_seconds: 1.5,
    varve_process_cpu_seconds_total: 1.75,
    varve_process_resident_memory_bytes: 9_000,
    varve_process_heap_used_bytes: 4_000,
  });
});

test('the event loop is as late as its timer', () => {
  const meter = createPrometheusMeter();
  let nowMs = 0;
  const check = createLoopCheck(meter, () => nowMs);
  for (const late of [0, 15, 0, 400, -1]) {
    nowMs += LOOP_CHECK_MS + late;
    check();
  }
  const samples = samplesOf(meter.exposition());

  expect(samples['varve_event_loop_delay_seconds_count']).toBe(5);
  expect(samples['varve_event_loop_delay_seconds_sum']).toBeCloseTo(0.415);
  expect(samples['varve_event_loop_delay_seconds_bucket{le="0.001"}']).toBe(3);
  expect(samples['varve_event_loop_delay_seconds_bucket{le="0.02"}']).toBe(4);
  expect(samples['varve_event_loop_delay_seconds_bucket{le="0.5"}']).toBe(5);
});

test('the version is that of the package', () => {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');

  expect(JSON.parse(text).version).toBe(VERSION);
});
