/** Runs of scenarios seed after seed, with what they came to, told as text. */
import process from 'node:process';
import { violationIn } from './oracle/violation.ts';
import { runScenario } from './scenarios/run-scenario.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { SCENARIOS } from './scenarios/scenarios.ts';

export interface SeedRange {
  readonly from: number;
  readonly count: number;
  /** Each seed twice, to see that both traces are the same. */
  readonly twice: boolean;
  readonly limits: string;
  readonly scenario?: string;
  readonly mutation?: string;
}

const TOLD_EVERY_MS = 2_000;
const TRACE_LINES_TOLD = 40;
const FAULT =
  /\((unavailable|lostRequest|lostAnswer|late|repeated|lateTwin)\)|crashes|stands still|clock off/g;

interface Totals {
  runs: number;
  steps: number;
  readonly faults: Map<string, number>;
}

/** False when one failed. */
export async function runSeeds(range: SeedRange): Promise<boolean> {
  const scenarios = SCENARIOS.filter(({ name }) => (range.scenario ?? name) === name);
  if (scenarios.length === 0) {
    throw new Error(`scenarios: ${SCENARIOS.map(({ name }) => name).join(', ')}`);
  }
  const startMs = performance.now();
  const totals: Totals = { runs: 0, steps: 0, faults: new Map() };
  let toldMs = startMs;
  for (let seed = range.from; seed < range.from + range.count; seed++) {
    for (const scenario of scenarios) {
      if (!(await runSeed(scenario, { seed, range, totals }))) return false;
    }
    if (performance.now() - toldMs < TOLD_EVERY_MS) continue;
    toldMs = performance.now();
    process.stderr.write(`seed ${seed}, ${totals.runs} runs, ${totals.steps} steps\n`);
  }
  tell(totals, (performance.now() - startMs) / 1_000);
  return true;
}

interface SeedRun {
  readonly seed: number;
  readonly range: SeedRange;
  readonly totals: Totals;
}

async function runSeed(scenario: Scenario, { seed, range, totals }: SeedRun): Promise<boolean> {
  const traces: string[] = [];
  for (let time = 0; time < (range.twice ? 2 : 1); time++) {
    let trace: readonly string[] = [];
    try {
      await runScenario(scenario, seed, (world) => {
        trace = world.trace;
      });
    } catch (error) {
      tellFailure(error, { scenario, seed, range }, trace);
      return false;
    }
    traces.push(trace.join('\n'));
    count(totals, trace);
  }
  if (traces[0] === traces.at(-1)) return true;
  process.stdout.write(`seed ${seed} of ${scenario.name} went another way the second time\n`);
  return false;
}

function count(totals: Totals, trace: readonly string[]): void {
  totals.runs++;
  totals.steps += trace.length;
  for (const line of trace) {
    for (const [text, kind = text] of line.matchAll(FAULT)) {
      totals.faults.set(kind, (totals.faults.get(kind) ?? 0) + 1);
    }
  }
}

function tell({ runs, steps, faults }: Totals, seconds: number): void {
  const kinds = [...faults].map(([kind, times]) => `${kind} ${times}`).join(', ');
  process.stdout.write(`${runs} runs, ${steps} steps in ${seconds.toFixed(1)} s; ${kinds}\n`);
}

interface FailedRun {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly range: SeedRange;
}

function tellFailure(
  error: unknown,
  { scenario, seed, range: { mutation, limits } }: FailedRun,
  trace: readonly string[],
): void {
  const violation = violationIn(error);
  const options = [
    `--seeds 1 --from ${seed} --scenario ${scenario.name}`,
    ...(mutation === undefined ? [] : [`--mutation ${mutation}`]),
    ...(limits === 'small' ? [] : [`--limits ${limits}`]),
  ];
  const told = [
    ...trace.slice(-TRACE_LINES_TOLD),
    `seed ${seed} of ${scenario.name}, ${trace.length} steps`,
    violation === undefined ? `PROGRAM_FAILED: ${storyOf(error)}` : violation.message,
    `npm run sim -- ${options.join(' ')}`,
  ];
  process.stdout.write(`${told.join('\n')}\n`);
}

/** The deepest cause, with its stack. */
function storyOf(error: unknown): string {
  let cause = error;
  while (cause instanceof Error && cause.cause !== undefined) cause = cause.cause;
  return cause instanceof Error ? `${cause.stack}` : String(cause);
}
