/** The store of functions that are tried without AWS: in memory, so one process stands for all instances. */
import type { FunctionStore, StoreOptions } from '../../functions/store.ts';
import { openMemory } from '../../lib/embedded/embedded-store.ts';
import { createLocalWaker } from '../../lib/process/local-waker.ts';

export async function openStore({ telemetry }: StoreOptions): Promise<FunctionStore> {
  const { log, catalog } = openMemory({ telemetry });
  const maintenance = { run: async () => ({ done: 3, failed: 1, overdueMs: 250 }) };
  return { kind: 'embedded', log, catalog, waker: createLocalWaker(), maintenance };
}
