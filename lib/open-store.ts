/**
 * Opens the store that the settings name, with what goes with its kind: how its readers are woken, and
 * which appends are committed together.
 */
import { openFolder } from './embedded/embedded-store.ts';
import type { Catalog } from './ports/catalog.ts';
import type { Clock } from './ports/clock.ts';
import type { Consumers } from './ports/consumers.ts';
import type { DirectReads } from './ports/direct-reads.ts';
import type { Exchanges } from './ports/exchanges.ts';
import type { LogStore } from './ports/log-store.ts';
import type { Maintenance } from './ports/maintenance.ts';
import type { Meter } from './ports/meter.ts';
import type { Random } from './ports/random.ts';
import type { Telemetry } from './ports/telemetry.ts';
import type { Timers } from './ports/timers.ts';
import type { Waker } from './ports/waker.ts';
import { createLocalWaker } from './process/local-waker.ts';
import type { AppendQueueOptions } from './services/append-queue.ts';
import type { StoreConfig } from './store-config.ts';

export interface StoreParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly meter: Meter;
  readonly telemetry: Telemetry;
}

export interface OpenedStore {
  readonly log: LogStore;
  readonly catalog: Catalog;
  readonly consumers: Consumers;
  readonly exchanges: Exchanges;
  readonly timers: Timers;
  readonly waker: Waker;
  readonly lanes: NonNullable<AppendQueueOptions['lanes']>;
  readonly directReads?: DirectReads;
  /** To be run now and then. */
  readonly maintenance: Maintenance;
  close(): Promise<void>;
}

export async function openStore(config: StoreConfig, parts: StoreParts): Promise<OpenedStore> {
  if (config.kind === 'embedded') return await openEmbedded(config.data, parts);

  // The SDK takes longer to load than the rest of the server: only who needs it waits for it.
  const { openAws } = await import('./aws/open-aws.ts');
  return { ...openAws(config, parts), lanes: 'stream' };
}

async function openEmbedded(
  folder: string,
  { clock, telemetry }: StoreParts,
): Promise<OpenedStore> {
  const store = await openFolder({ folder, clock, telemetry });
  return { ...store, waker: createLocalWaker(), lanes: 'one' };
}
