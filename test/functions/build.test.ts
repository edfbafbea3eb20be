/** What is deployed: the same from the same sources, and nothing in it that does not belong there. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildFunctions, FUNCTIONS } from '../../scripts/build-functions.ts';

const outdirs = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'varve-build-')));
let metafile: Metafile;

beforeAll(async () => {
  for (const outdir of outdirs) metafile = await buildFunctions({ outdir });
});
afterAll(() => {
  for (const outdir of outdirs) rmSync(outdir, { recursive: true });
});

const bytes = (outdir: string | undefined, name: string) =>
  readFileSync(join(outdir ?? '', `${name}.js`), 'utf8');

test.each(FUNCTIONS)('%s is the same each time it is built', (name) => {
  expect(bytes(outdirs[0], name)).toBe(bytes(outdirs[1], name));
});

test('no test and no store for one machine is in a function', () => {
  const inputs = Object.keys(metafile.inputs);

  expect(
    inputs.filter((input) => /^(?:test|scripts)\/|lib\/embedded\/.*(?:sqlite|writer)/.test(input)),
  ).toEqual([]);
});

test('the description is made when it is built, not when it starts', () => {
  const inputs = Object.keys(metafile.inputs);

  expect(
    inputs.filter((input) => /openapi\/(?:json-schemas|problem-responses)/.test(input)),
  ).toEqual([]);
});

/** All of zod, with the languages of its messages, is 443 KiB and takes 15 ms more to start. */
test('of zod there is what is used', () => {
  const [, output] =
    Object.entries(metafile.outputs).find(([file]) => file.endsWith('api.js')) ?? [];
  const zod = Object.entries(output?.inputs ?? {}).filter(([input]) => input.includes('/zod/'));
  const size = zod.reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0);

  expect(size).toBeGreaterThan(0);
  expect(size).toBeLessThan(128 * 1024);
});
