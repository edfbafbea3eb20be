/**
 * `npm run fuzz`: rounds of the fuzz targets, as many as asked for. Tells how far it is, and ends at the
 * first round that fails with its target, its seed and the command that runs it again.
 */
import process from 'node:process';
import { parseArgs } from 'node:util';
import { FUZZ_TARGETS } from './fuzz-targets.ts';
import { type FuzzTarget, runRounds } from './run-rounds.ts';

const USAGE = `npm run fuzz -- --rounds N [--from SEED] [--target NAME]
targets: ${FUZZ_TARGETS.map(({ name }) => name).join(', ')}
`;
const TOLD_EVERY_MS = 1_000;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '1000' },
      from: { type: 'string', default: '0' },
      target: { type: 'string' },
    },
  });
  const [count, from] = [Number(values.rounds), Number(values.from)];
  const targets = FUZZ_TARGETS.filter(({ name }) => (values.target ?? name) === name);
  if (targets.length === 0 || !Number.isSafeInteger(count) || !Number.isSafeInteger(from)) {
    process.stdout.write(USAGE);
    process.exitCode = 1;
    return;
  }
  for (const target of targets) await run(target, { from, count });
}

async function run(
  target: FuzzTarget,
  { from, count }: { readonly from: number; readonly count: number },
) {
  const startMs = performance.now();
  let toldMs = startMs;
  const onRound = (seed: number) => {
    if (performance.now() - toldMs < TOLD_EVERY_MS) return;
    toldMs = performance.now();
    process.stdout.write(`${target.name}: ${seed - from} of ${count} rounds\n`);
  };
  await runRounds(target, { from, count, onRound });
  const seconds = ((performance.now() - startMs) / 1_000).toFixed(1);
  process.stdout.write(
    `${target.name}: ${count} rounds in ${seconds} s, seeds ${from} to ${from + count - 1}\n`,
  );
}

try {
  await main();
} catch (error) {
  process.stdout.write(`${error instanceof Error ? error.stack : error}\n`);
  process.exitCode = 1;
}
