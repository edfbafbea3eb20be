/** Runs the simulation as a process of its own, as `npm run sim` does. */
import { execFile } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('./simulate.ts', import.meta.url));

export interface Ended {
  readonly code: number | string | null | undefined;
  readonly output: string;
}

export function simulate(...options: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...options], (error, output) => {
      resolve({ code: error === null ? 0 : error.code, output });
    });
  });
}
