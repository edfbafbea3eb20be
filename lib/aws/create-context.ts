/** Puts together what the parts of the store work on: one for a process, as it remembers what it saw. */
import type { Clock } from '../ports/clock.ts';
import type { Meter } from '../ports/meter.ts';
import type { Random } from '../ports/random.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { AwsContext } from './aws-context.ts';
import { ChunkReader } from './chunk-reader.ts';
import { leaveSegments } from './due-work.ts';
import { KnownSegments } from './known-segments.ts';
import type { Objects } from './objects.ts';
import { PACKING_LIMITS, type PackingLimits } from './pack-segment.ts';
import { SegmentReader } from './segment-reader.ts';
import { createStoreMetrics } from './store-metrics.ts';
import { StreamLoader } from './stream-loader.ts';
import type { Table } from './table.ts';
import type { Tail } from './tail-item.ts';

export interface AwsStoreOptions {
  readonly table: Table;
  readonly objects: Objects;
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
  readonly meter: Meter;
  /** How much memory the chunks that are kept may take. */
  readonly cacheBytes?: number;
  readonly packing?: PackingLimits;
  readonly wakeDeliverer?: () => Promise<void>;
}

export function createAwsContext({
  cacheBytes,
  meter,
  packing = PACKING_LIMITS,
  ...options
}: AwsStoreOptions): AwsContext {
  const leaveWork = ({ streamId }: Tail) => leaveSegments(options, streamId);
  return {
    ...options,
    packing,
    metrics: createStoreMetrics(meter),
    streams: new StreamLoader({ table: options.table, leaveWork }),
    chunks: new ChunkReader(options.objects, cacheBytes),
    segments: new SegmentReader(options.objects),
    packed: new KnownSegments(),
  };
}
