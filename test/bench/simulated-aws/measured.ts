/** What came of requests whose times are known: how long they took, and how much of it was the service's. */
import { percentiles } from '../load.ts';
import type { Result } from '../results.ts';
import type { Span, StoreTime } from './store-time.ts';

export function figuresOf(spans: readonly Span[], storeTime: StoreTime): Result['figures'] {
  const all = percentiles(spans.map(lengthOf));
  const own = percentiles(spans.map((span) => lengthOf(span) - storeTime.within(span)));
  return {
    'p50 ms': all.p50Ms,
    'p99 ms': all.p99Ms,
    'own p50 ms': own.p50Ms,
    'own p99 ms': own.p99Ms,
  };
}

function lengthOf({ startMs, endMs }: Span): number {
  return endMs - startMs;
}

export async function timed(send: () => Promise<unknown>): Promise<Span> {
  const startMs = performance.now();
  await send();
  return { startMs, endMs: performance.now() };
}

/** Each sends again when it was answered, until the time is over. */
export async function repeatFor(
  senders: readonly (() => Promise<unknown>)[],
  seconds: number,
): Promise<readonly Span[]> {
  const spans: Span[] = [];
  const endMs = performance.now() + seconds * 1_000;
  await Promise.all(
    senders.map(async (send) => {
      do spans.push(await timed(send));
      while (performance.now() < endMs);
    }),
  );
  return spans;
}
