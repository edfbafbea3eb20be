/** The store on S3 and DynamoDB: stateless but for caches, so any number of processes share one. */
import type { Catalog } from '../ports/catalog.ts';
import type { Consumers } from '../ports/consumers.ts';
import type { DirectReads } from '../ports/direct-reads.ts';
import type { Exchanges } from '../ports/exchanges.ts';
import type { LogStore } from '../ports/log-store.ts';
import type { Maintenance } from '../ports/maintenance.ts';
import type { Timers } from '../ports/timers.ts';
import { AwakeSigns } from './awake-signs.ts';
import { createAwsCatalog } from './aws-catalog.ts';
import { createAwsConsumers } from './aws-consumers.ts';
import { createAwsExchanges } from './aws-exchanges.ts';
import { createAwsLog } from './aws-log.ts';
import { createAwsMaintenance } from './aws-maintenance.ts';
import { createAwsTimers } from './aws-timers.ts';
import { type AwsStoreOptions, createAwsContext } from './create-context.ts';
import { createDirectReads } from './plan-direct-reads.ts';
import type { StreamVersions } from './polling-waker.ts';

export interface AwsStore {
  readonly log: LogStore;
  readonly catalog: Catalog;
  readonly consumers: Consumers;
  readonly exchanges: Exchanges;
  readonly timers: Timers;
  readonly awakeSigns: AwakeSigns;
  readonly maintenance: Maintenance;
  readonly directReads: DirectReads;
  /** What a waker polls. */
  readonly versions: StreamVersions;
}

export function createAwsStore(options: AwsStoreOptions): AwsStore {
  const context = createAwsContext(options);
  const { streams } = context;
  const awakeSigns = new AwakeSigns(context.table);
  return {
    log: createAwsLog(context),
    catalog: createAwsCatalog(context),
    consumers: createAwsConsumers(context),
    exchanges: createAwsExchanges(context),
    timers: createAwsTimers(context, awakeSigns),
    awakeSigns,
    maintenance: createAwsMaintenance(context),
    directReads: createDirectReads(context),
    versions: {
      known: (streamId) => streams.knownVersion(streamId),
      current: (streamId) => streams.currentVersion(streamId),
    },
  };
}
