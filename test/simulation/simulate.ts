/**
 * `npm run sim`: runs of the scenarios, one for each seed. Tells how far it is, and ends at the first run that
 * fails with the invariant, what happened last, and the command that runs it again.
 */
import process from 'node:process';
import { parseArgs } from 'node:util';
import { HARMLESS_MUTATIONS } from './mutations/harmless-mutations.ts';
import { MUTATIONS } from './mutations/mutations.ts';
import { registerPatches } from './patches.ts';
import { SMALL_LIMITS } from './small-limits.ts';

const USAGE = `npm run sim -- [--seeds N] [--from SEED] [--scenario NAME] [--mutation NAME] [--limits real] [--twice]
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '100' },
      from: { type: 'string', default: '0' },
      scenario: { type: 'string' },
      mutation: { type: 'string' },
      limits: { type: 'string', default: 'small' },
      twice: { type: 'boolean', default: false },
    },
  });
  const { scenario, mutation, limits, twice } = values;
  const [count, from] = [Number(values.seeds), Number(values.from)];
  const mutations = [...MUTATIONS, ...HARMLESS_MUTATIONS].filter(({ name }) => name === mutation);
  const isKnown = mutation === undefined || mutations.length === 1;
  if (!isKnown || !Number.isSafeInteger(count) || !Number.isSafeInteger(from)) {
    process.stdout.write(USAGE);
    process.exitCode = 2;
    return;
  }
  registerPatches([
    ...(limits === 'small' ? SMALL_LIMITS : []),
    ...mutations.flatMap(({ patches }) => patches),
  ]);
  // Only now is the program loaded.
  const { runSeeds } = await import('./run-seeds.ts');
  const isPassed = await runSeeds({
    from,
    count,
    twice,
    limits,
    ...(scenario !== undefined && { scenario }),
    ...(mutation !== undefined && { mutation }),
  });
  process.exitCode = isPassed ? 0 : 1;
}

try {
  await main();
} catch (error) {
  process.stdout.write(`${error instanceof Error ? error.stack : error}\n`);
  process.exitCode = 2;
}
