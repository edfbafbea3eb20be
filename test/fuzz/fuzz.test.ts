/** A fixed number of rounds of each fuzz target; `npm run fuzz` runs as many as wanted. */
import { describe, expect, test } from 'vitest';
import { Chance } from './chance.ts';
import { FUZZ_TARGETS } from './fuzz-targets.ts';
import { plainTarget, runRounds } from './run-rounds.ts';

test.each(FUZZ_TARGETS.map((target) => [target.name, target] as const))(
  'what chance makes of good input is taken or refused: %s',
  async (_name, target) => {
    await runRounds(target, { from: 0, count: target.ciRounds });
  },
);

describe('a target that fails', () => {
  const failsAt = (seed: number) => {
    const drawn = new Chance(seed).below(1_000_000);
    return plainTarget('unlucky', 1, (chance) => {
      if (chance.below(1_000_000) === drawn) throw new Error('bad luck');
    });
  };

  test('is told with its seed, and with the command that runs it again', async () => {
    const message = `target unlucky failed at seed 23: bad luck
run it again: npm run fuzz -- --target unlucky --from 23 --rounds 1`;

    await expect(runRounds(failsAt(23), { from: 20, count: 10 })).rejects.toThrow(message);
    await expect(runRounds(failsAt(23), { from: 23, count: 1 })).rejects.toThrow(message);
  });

  test('does so at its seed alone', async () => {
    await runRounds(failsAt(23), { from: 0, count: 23 });
    await runRounds(failsAt(23), { from: 24, count: 100 });
  });
});
