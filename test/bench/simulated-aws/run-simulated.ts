/**
 * `npm run bench -- --simulate-aws`: the server over S3 and DynamoDB in memory that take as long as the
 * real ones, and how much the service adds to what they take. The stores of one request that overlap
 * count once, the linger counts as theirs. The work of the AWS SDK is not in it, nor the network.
 */
import { STORE_LATENCY } from '../../../scripts/cost/store-latency.ts';
import type { Result } from '../results.ts';
import { measureBare } from './bare-rows.ts';
import { batchRequest, measurePublishes, type RowOptions, SINGLE } from './publish-rows.ts';
import { measureDelivery, measurePages } from './read-rows.ts';

export const CONTENDER = 'simulated AWS';
export const SIMULATED_SEED = 20_261_130;

export interface SimulatedRun extends RowOptions {
  /** Words of the rows to run; empty for all. */
  readonly only: string;
  tell(result: Result): void;
  progress(text: string): void;
}

type Rows = { readonly [row: string]: Result['figures'] };
type Step = { readonly rows: readonly string[]; run(): Promise<Rows> };

const COLD = 'catch-up page of 1 MiB in 16 chunks, cold';
const CACHED = 'catch-up page of 1 MiB in 16 chunks, cached';

export async function runSimulated(options: SimulatedRun): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const { rows, run } of steps(options)) {
    if (!rows.some((row) => row.includes(options.only))) continue;
    options.progress(rows.join(', '));
    for (const [row, figures] of Object.entries(await run())) {
      const result = { row, contender: CONTENDER, figures };
      results.push(result);
      options.tell(result);
    }
  }
  return results;
}

/** What is injected, in words. */
export function describeInjected({ seed, scale }: Pick<RowOptions, 'seed' | 'scale'>): string {
  const latencies = Object.entries(STORE_LATENCY).map(([call, { medianMs, p99Ms }]) => {
    return `${call} ${scale * medianMs}/${scale * p99Ms}`;
  });
  return `injected, lognormal, p50/p99 ms: ${latencies.join(', ')}; seed ${seed}`;
}

function* steps(options: RowOptions): Generator<Step> {
  const publishing = (row: string, lanes: number, lingerMs: number): Step => ({
    rows: [row],
    run: async () => ({
      [row]: await measurePublishes({ lanes, lingerMs, request: SINGLE }, options),
    }),
  });
  const bare = 'a bare server in front of the same stores';
  yield { rows: [bare], run: async () => ({ [bare]: await measureBare(options) }) };
  yield publishing('single publishes of 256 B, 1 in flight', 1, 0);
  yield publishing('single publishes of 256 B, 64 in flight', 64, 0);
  yield publishing('single publishes of 256 B, 64, linger 20 ms', 64, 20);

  const batches = 'batches of 1 000 x 1 KiB, 1 in flight';
  yield {
    rows: [batches],
    run: async () => {
      const request = batchRequest(options.bodies);
      return { [batches]: await measurePublishes({ lanes: 1, lingerMs: 0, request }, options) };
    },
  };
  const delivery = 'publish to a reader that waits';
  yield { rows: [delivery], run: async () => ({ [delivery]: await measureDelivery(options) }) };
  yield {
    rows: [COLD, CACHED],
    run: async () => {
      const { cold, cached } = await measurePages(options);
      return { [COLD]: cold, [CACHED]: cached };
    },
  };
}
