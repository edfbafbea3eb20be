/** The functions as they are deployed, built once a process, on a store in memory. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildFunctions } from '../../scripts/build-functions.ts';

const MEMORY_STORE = fileURLToPath(new URL('memory-function-store.ts', import.meta.url));

export interface BuiltFunctions {
  /** The module of one function, as the runtime loads it. The same one each time. */
  load(name: 'api' | 'deliver' | 'maintain'): Record<string, unknown>;
}

let built: Promise<BuiltFunctions> | undefined;

export function builtFunctions(): Promise<BuiltFunctions> {
  built ??= build();
  return built;
}

async function build(): Promise<BuiltFunctions> {
  const outdir = mkdtempSync(join(tmpdir(), 'varve-functions-'));
  process.once('exit', () => rmSync(outdir, { recursive: true, force: true }));
  await buildFunctions({ outdir, store: MEMORY_STORE });
  const require = createRequire(import.meta.url);
  return { load: (name) => require(join(outdir, `${name}.js`)) };
}
