import { expect, test } from 'vitest';
import { compareReports } from './compare.ts';
import type { Report, Result } from './results.ts';

const report = (...results: Result[]): Report => ({
  at: '2026-11-30T00:00:00.000Z',
  commit: 'abc1234',
  node: 'v24.0.0',
  machine: '2 x a processor',
  pinning: 'pinned',
  load: 0.1,
  results,
});

test('a comparison tells what changed, what is new and what is gone', () => {
  const before = report(
    { row: 'single', contender: 'varve', figures: { 'messages/s': 1_000 } },
    { row: 'old', contender: 'varve', figures: { 'messages/s': 1 } },
  );
  const after = report({
    row: 'single',
    contender: 'varve',
    figures: { 'messages/s': 1_500, 'p99 ms': 3 },
  });
  const lines = compareReports(before, after)
    .split('\n')
    .map((line) => line.replace(/ +/g, ' '));

  expect(lines.slice(3)).toEqual([
    'single, varve: messages/s 1,000 -> 1,500 (x 1.50)',
    'single, varve: p99 ms 3.00 (in the second report only)',
    'old, varve: in the first report only',
    '',
  ]);
});
