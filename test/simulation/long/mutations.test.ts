/** Each mutation of the program is noticed, by an invariant or by an assertion of the program itself. */
import { expect, test } from 'vitest';
import { HARMLESS_MUTATIONS } from '../mutations/harmless-mutations.ts';
import { MUTATIONS } from '../mutations/mutations.ts';
import { simulate } from '../run-program.ts';

test.concurrent.each(MUTATIONS)('a program that $what is noticed: $name', async (mutation) => {
  const { name, scenario, seedsMax, limits = 'small' } = mutation;
  const options = ['--seeds', `${seedsMax}`, '--limits', limits];
  const { code, output } = await simulate('--mutation', name, '--scenario', scenario, ...options);

  expect(output).toMatch(
    new RegExp(`npm run sim -- .* --scenario ${scenario} --mutation ${name}( --limits real)?\n$`),
  );
  expect(code).toBe(1);
});

test.concurrent.each(HARMLESS_MUTATIONS)(
  'a program that $what is right, since $since',
  async (mutation) => {
    const { name, scenario } = mutation;
    const { code, output } = await simulate(
      '--mutation',
      name,
      '--scenario',
      scenario,
      '--seeds',
      '300',
    );

    expect(output).toContain('300 runs');
    expect(code).toBe(0);
  },
);
