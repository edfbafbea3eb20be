/** A peer's server as a process: started, waited for, ended by its pid. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { openSocket } from '../../support/raw-exchange.ts';
import { Missing } from '../contender.ts';

const START_MS_MAX = 10_000;
const RETRY_MS = 50;

export interface PeerProcess {
  readonly pid: number;
  end(): Promise<void>;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

/** Throws {@link Missing} with the hint when the program is not there. */
export async function startPeer(
  [command = '', ...flags]: readonly string[],
  { port, hint }: { readonly port: number; readonly hint: string },
): Promise<PeerProcess> {
  const child = spawn(command, flags, { stdio: 'ignore' });
  const failed = new Promise<never>((_, reject) => {
    child.once('error', () => reject(new Missing(hint)));
    child.once('exit', (code) => reject(new Missing(`${hint} (it ended with code ${code})`)));
  });
  failed.catch(() => undefined);
  await Promise.race([failed, answering(port)]);
  return { pid: child.pid ?? 0, end: () => endProcess(child) };
}

async function answering(port: number): Promise<void> {
  for (const endMs = performance.now() + START_MS_MAX; performance.now() < endMs; ) {
    try {
      (await openSocket(port)).destroy();
      return;
    } catch {
      await pause(RETRY_MS);
    }
  }
  throw new Missing(`nothing answered at port ${port}`);
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
