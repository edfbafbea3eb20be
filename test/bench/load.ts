/** Runs load for a time and says what came of it. */
import { RawConnection } from './raw-client.ts';

export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface Load {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  readonly request: Buffer;
}

/** Each connection sends again when it is answered; a tenth of the time is warm-up. */
export async function runLoad({ port, connections, seconds, request }: Load): Promise<LoadResult> {
  const open = Array.from({ length: connections }, () => RawConnection.open(port));
  const sockets = await Promise.all(open);
  const latencies: number[] = [];
  const startMs = performance.now();
  const [countFromMs, endMs] = [startMs + seconds * 100, startMs + seconds * 1000];

  await Promise.all(
    sockets.map(async (socket) => {
      for (let sentMs = performance.now(); sentMs < endMs; ) {
        await socket.send(request);
        const answeredMs = performance.now();
        if (sentMs >= countFromMs) latencies.push(answeredMs - sentMs);
        sentMs = answeredMs;
      }
    }),
  );
  const elapsed = (performance.now() - countFromMs) / 1000;
  for (const socket of sockets) socket.close();
  return { perSecond: latencies.length / elapsed, ...percentiles(latencies) };
}

function percentiles(latencies: number[]): { readonly p50Ms: number; readonly p99Ms: number } {
  const sorted = Float64Array.from(latencies).sort();
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
