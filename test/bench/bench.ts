/**
 * `npm run bench`: what the service does on this machine, over real HTTP, every publish synced before its
 * answer, beside a bare `node:http` server and other servers in the same run. Compare rows of one run, and
 * runs by `--compare`; machines differ and drift. Never a test.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { compareReports } from './compare.ts';
import { startAll } from './contenders/start-all.ts';
import { loadBodies } from './messages.ts';
import { pinSides } from './pinning.ts';
import { describeRun, formatResult, loadReport, type Result, saveReport } from './results.ts';
import { runRows } from './run-rows.ts';
import { describeInjected, runSimulated, SIMULATED_SEED } from './simulated-aws/run-simulated.ts';

const USAGE = `npm run bench -- [--only WORDS] [--json FILE] [--quick] [--no-peers]
npm run bench -- --simulate-aws [--only WORDS] [--json FILE] [--quick]
npm run bench -- --compare A.json B.json
`;

const FULL = {
  runs: 3,
  seconds: 3,
  catchUp: 1_000_000,
  retention: 10_240,
  history: 10_000_000,
  backlog: 1_000_000,
};
const QUICK = {
  runs: 1,
  seconds: 1,
  catchUp: 100_000,
  retention: 640,
  history: 500_000,
  backlog: 50_000,
};
/** One publish takes 70 ms: fewer seconds have no 99th percentile. */
const SIMULATED = { seed: SIMULATED_SEED, scale: 1, seconds: 15, warmUp: 300 };
const SIMULATED_QUICK = { ...SIMULATED, seconds: 2, warmUp: 100 };

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    allowNegative: true,
    options: {
      only: { type: 'string', default: '' },
      json: { type: 'string' },
      compare: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      peers: { type: 'boolean', default: true },
      'simulate-aws': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const [first, second, ...more] = positionals;
  if (values.help || more.length > 0 || values.compare !== (second !== undefined)) {
    process.stdout.write(USAGE);
    process.exitCode = values.help ? 0 : 1;
  } else if (first !== undefined && second !== undefined) {
    process.stdout.write(compareReports(await loadReport(first), await loadReport(second)));
  } else if (values['simulate-aws']) {
    await measureSimulated(values);
  } else {
    await measure(values);
  }
}

interface Wanted {
  readonly only: string;
  readonly json?: string | undefined;
  readonly quick: boolean;
}

async function measureSimulated({ only, json, quick }: Wanted): Promise<void> {
  const run = describeRun('one process, server and clients');
  const options = quick ? SIMULATED_QUICK : SIMULATED;
  process.stdout.write(`Node ${run.node}, ${run.machine}, ${run.pinning}, load ${run.load}\n`);
  process.stdout.write(`${describeInjected(options)}\n`);
  const results = await runSimulated({
    ...options,
    bodies: await loadBodies(),
    only,
    tell,
    progress,
  });
  if (json !== undefined) await saveReport(json, { ...run, results });
}

async function measure(values: Wanted & { readonly peers: boolean }): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'varve-bench-'));
  const pinning = pinSides();
  const run = describeRun(pinning.text);
  process.stdout.write(`Node ${run.node}, ${run.machine}, ${run.pinning}, load ${run.load}\n`);
  const bodies = await loadBodies();
  const field = await startAll({
    folder,
    bodies,
    under: pinning.under,
    withPeers: values.peers,
  });
  try {
    const results = await runRows(field, {
      ...(values.quick ? QUICK : FULL),
      only: values.only,
      tell,
      progress,
    });
    if (values.json !== undefined) await saveReport(values.json, { ...run, results });
  } finally {
    await field.end();
    await rm(folder, { recursive: true, force: true });
  }
}

function tell(result: Result): void {
  process.stdout.write(`${formatResult(result)}\n`);
}

/** On a terminal the line is overwritten by the result. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\u001b[2K${text} ...\r`);
}

main().catch((error: unknown) => {
  process.stderr.write(`bench failed: ${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
});
