/** The store of one bucket and one table, with all that belongs to it. Opening it sends nothing. */
import type { Audit } from '../ports/audit.ts';
import type { Catalog } from '../ports/catalog.ts';
import type { Clock } from '../ports/clock.ts';
import type { Consumers } from '../ports/consumers.ts';
import type { DirectReads } from '../ports/direct-reads.ts';
import type { Exchanges } from '../ports/exchanges.ts';
import type { LogStore } from '../ports/log-store.ts';
import type { Maintenance } from '../ports/maintenance.ts';
import type { Meter } from '../ports/meter.ts';
import type { Random } from '../ports/random.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { Timers } from '../ports/timers.ts';
import type { Waker } from '../ports/waker.ts';
import { createLocalWaker } from '../process/local-waker.ts';
import { createAwsAudit } from './audit-store.ts';
import type { AwakeSigns } from './awake-signs.ts';
import type { AwsSettings } from './aws-clients.ts';
import { createAwsStore } from './aws-store.ts';
import { createAws } from './create-aws.ts';
import { createAwsContext } from './create-context.ts';
import { createPollingWaker } from './polling-waker.ts';

export interface AwsPlace extends AwsSettings {
  readonly bucket: string;
  readonly table: string;
  /** That is woken for held messages which are due soon. */
  readonly deliverFunction?: string;
}

export interface AwsParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly meter: Meter;
  readonly telemetry: Telemetry;
}

export interface OpenedAws {
  readonly log: LogStore;
  readonly catalog: Catalog;
  readonly consumers: Consumers;
  readonly exchanges: Exchanges;
  readonly timers: Timers;
  readonly awakeSigns: AwakeSigns;
  readonly waker: Waker;
  readonly maintenance: Maintenance;
  readonly directReads: DirectReads;
  close(): Promise<void>;
}

/** Looks through the store from outside; see {@link Audit}. */
export function openAwsAudit(
  place: AwsPlace,
  parts: AwsParts,
): { readonly audit: Audit; close(): void } {
  const { table, objects, close } = createAws({ ...place, ...parts });
  return { audit: createAwsAudit(createAwsContext({ table, objects, ...parts })), close };
}

export function openAws(place: AwsPlace, parts: AwsParts): OpenedAws {
  const { table, objects, invoke, close } = createAws({ ...place, ...parts });
  const { deliverFunction } = place;
  const wakeDeliverer = deliverFunction === undefined ? undefined : invoke(deliverFunction);
  const { versions, ...store } = createAwsStore({
    table,
    objects,
    ...parts,
    ...(wakeDeliverer && { wakeDeliverer }),
  });
  const waker = createPollingWaker({ local: createLocalWaker(), clock: parts.clock, versions });
  return { ...store, waker, close: async () => close() };
}
