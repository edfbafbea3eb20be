/**
 * S3 and DynamoDB on this machine: ministack, one Python process that keeps everything in memory. It is
 * installed once, into a Python environment of its own, and started on a free port that only this machine
 * reaches. Nothing of the caller's environment gets into it: its workers would inherit credentials.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from './temporary-folder.ts';

const VERSION = '1.5.33';
/** It starts in about a second; a busy machine may take ten times as long. */
const START_MS_MAX = 30_000;
const STOP_MS_MAX = 8_000;
const POLL_MS = 50;
const PROMPT_LOG = new URL('prompt-log.mjs', import.meta.url).href;

export interface EmulatorOptions {
  /** Takes only what is signed and what IAM allows. Whoever signs as `test` is the root of the account. */
  readonly auth?: boolean;
}

export interface Emulator {
  /** `http://127.0.0.1:PORT`, of both services. */
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

export async function startEmulator({ auth = false }: EmulatorOptions = {}): Promise<Emulator> {
  const command = installed();
  const port = await freePort();
  const folder = temporaryFolder();
  const child = spawn(command, [], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      // Functions run on the first `node` in PATH: the one that runs this.
      PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
      HOME: folder.path,
      TMPDIR: folder.path,
      LANG: 'C.UTF-8',
      // It would listen on all addresses.
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      LAMBDA_EXECUTOR: 'local',
      // Each is a process.
      LAMBDA_ACCOUNT_CONCURRENCY: '12',
      PERSIST_STATE: '0',
      S3_PERSIST: '0',
      LOG_LEVEL: 'WARNING',
      NODE_OPTIONS: `--import=${PROMPT_LOG}`,
      ...(auth && { AUTH: 'true', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' }),
    },
  });
  const gone = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    await end(child, gone);
    folder[Symbol.dispose]();
  };
  try {
    await healthy(url, child);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, pid: child.pid ?? 0, stop };
}

/** The path of its program. Elsewhere than in node_modules when MINISTACK_VENV names a folder. */
function installed(): string {
  const cache = new URL(`../../node_modules/.cache/ministack-${VERSION}`, import.meta.url);
  const folder = process.env['MINISTACK_VENV'] ?? fileURLToPath(cache);
  const program = join(folder, 'bin', 'ministack');
  const complete = join(folder, `complete-${VERSION}`);
  if (existsSync(complete)) return program;

  const given = process.env['MINISTACK_VENV'] !== undefined;
  if (given && existsSync(program)) return program;
  // What an interrupted installation left; never a folder that somebody else named.
  if (!given) rmSync(folder, { recursive: true, force: true });
  process.stderr.write(`installing ministack ${VERSION} into ${folder} ...\n`);
  run('python3', ['-m', 'venv', folder]);
  const pip = ['install', '--quiet', '--disable-pip-version-check', `ministack==${VERSION}`];
  run(join(folder, 'bin', 'pip'), pip);
  writeFileSync(complete, '');
  return program;
}

function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  const needs =
    'The emulator needs Python 3.10 or newer with its module venv (on Debian: apt install python3-venv), ' +
    'or AWS_ENDPOINT_URL with the address of one that runs.';
  if (error) throw new Error(`${command} cannot be started. ${needs}`, { cause: error });
  if (status !== 0)
    throw new Error(`"${command} ${args.join(' ')}" ended with ${status}. ${needs}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  server.close();
  if (port === undefined) throw new Error('no free port');
  return port;
}

async function healthy(url: string, child: ChildProcess): Promise<void> {
  const late = performance.now() + START_MS_MAX;
  while (child.exitCode === null && performance.now() < late) {
    const answer = await fetch(`${url}/_ministack/health`).catch(() => undefined);
    if (answer?.ok) return;
    await pause(POLL_MS);
  }
  const end = child.exitCode === null ? 'does not answer' : `ended with ${child.exitCode}`;
  throw new Error(`ministack ${end}`);
}

async function end(child: ChildProcess, gone: Promise<unknown>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
  await gone;
  clearTimeout(kill);
}
