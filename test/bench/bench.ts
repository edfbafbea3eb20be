/**
 * `npm run bench`: what the server does on this machine, over real HTTP, every publish synced before
 * its answer, beside a bare `node:http` server in the same run. Compare ratios, not runs: machines
 * differ and drift. Never a test.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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

async function measure(targets: Targets): Promise<void> {
  print(await singlePublishes(targets, 1));
  print(await singlePublishes(targets, 64));
  print(await readsBesidePublishes(targets));
  print(await lineBatches(targets));
  for (const format of ['json', 'ndjson', 'binary'] as const) print(await catchUp(targets, format));
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
