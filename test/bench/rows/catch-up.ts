/** Reading what the batches wrote from its beginning, every message decoded and checked. */
import type { Contender } from '../contender.ts';
import { median } from '../load.ts';

export async function measureCatchUp(
  contender: Contender,
  form: string,
  { runs, count }: { readonly runs: number; readonly count: number },
) {
  const rates: number[] = [];
  for (let run = 0; run < runs; run++) {
    const startMs = performance.now();
    await contender.read(form, count);
    rates.push(count / ((performance.now() - startMs) / 1000));
  }
  return { 'messages/s': median(rates), messages: count };
}
