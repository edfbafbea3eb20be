/** Runs load for a time and says what came of it. */
import type { Lanes } from './contender.ts';

export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Each lane sends again when it is answered; a fifth of the time goes before, as warm-up. */
export async function runLoad({ senders, messages }: Lanes, seconds: number): Promise<LoadResult> {
  const latencies: number[] = [];
  const countFromMs = performance.now() + seconds * 200;
  const endMs = countFromMs + seconds * 1000;

  await Promise.all(
    senders.map(async (send) => {
      for (let sentMs = performance.now(); sentMs < endMs; ) {
        await send();
        const answeredMs = performance.now();
        if (sentMs >= countFromMs) latencies.push(answeredMs - sentMs);
        sentMs = answeredMs;
      }
    }),
  );
  const elapsed = (performance.now() - countFromMs) / 1000;
  return { perSecond: (latencies.length * messages) / elapsed, ...percentiles(latencies) };
}

export function percentiles(latencies: readonly number[]) {
  const sorted = Float64Array.from(latencies).sort();
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
