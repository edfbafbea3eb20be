/** A store of either kind that lives in memory and ends with the process: nothing of it is replaced. */
import { createAwsStore } from '../../lib/aws/aws-store.ts';
import { openMemory } from '../../lib/embedded/embedded-store.ts';
import type { OpenedStore, StoreParts } from '../../lib/open-store.ts';
import { createLocalWaker } from '../../lib/process/local-waker.ts';
import { createMemoryObjects } from '../simulation/memory-objects.ts';
import { createMemoryTable } from '../simulation/memory-table.ts';

export type StoreKind = 'embedded' | 'aws';

export function openStoreInMemory(kind: StoreKind, parts: StoreParts): OpenedStore {
  const waker = createLocalWaker();
  if (kind === 'embedded') return { ...openMemory(parts), waker, lanes: 'one' };

  const [table, objects] = [createMemoryTable(), createMemoryObjects()];
  const { versions: _, ...store } = createAwsStore({ table, objects, ...parts });
  return { ...store, waker, lanes: 'stream', close: async () => {} };
}
