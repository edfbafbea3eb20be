/**
 * Runs the tests of the AWS store: `npm run test:aws`, with names of test files after `--` if not all.
 * Against the emulator that AWS_ENDPOINT_URL names, else against one of its own, which ends with the run.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { startEmulator } from '../support/emulator.ts';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Set by the first signal: whoever breaks a run off wants its emulator gone too. */
let broken: NodeJS.Signals | undefined;
let tests: ChildProcess | undefined;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    broken = signal;
    tests?.kill(signal);
  });
}

async function runTests(url: string): Promise<number> {
  if (broken !== undefined) return 1;
  const vitest = here('../../node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--config', here('vitest.config.ts'), ...process.argv.slice(2)];
  tests = spawn(process.execPath, args, {
    stdio: 'inherit',
    cwd: here('../..'),
    env: { ...process.env, AWS_ENDPOINT_URL: url },
  });
  const [code] = await once(tests, 'exit');
  return typeof code === 'number' ? code : 1;
}

async function main(): Promise<number> {
  const given = process.env['AWS_ENDPOINT_URL'];
  if (given !== undefined && given !== '') return runTests(given);

  const emulator = await startEmulator();
  try {
    return await runTests(emulator.url);
  } finally {
    await emulator.stop();
  }
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  },
);
