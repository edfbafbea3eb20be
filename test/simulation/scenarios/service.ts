/** One instance of the service: a process with the real store in it, with caches of its own. */

import type { AwsContext } from '../../../lib/aws/aws-context.ts';
import { type AwsStore, createAwsStore } from '../../../lib/aws/aws-store.ts';
import { ChunkReader } from '../../../lib/aws/chunk-reader.ts';
import { leaveSegments } from '../../../lib/aws/due-work.ts';
import { KnownSegments } from '../../../lib/aws/known-segments.ts';
import { PACKING_LIMITS } from '../../../lib/aws/pack-segment.ts';
import { SegmentReader } from '../../../lib/aws/segment-reader.ts';
import { createStoreMetrics } from '../../../lib/aws/store-metrics.ts';
import { StreamLoader } from '../../../lib/aws/stream-loader.ts';
import type { Tail } from '../../../lib/aws/tail-item.ts';
import { createPrometheusMeter } from '../../../lib/http/prometheus-meter.ts';
import { StoreError } from '../../../lib/ports/store-error.ts';
import type { Telemetry } from '../../../lib/ports/telemetry.ts';
import type { Oracle } from '../oracle/oracle.ts';
import { Violation } from '../oracle/violation.ts';
import { watchedCatalog } from '../oracle/watched-catalog.ts';
import { watchedConsumers } from '../oracle/watched-consumers.ts';
import { watchedExchanges } from '../oracle/watched-exchanges.ts';
import { watchedLog } from '../oracle/watched-log.ts';
import type { Process } from '../world.ts';

export interface Service extends AwsStore {
  readonly process: Process;
  /** For work that is done beside requests. */
  readonly context: AwsContext;
}

export function createService(process: Process, oracle: Oracle): Service {
  const { table, objects, clock, random } = process;
  const parts = { table, objects, clock, random, telemetry };
  const leaveWork = ({ streamId }: Tail) => leaveSegments(parts, streamId);
  const store = createAwsStore({ ...parts, meter: createPrometheusMeter() });
  return {
    ...store,
    process,
    log: watchedLog(store.log, oracle),
    catalog: watchedCatalog(store.catalog, oracle),
    consumers: watchedConsumers(store.consumers, oracle),
    exchanges: watchedExchanges(store.exchanges, oracle),
    context: {
      ...parts,
      metrics: createStoreMetrics(createPrometheusMeter()),
      streams: new StreamLoader({ table, leaveWork }),
      chunks: new ChunkReader(objects),
      segments: new SegmentReader(objects),
      packed: new KnownSegments(),
      packing: PACKING_LIMITS,
    },
  };
}

/** What went wrong with a store may be told, but nothing that is wrong with the program. */
const telemetry: Telemetry = {
  error(event, { error }) {
    if (error instanceof StoreError && error.kind !== 'corrupt') return;
    throw new Violation(
      'PROGRAM_FAILED',
      `${event}: ${error instanceof Error ? error.stack : error}`,
    );
  },
};
