/**
 * How long a function takes to start, above a Node that does nothing: whoever sends the first request to an
 * instance waits for that. Starts alternate, so that whatever else the machine does slows both alike.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildFunctions, bytesBySource, FUNCTIONS } from '../../../scripts/build-functions.ts';

const STARTS = 15;
const ABOVE_EMPTY_MS_MAX = 150;
/** Of the machine that the budget is for: where an empty Node takes longer, because others work there, so may a function. */
const EMPTY_MS = 45;

const outdir = mkdtempSync(join(tmpdir(), 'varve-start-'));

beforeAll(async () => {
  writeFileSync(join(outdir, 'empty.js'), '');
  process.stdout.write(`${bytesBySource(await buildFunctions({ outdir }))}\n`);
});
afterAll(() => rmSync(outdir, { recursive: true }));

test(`a function starts in ${ABOVE_EMPTY_MS_MAX} ms above an empty Node`, () => {
  const names = ['empty', ...FUNCTIONS];
  const times = new Map(names.map((name) => [name, [] as number[]]));
  for (let start = 0; start < STARTS; start++) {
    for (const name of names) times.get(name)?.push(startMs(join(outdir, `${name}.js`)));
  }
  const medians = new Map([...times].map(([name, taken]) => [name, median(taken)]));
  const emptyMs = medians.get('empty') ?? 0;
  const above = FUNCTIONS.map((name) => ({ name, ms: (medians.get(name) ?? 0) - emptyMs }));
  const told = above.map(({ name, ms }) => `${name} +${ms.toFixed(0)} ms`).join(', ');
  process.stdout.write(`medians of ${STARTS} starts: empty ${emptyMs.toFixed(0)} ms, ${told}\n`);

  const budgetMs = ABOVE_EMPTY_MS_MAX * Math.max(emptyMs / EMPTY_MS, 1);
  expect(above.filter(({ ms }) => ms > budgetMs)).toEqual([]);
});

function startMs(file: string): number {
  const began = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${file} does not start: ${stderr}`);
  return performance.now() - began;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
