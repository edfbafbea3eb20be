/**
 * Keeps servers on one core and this program on another: rates of one connection differ threefold between
 * two idle cores and a shared one, so that nothing could be compared without it.
 */
import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { pid } from 'node:process';

const [SERVER_CORE, CLIENT_CORE] = ['0', '1'];

export interface Pinning {
  /** Goes before the command of a server. */
  readonly under: readonly string[];
  readonly text: string;
}

/** Pins this process at once. */
export function pinSides(): Pinning {
  if (availableParallelism() < 2) return { under: [], text: 'one core, shared by both sides' };
  try {
    execFileSync('taskset', ['-a', '-cp', CLIENT_CORE, String(pid)], { stdio: 'ignore' });
  } catch {
    return { under: [], text: 'not pinned, since taskset is missing' };
  }
  return { under: ['taskset', '-c', SERVER_CORE], text: 'servers on one core, clients on another' };
}
