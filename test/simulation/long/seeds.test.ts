/** Many seeds of every scenario, with small limits and with the real ones. */
import process from 'node:process';
import { expect, test } from 'vitest';
import { MUTATIONS } from '../mutations/mutations.ts';
import { simulate } from '../run-program.ts';
import { SCENARIO_NAMES } from '../scenarios/scenario-names.ts';

/** What a change is held to; `VARVE_SIM_SEEDS` runs fewer of them, or more. */
const SEEDS_DEFAULT = 1_000;
const SEEDS = Number(process.env['VARVE_SIM_SEEDS'] ?? SEEDS_DEFAULT);
const SEEDS_OF_REAL_LIMITS = Math.ceil(SEEDS / 5);

test('seeds that notice a mutation are among those that the program itself passes', () => {
  expect(MUTATIONS.filter(({ seedsMax }) => seedsMax > SEEDS_DEFAULT)).toEqual([]);
});

test.concurrent.each(SCENARIO_NAMES)(
  'P1 P2 P7 P8: every seed of %s is as it must be',
  async (name) => {
    const { code, output } = await simulate('--scenario', name, '--seeds', `${SEEDS}`);

    expect(output).toContain(`${SEEDS} runs`);
    expect(code).toBe(0);
  },
);

test.concurrent.each(SCENARIO_NAMES)('with the real limits: %s', async (name) => {
  const seeds = ['--seeds', `${SEEDS_OF_REAL_LIMITS}`, '--from', `${SEEDS}`];
  const { code, output } = await simulate('--scenario', name, '--limits', 'real', ...seeds);

  expect(output).toContain(`${SEEDS_OF_REAL_LIMITS} runs`);
  expect(code).toBe(0);
});
