/**
 * `npm run bench`: what the server does on this machine, over real HTTP, every publish synced before
 * its answer, beside a bare `node:http` server in the same run. Compare ratios, not runs: machines
 * differ and drift. Never a test.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import {
  catchUp,
  lineBatches,
  type Row,
  readsBesidePublishes,
  singlePublishes,
  type Targets,
} from './rows.ts';

const BARE = fileURLToPath(new URL('bare-server.ts', import.meta.url));

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'varve-bench-'));
  const servers: ServerProcess[] = [];
  try {
    const varve = await startServerProcess({ data: folder });
    servers.push(varve);
    const bare = await startServerProcess({ data: folder, entry: BARE });
    servers.push(bare);
    await measure({ varve: varve.port, bare: bare.port });
    print({ name: 'memory of the server', figures: { 'peak MiB': await peakMib(varve.pid) } });
  } finally {
    await Promise.all(servers.map((server) => server.end()));
    await rm(folder, { recursive: true, force: true });
  }
}

/** By the words that `--only` chooses them with. */
const LOADS: { readonly [words: string]: (targets: Targets) => Promise<Row> } = {
  'single 1': (targets) => singlePublishes(targets, 1),
  'single 64': (targets) => singlePublishes(targets, 64),
  'reads beside publishes': readsBesidePublishes,
  batches: lineBatches,
  'batches, catch-up json': (targets) => catchUp(targets, 'json'),
  'batches, catch-up ndjson': (targets) => catchUp(targets, 'ndjson'),
  'batches, catch-up binary': (targets) => catchUp(targets, 'binary'),
};

async function measure(targets: Targets): Promise<void> {
  const { only = '' } = parseArgs({ options: { only: { type: 'string' } } }).values;
  const chosen = Object.entries(LOADS).filter(([words]) => words.includes(only));
  if (chosen.length === 0) {
    throw new Error(`--only ${only} chooses nothing of: ${Object.keys(LOADS).join('; ')}`);
  }
  for (const [, run] of chosen) print(await run(targets));
}

function print({ name, figures }: Row): void {
  const text = Object.entries(figures).map(([figure, value]) => {
    const shown = value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2);
    return `${figure} ${shown}`;
  });
  process.stdout.write(`${name.padEnd(50)} ${text.join('   ')}\n`);
}

/** VmHWM: the most memory the process ever held. */
async function peakMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+([0-9]+)/.exec(status)?.[1] ?? 0) / 1024;
}

main().catch((error: unknown) => {
  process.stderr.write(`bench failed: ${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
});
