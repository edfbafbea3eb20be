/** What the contract needs to know of a store: how to open it, and how to open it again. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedStore, openFolder, openMemory } from '../../lib/embedded/embedded-store.ts';
import type { Catalog } from '../../lib/ports/catalog.ts';
import type { LogStore } from '../../lib/ports/log-store.ts';
import { createReferenceStore } from './reference-store.ts';

export interface Ports {
  readonly log: LogStore;
  readonly catalog: Catalog;
}

export interface StoreUnderTest extends Ports {
  /** Ends it and opens it over the same storage. Absent when nothing outlives it. */
  readonly restart?: () => Promise<StoreUnderTest>;
  close(): Promise<void>;
}

export type OpenStore = () => Promise<StoreUnderTest>;

export async function openReferenceUnderTest(): Promise<StoreUnderTest> {
  return createReferenceStore();
}

export async function openMemoryUnderTest(): Promise<StoreUnderTest> {
  return openMemory();
}

export async function openFolderUnderTest(writer: 'worker' | 'inline'): Promise<StoreUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), 'varve-'));
  const open = async (): Promise<StoreUnderTest> => {
    const store: EmbeddedStore = await openFolder({ folder, writer });
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
