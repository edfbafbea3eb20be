/** What every store must do, whatever it is made of. A new adapter passes this before anything else. */
import { afterEach, beforeEach, describe } from 'vitest';
import { describeCatalog } from './catalog-contract.ts';
import { describeCommits } from './commit-contract.ts';
import { describeConsumers } from './consumer-contract.ts';
import { describeDeduplication } from './deduplication-contract.ts';
import { describeCacheSizes } from './large-cache-contract.ts';
import { describePublishers } from './publisher-contract.ts';
import { describeReads } from './read-contract.ts';
import { describeRemoval } from './removal-contract.ts';
import { describeRetention } from './retention-contract.ts';
import { describeScans } from './scan-contract.ts';
import type { OpenStore, StoreUnderTest } from './store-under-test.ts';

export function describeStoreContract(name: string, open: OpenStore): void {
  describe(name, () => {
    let store: StoreUnderTest;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    /** Over the same storage as it was left, where a store has one that outlives it. */
    const restart = async () => {
      if (store.restart !== undefined) store = await store.restart();
    };
    const maintain = async () => {
      await store.maintenance?.run(new AbortController().signal);
    };
    const subject = { ports: () => store, restart, maintain };
    describeCommits(subject);
    describePublishers(subject);
    describeConsumers(subject);
    describeDeduplication(subject);
    describeCacheSizes(subject);
    describeReads(subject);
    describeScans(subject);
    describeRemoval(subject);
    describeRetention(subject);
    describeCatalog(subject);
  });
}
