/** A store on a table and a bucket of the emulator, as a process of its own: an operator who is told of an error fails. */
import { createAwsStore } from '../../../lib/aws/aws-store.ts';
import type { Objects } from '../../../lib/aws/objects.ts';
import type { PackingLimits } from '../../../lib/aws/pack-segment.ts';
import type { Table } from '../../../lib/aws/table.ts';
import { createPrometheusMeter } from '../../../lib/http/prometheus-meter.ts';
import { createSystemRandom } from '../../../lib/process/system-random.ts';
import { START_MS } from '../../support/api.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';

export interface StoreParts {
  readonly table: Table;
  readonly objects: Objects;
  /** One of its own unless given. */
  readonly clock?: ManualClock;
  readonly packing?: PackingLimits;
}

export function openStore({ clock = createManualClock(START_MS), ...parts }: StoreParts) {
  const random = createSystemRandom();
  const meter = createPrometheusMeter();
  return { clock, ...createAwsStore({ ...parts, clock, random, meter, telemetry }) };
}

const telemetry = {
  error(event: string, { error: cause }: { readonly error?: unknown }) {
    throw new Error(event, { cause });
  },
};
