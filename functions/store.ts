/** The one place where functions get their store from: S3 and DynamoDB, asked for nothing until a request needs it. */
import { openAws } from '../lib/aws/open-aws.ts';
import type { Catalog } from '../lib/ports/catalog.ts';
import type { Clock } from '../lib/ports/clock.ts';
import type { Consumers } from '../lib/ports/consumers.ts';
import type { DirectReads } from '../lib/ports/direct-reads.ts';
import type { Exchanges } from '../lib/ports/exchanges.ts';
import type { LogStore } from '../lib/ports/log-store.ts';
import type { Maintenance } from '../lib/ports/maintenance.ts';
import type { Meter } from '../lib/ports/meter.ts';
import type { Random } from '../lib/ports/random.ts';
import type { Telemetry } from '../lib/ports/telemetry.ts';
import type { Timers } from '../lib/ports/timers.ts';
import type { Waker } from '../lib/ports/waker.ts';
import type { FunctionSettings } from './settings.ts';

export interface FunctionStore {
  readonly kind: 'embedded' | 'aws';
  readonly log: LogStore;
  readonly catalog: Catalog;
  readonly consumers: Consumers;
  readonly exchanges: Exchanges;
  readonly timers: Timers;
  /** That somebody was woken to release. */
  readonly awakeSigns: { takeDown(): Promise<boolean> };
  readonly waker: Waker;
  readonly maintenance: Maintenance;
  readonly directReads?: DirectReads;
}

export interface StoreOptions {
  readonly settings: FunctionSettings;
  readonly telemetry: Telemetry;
  readonly meter: Meter;
  readonly clock: Clock;
  readonly random: Random;
}

/** Once an instance. */
export async function openStore({ settings, ...parts }: StoreOptions): Promise<FunctionStore> {
  return { kind: 'aws', ...openAws(settings, parts) };
}
