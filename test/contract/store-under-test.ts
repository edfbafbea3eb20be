/** What the contract needs to know of a store: how to open it, and how to open it again. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFolder, openMemory } from '../../lib/embedded/embedded-store.ts';
import type { Catalog } from '../../lib/ports/catalog.ts';
import type { Consumers } from '../../lib/ports/consumers.ts';
import type { Exchanges } from '../../lib/ports/exchanges.ts';
import type { LogStore } from '../../lib/ports/log-store.ts';
import type { Maintenance } from '../../lib/ports/maintenance.ts';
import type { Timers } from '../../lib/ports/timers.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { createReferenceStore } from './reference-store.ts';

export interface Ports {
  readonly log: LogStore;
  readonly catalog: Catalog;
}

export interface StoreUnderTest extends Ports {
  readonly consumers: Consumers;
  readonly exchanges: Exchanges;
  readonly timers: Timers;
  /** Where a store leaves work for later. */
  readonly maintenance?: Maintenance;
  /** What its maintenance goes by, if a test may move it; by any other no message is of any age. */
  readonly clock?: ManualClock;
  /** Ends it and opens it over the same storage. Absent when nothing outlives it. */
  readonly restart?: () => Promise<StoreUnderTest>;
  close(): Promise<void>;
}

/** What failed in the background would be told to the operators only: here it fails the test. */
const telemetry = {
  error(event: string, details: object) {
    throw new Error(event, { cause: details });
  },
};

export type OpenStore = () => Promise<StoreUnderTest>;

export async function openReferenceUnderTest(): Promise<StoreUnderTest> {
  return createReferenceStore();
}

export async function openMemoryUnderTest(): Promise<StoreUnderTest> {
  return openMemory({ clock: createManualClock(0), telemetry });
}

export async function openFolderUnderTest(writer: 'worker' | 'inline'): Promise<StoreUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), 'varve-'));
  const open = async (): Promise<StoreUnderTest> => {
    const store = await openFolder({
      folder,
      writer,
      clock: createManualClock(0),
      telemetry,
      packing: { segmentBytesMin: 0, pieceBytes: 500 },
    });
    return {
      ...store,
      restart: async () => {
        await store.close();
        return open();
      },
      close: async () => {
        await store.close();
        rmSync(folder, { recursive: true });
      },
    };
  };
  return open();
}
