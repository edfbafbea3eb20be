/** The store on S3 and DynamoDB: stateless but for caches, so any number of processes share one. */
import type { Catalog } from '../ports/catalog.ts';
import type { Clock } from '../ports/clock.ts';
import type { DirectReads } from '../ports/direct-reads.ts';
import type { LogStore } from '../ports/log-store.ts';
import type { Maintenance } from '../ports/maintenance.ts';
import type { Meter } from '../ports/meter.ts';
import type { Random } from '../ports/random.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import { createAwsCatalog } from './aws-catalog.ts';
import { createAwsLog } from './aws-log.ts';
import { createAwsMaintenance } from './aws-maintenance.ts';
import { ChunkReader } from './chunk-reader.ts';
import type { Objects } from './objects.ts';
import { createDirectReads } from './plan-direct-reads.ts';
import type { StreamVersions } from './polling-waker.ts';
import { createStoreMetrics } from './store-metrics.ts';
import { StreamLoader } from './stream-loader.ts';
import type { Table } from './table.ts';

export interface AwsStore {
  readonly log: LogStore;
  readonly catalog: Catalog;
  readonly maintenance: Maintenance;
  readonly directReads: DirectReads;
  /** What a waker polls. */
  readonly versions: StreamVersions;
}

export interface AwsStoreOptions {
  readonly table: Table;
  readonly objects: Objects;
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
  readonly meter: Meter;
  /** How much memory the chunks that are kept may take. */
  readonly cacheBytes?: number;
}

export function createAwsStore({ cacheBytes, meter, ...options }: AwsStoreOptions): AwsStore {
  const context = {
    ...options,
    metrics: createStoreMetrics(meter),
    streams: new StreamLoader(options.table),
    chunks: new ChunkReader(options.objects, cacheBytes),
  };
  const { streams } = context;
  return {
    log: createAwsLog(context),
    catalog: createAwsCatalog(context),
    maintenance: createAwsMaintenance(context),
    directReads: createDirectReads(context),
    versions: {
      known: (streamId) => streams.knownVersion(streamId),
      current: (streamId) => streams.currentVersion(streamId),
    },
  };
}
