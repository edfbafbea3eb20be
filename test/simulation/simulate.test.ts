/** A few seeds of each scenario; `npm run sim` runs as many as wanted, `npm run test:simulation` thousands. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { HARMLESS_MUTATIONS } from './mutations/harmless-mutations.ts';
import { MUTATIONS } from './mutations/mutations.ts';
import { applyPatch } from './patches.ts';
import { simulate } from './run-program.ts';
import { SCENARIO_NAMES } from './scenarios/scenario-names.ts';
import { SMALL_LIMITS } from './small-limits.ts';

/** So that all of this takes ten seconds on a machine that does nothing else. */
const SEEDS = 7;
const LIMIT_MS = 120_000;

const sourceOf = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

test(
  'P1 P2 P7 P8: what is stored and what is answered agree',
  async () => {
    const { code, output } = await simulate('--seeds', `${SEEDS}`);

    expect(output).toContain(`${SEEDS * SCENARIO_NAMES.length} runs`);
    expect(code).toBe(0);
  },
  LIMIT_MS,
);

test(
  'a seed decides everything',
  async () => {
    const { code, output } = await simulate('--seeds', '1', '--from', '77', '--twice');

    expect(output).toContain(`${2 * SCENARIO_NAMES.length} runs`);
    expect(code).toBe(0);
  },
  LIMIT_MS,
);

test('a run that fails is told with its seed, what is wrong, and how to run it again', async () => {
  const { code, output } = await simulate(
    '--mutation',
    'delete-registry-first',
    '--scenario',
    'incarnations',
  );

  expect(code).toBe(1);
  const lines = output.trimEnd().split('\n');
  const [seed, what, command] = lines.slice(-3);
  expect(lines.length).toBeGreaterThan(20);
  expect(seed).toMatch(/^seed \d+ of incarnations, \d+ steps$/);
  expect(what).toContain('LIVE_BUT_NOT_REGISTERED');
  const options = command?.replace('npm run sim -- ', '').split(' ') ?? [];
  expect(await simulate(...options)).toEqual({ code: 1, output });
});

describe('patches', () => {
  test.each([...MUTATIONS, ...HARMLESS_MUTATIONS, { name: 'small limits', patches: SMALL_LIMITS }])(
    'find their place in the program: $name',
    ({ patches }) => {
      for (const patch of patches) {
        const source = sourceOf(patch.file);
        expect(applyPatch(source, patch)).not.toBe(source);
      }
    },
  );

  test('that find none or several are refused', () => {
    const patch = { file: 'a.ts', find: 'x', replace: 'y' };

    expect(() => applyPatch('z', patch)).toThrow('a.ts has 0 times: x');
    expect(() => applyPatch('xx', patch)).toThrow('a.ts has 2 times: x');
  });
});
