/** The store on a table and objects in memory, with all that a test may want to look at or to break. */
import { type AwsStore, createAwsStore } from '../../lib/aws/aws-store.ts';
import type { Objects } from '../../lib/aws/objects.ts';
import type { PackingLimits } from '../../lib/aws/pack-segment.ts';
import type { Table } from '../../lib/aws/table.ts';
import { createPrometheusMeter } from '../../lib/http/prometheus-meter.ts';
import { createSystemRandom } from '../../lib/process/system-random.ts';
import { createMemoryObjects, type MemoryObjects } from '../simulation/memory-objects.ts';
import { createMemoryTable, type MemoryTable } from '../simulation/memory-table.ts';
import { START_MS } from './api.ts';
import { createManualClock, type ManualClock } from './manual-clock.ts';

export interface MemoryAws extends AwsStore {
  readonly table: MemoryTable;
  readonly objects: MemoryObjects;
  readonly clock: ManualClock;
  /** What operators were told. */
  readonly told: readonly string[];
  metrics(): string;
  /** Another process on the same table and objects. */
  another(layers?: AwsLayers): MemoryAws;
}

/** What is put in front of the table or the objects, and how large pieces may be. */
export interface AwsLayers {
  readonly table?: (table: Table) => Table;
  readonly objects?: (objects: Objects) => Objects;
  readonly packing?: PackingLimits;
  readonly wakeDeliverer?: () => Promise<void>;
}

export function openMemoryAws(layers: AwsLayers = {}): MemoryAws {
  const parts = {
    table: createMemoryTable(),
    objects: createMemoryObjects(),
    clock: createManualClock(START_MS),
  };
  return openOn(parts, layers);
}

function openOn(
  parts: Pick<MemoryAws, 'table' | 'objects' | 'clock'>,
  layers: AwsLayers,
): MemoryAws {
  const told: string[] = [];
  const meter = createPrometheusMeter();
  const store = createAwsStore({
    table: layers.table?.(parts.table) ?? parts.table,
    objects: layers.objects?.(parts.objects) ?? parts.objects,
    ...(layers.packing && { packing: layers.packing }),
    ...(layers.wakeDeliverer && { wakeDeliverer: layers.wakeDeliverer }),
    clock: parts.clock,
    random: createSystemRandom(),
    meter,
    telemetry: { error: (event) => void told.push(event) },
  });
  return {
    ...store,
    ...parts,
    told,
    metrics: () => meter.exposition(),
    another: (more = {}) => openOn(parts, more),
  };
}
