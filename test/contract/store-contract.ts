/** What every store must do, whatever it is made of. A new adapter passes this before anything else. */
import { afterEach, beforeEach, describe } from 'vitest';
import { describeCatalog } from './catalog-contract.ts';
import { describeCommits } from './commit-contract.ts';
import { describeConsumers } from './consumer-contract.ts';
import type { Subject } from './contract-steps.ts';
import { describeDeduplication } from './deduplication-contract.ts';
import { describeDelayedExchanges } from './delayed-exchange-contract.ts';
import { describeExchanges } from './exchange-contract.ts';
import { describeCacheSizes } from './large-cache-contract.ts';
import { describePublishers } from './publisher-contract.ts';
import { describeReads } from './read-contract.ts';
import { describeRecords } from './record-contract.ts';
import { describeReleases } from './release-contract.ts';
import { describeRemoval } from './removal-contract.ts';
import { describeRetention } from './retention-contract.ts';
import { describeScans } from './scan-contract.ts';
import type { OpenStore, StoreUnderTest } from './store-under-test.ts';
import { describeHolding } from './timer-contract.ts';

type Part = (subject: Subject) => void;

/** What is stored, and under which conditions. */
export const WRITING: readonly Part[] = [
  describeCommits,
  describePublishers,
  describeConsumers,
  describeDeduplication,
  describeCacheSizes,
];

/** What is read of it, and what becomes of it. */
export const READING: readonly Part[] = [
  describeReads,
  describeScans,
  describeRemoval,
  describeRetention,
  describeCatalog,
];

/** Where messages go, and when. */
export const ROUTING: readonly Part[] = [
  describeExchanges,
  describeRecords,
  describeHolding,
  describeReleases,
  describeDelayedExchanges,
];

export function describeStoreContract(
  name: string,
  open: OpenStore,
  parts: readonly Part[] = [...WRITING, ...READING, ...ROUTING],
): void {
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
    for (const part of parts) part(subject);
  });
}
