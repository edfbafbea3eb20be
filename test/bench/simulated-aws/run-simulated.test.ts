/** A short run of all rows, so that the bench is known to work; its figures mean nothing. */
import { expect, test } from 'vitest';
import type { Result } from '../results.ts';
import { describeInjected, runSimulated } from './run-simulated.ts';

const bodies = Array.from({ length: 1_000 }, (_, index) => `{"n":"${index}"}`.padEnd(1_024));
const LATENCIES = ['p50 ms', 'p99 ms', 'own p50 ms', 'own p99 ms'];

test('every row is measured, and what the service adds is no more than all of it', async () => {
  const told: Result[] = [];
  const results = await runSimulated({
    seed: 1,
    scale: 0.02,
    seconds: 0.1,
    warmUp: 2,
    bodies,
    only: '',
    tell: (result) => told.push(result),
    progress: () => {},
  });

  expect(told).toEqual(results);
  expect(results.map(({ row, figures }) => [row, Object.keys(figures)])).toEqual([
    ['a bare server in front of the same stores', LATENCIES],
    ...[
      'single publishes of 256 B, 1 in flight',
      'single publishes of 256 B, 64 in flight',
      'single publishes of 256 B, 64, linger 20 ms',
      'batches of 1 000 x 1 KiB, 1 in flight',
    ].map((row) => [row, [...LATENCIES, 'publishes/s', 'PUTs/publish']]),
    ['publish to a reader that waits', LATENCIES],
    ['catch-up page of 1 MiB in 16 chunks, cold', LATENCIES],
    ['catch-up page of 1 MiB in 16 chunks, cached', LATENCIES],
  ]);
  for (const { figures } of results) {
    expect(figures['own p50 ms']).toBeGreaterThan(0);
    expect(figures['own p50 ms']).toBeLessThan(figures['p50 ms'] ?? 0);
    expect(figures['p99 ms']).toBeGreaterThanOrEqual(figures['p50 ms'] ?? 0);
  }
  const putsOf = (row: string) =>
    results.find((result) => result.row === row)?.figures['PUTs/publish'] ?? 0;
  expect(putsOf('single publishes of 256 B, 1 in flight')).toBe(1);
  expect(putsOf('single publishes of 256 B, 64, linger 20 ms')).toBeLessThan(0.25);
});

test('rows are chosen by words', async () => {
  const progress: string[] = [];
  const rest = { seed: 1, scale: 0, seconds: 0.01, warmUp: 1, bodies, tell: () => {} };
  await runSimulated({ ...rest, only: 'bare', progress: (text) => progress.push(text) });

  expect(progress).toEqual(['a bare server in front of the same stores']);
});

test('what is injected is told', () => {
  expect(describeInjected({ seed: 7, scale: 1 })).toBe(
    'injected, lognormal, p50/p99 ms: s3Put 60/300, s3Get 30/150, dynamodbWrite 5/20, dynamodbRead 3/15; seed 7',
  );
});
