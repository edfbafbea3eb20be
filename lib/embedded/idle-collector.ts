/**
 * Gives memory back when the process has little to do. V8 collects when something is allocated: after a
 * burst it would hold hundreds of MiB for as long as nothing else comes. A collection takes some ten ms,
 * so it waits for an interval in which the event loop was nearly idle.
 */
import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const INTERVAL_MS = 2_000;
const BUSY_SHARE_MAX = 0.1;
/** Less is not worth a pause. */
const GAIN_BYTES_MIN = 8 * 1024 * 1024;
/** Buffers are freed behind a collection, and the allocator gives pages back later still. */
const FRUITLESS_MAX = 4;

/** Runs until the process ends, and never keeps it from ending. */
export function startIdleCollector(residentBytes: () => number): void {
  // The flag makes `gc` known to contexts that are made from now on.
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  let loop: EventLoopUtilization = performance.eventLoopUtilization();
  /** What is taken for needed, once collections have gained next to nothing. */
  let neededBytes = residentBytes();
  let lastBytes = neededBytes;
  let fruitless = 0;
  setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(loop);
    loop = performance.eventLoopUtilization();
    const held = residentBytes();
    fruitless = lastBytes - held < GAIN_BYTES_MIN ? fruitless + 1 : 0;
    lastBytes = held;
    if (held < neededBytes + GAIN_BYTES_MIN) fruitless = 0;
    else if (fruitless > FRUITLESS_MAX) neededBytes = held;
    else if (utilization <= BUSY_SHARE_MAX) collect();
    else fruitless = 0;
  }, INTERVAL_MS).unref();
}
