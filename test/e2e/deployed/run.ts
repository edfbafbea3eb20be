/**
 * Deploys the packed functions to an emulator that asks IAM, and tries them there: `npm run test:deployed`,
 * with options of vitest behind `--`. Needs no account and no network but this machine.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { type Emulator, startEmulator } from '../../support/emulator.ts';
import { REGION } from './account.ts';
import { osls } from './osls.ts';
import { describeStage, type Stage, stageVariable } from './stage.ts';
import { type StandIn, startStandIn } from './stand-in.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** As many as there are cores to be had: the emulator takes one by itself. */
const STAND_INS = 2;

const began = performance.now();
const say = (what: string) => {
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  process.stdout.write(`--- ${seconds} s: ${what}\n`);
};

/** Set by the first signal: whoever breaks a run off wants its emulator gone too. */
let broken: NodeJS.Signals | undefined;
let running: ChildProcess | undefined;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    broken = signal;
    running?.kill(signal);
  });
}

async function node(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<number> {
  if (broken !== undefined) return 1;
  const env = { ...process.env, ...environment };
  running = spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit', env });
  const [code] = await once(running, 'exit');
  return typeof code === 'number' ? code : 1;
}

async function runTests(stage: Stage, standIns: readonly StandIn[]): Promise<number> {
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    'test/e2e/deployed/vitest.config.ts',
  ];
  return await node([...args, ...process.argv.slice(2)], {
    ...stageVariable(stage),
    // Whoever asks has the policy for clients alone.
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: stage.client.accessKeyId,
    AWS_SECRET_ACCESS_KEY: stage.client.secretAccessKey,
    AWS_SESSION_TOKEN: '',
    VARVE_TEST_FUNCTION_URL: stage.functionUrl,
    VARVE_TEST_STAND_INS: standIns.map(({ url }) => url).join(' '),
  });
}

async function deployAndTest({ url }: Emulator): Promise<number> {
  // Nothing here may find another one, or an account.
  process.env['AWS_ENDPOINT_URL'] = url;
  say('builds the functions');
  if ((await node(['scripts/build-functions.ts'])) !== 0) return 1;

  say('deploys the stage');
  await osls('deploy', url);
  const stage = await describeStage(url);
  const standIns = await Promise.all(Array.from({ length: STAND_INS }, () => startStandIn(url)));
  try {
    say('runs the tests');
    return await runTests(stage, standIns);
  } finally {
    await Promise.all(standIns.map((standIn) => standIn.stop()));
  }
}

async function main(): Promise<number> {
  say('starts the emulator');
  const emulator = await startEmulator({ auth: true });
  try {
    return await deployAndTest(emulator);
  } finally {
    await emulator.stop();
    say('ends');
  }
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    process.exitCode = 1;
  },
);
