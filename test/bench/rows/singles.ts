/** Publishes of one small message, each acknowledged before the next: what a service call pays. */
import type { Contender } from '../contender.ts';
import { type LoadResult, median, runLoad } from '../load.ts';

export interface RowOptions {
  readonly runs: number;
  readonly seconds: number;
}

export async function measureSingles(
  contender: Pick<Contender, 'singles'>,
  lanes: number,
  { runs, seconds }: RowOptions,
) {
  const open = await contender.singles(lanes);
  try {
    const results: LoadResult[] = [];
    for (let run = 0; run < runs; run++) results.push(await runLoad(open, seconds));
    return medians(results);
  } finally {
    await open.close();
  }
}

export function medians(results: readonly LoadResult[]) {
  return {
    'messages/s': median(results.map(({ perSecond }) => perSecond)),
    'p50 ms': median(results.map(({ p50Ms }) => p50Ms)),
    'p99 ms': median(results.map(({ p99Ms }) => p99Ms)),
  };
}
