/** A Varve server in a process of its own, as `npm start` runs it: for what needs a real one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ENTRY = fileURLToPath(new URL('../../lib/server.ts', import.meta.url));
const START_MS_MAX = 20_000;

export interface ServerProcess {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** What it wrote to standard error so far. */
  errors(): string;
  /** Resolves when it is gone, whoever ended it. */
  ended(): Promise<void>;
  /** Ends it and resolves when it is gone. SIGKILL by default: nothing is flushed or told. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

export interface ServerProcessOptions {
  readonly data: string;
  /** A free one by default; give it again to restart at the same address. */
  readonly port?: number;
  readonly flags?: readonly string[];
  /** Another program than the server, which announces itself in the same way. */
  readonly entry?: string;
  /** Beside what this process has. */
  readonly environment?: { readonly [name: string]: string };
  /** Runs the server under another command, such as strace. */
  readonly under?: readonly string[];
}

export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  const flags = ['--port', String(options.port ?? 0), '--data', options.data];
  const [command = process.execPath, ...rest] = [
    ...(options.under ?? []),
    process.execPath,
    options.entry ?? ENTRY,
    ...flags,
    ...(options.flags ?? []),
  ];
  const child = spawn(command, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.environment },
  });
  let errors = '';
  child.stderr.on('data', (data) => {
    errors += data;
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = await announcedUrl(child, () => errors);
  return {
    url,
    port: Number(new URL(url).port),
    pid: child.pid ?? 0,
    errors: () => errors,
    ended: () => gone,
    async end(signal = 'SIGKILL') {
      child.kill(signal);
      await gone;
    },
  };
}

async function announcedUrl(child: ChildProcess, errors: () => string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let output = '';
  child.stdout?.on('data', (data) => {
    output += data;
    const url = /listens on (http:\S+)/.exec(output)?.[1];
    if (url !== undefined) resolve(url);
  });
  child.once('error', reject);
  child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${errors()}`)));
  const late = setTimeout(() => reject(new Error(`no server in time: ${errors()}`)), START_MS_MAX);
  try {
    return await promise;
  } finally {
    clearTimeout(late);
  }
}
