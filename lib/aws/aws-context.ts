/** What the parts of the store work on. */
import type { Clock } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { ChunkReader } from './chunk-reader.ts';
import type { KnownSegments } from './known-segments.ts';
import type { Objects } from './objects.ts';
import type { PackingLimits } from './pack-segment.ts';
import type { SegmentReader } from './segment-reader.ts';
import type { StoreMetrics } from './store-metrics.ts';
import type { StreamLoader } from './stream-loader.ts';
import type { Table } from './table.ts';

export interface AwsContext {
  readonly table: Table;
  readonly objects: Objects;
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
  readonly metrics: StoreMetrics;
  readonly streams: StreamLoader;
  readonly chunks: ChunkReader;
  readonly segments: SegmentReader;
  readonly packed: KnownSegments;
  readonly packing: PackingLimits;
  /** Has held messages looked after by whoever releases them, now; absent where somebody always does. */
  readonly wakeDeliverer?: () => Promise<void>;
}
