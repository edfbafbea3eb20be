/** Workloads whose bills can be checked by hand. */
import type { Workload } from '../../../scripts/cost/workload.ts';

/** A hundred publishes a second on one stream, and three readers that look as often. */
export function tracked(batch: number): Workload {
  return {
    messagesPerSecond: 100 * batch,
    messageBytes: 1_024,
    batch,
    streams: 1,
    readers: 3,
    readEveryMs: 10,
    retentionMs: 1,
    publishers: 1,
    memoryMb: 512,
  };
}
