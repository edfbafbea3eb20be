/** The store of functions that are tried without AWS: in memory, so one process stands for all instances. */
import type { FunctionStore, StoreOptions } from '../../functions/store.ts';
import { openMemory } from '../../lib/embedded/embedded-store.ts';
import { createLocalWaker } from '../../lib/process/local-waker.ts';
import { createSystemClock } from '../../lib/process/system-clock.ts';

export async function openStore({ telemetry }: StoreOptions): Promise<FunctionStore> {
  const {
    close: _,
    maintenance: _own,
    ...ports
  } = openMemory({
    clock: createSystemClock(),
    telemetry,
  });
  const maintenance = { run: async () => ({ done: 3, failed: 1, overdueMs: 250, trimmed: [] }) };
  const awakeSigns = { takeDown: async () => false };
  return { kind: 'embedded', ...ports, waker: createLocalWaker(), maintenance, awakeSigns };
}
