/** A store in a folder of its own, with a clock that stands still and all that it told. */
import { onTestFinished } from 'vitest';
import type { StreamSettings } from '../../lib/core/log/settings.ts';
import { type EmbeddedStore, openFolder } from '../../lib/embedded/embedded-store.ts';
import { batchOfSize, idOf, streamName } from '../support/batches.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export const NOW = 1_000_000;
export const IDLE = { done: 0, failed: 0, overdueMs: 0, trimmed: [] };

export const run = ({ maintenance }: EmbeddedStore) =>
  maintenance.run(new AbortController().signal);

export async function openStore(
  options: { readonly writer?: 'inline' | 'worker'; readonly segmentBytesMin?: number } = {},
) {
  const { writer = 'inline', segmentBytesMin } = options;
  const folder = temporaryFolder();
  const clock = createManualClock(NOW);
  const told: unknown[] = [];
  const telemetry = { error: (event: string, details: object) => told.push({ event, ...details }) };
  const packing = segmentBytesMin === undefined ? {} : { segmentBytesMin };
  const open = () => openFolder({ folder: folder.path, writer, clock, telemetry, packing });
  const store = await open();
  onTestFinished(async () => {
    await store.close();
    folder[Symbol.dispose]();
  });
  return { ...store, clock, told, open, folder: folder.path };
}

/** A stream by its number: `s1` with the id 1. */
export async function create({ catalog }: EmbeddedStore, number: number, settings: StreamSettings) {
  const [name, streamId] = [streamName(`s${number}`), idOf(number)];
  await catalog.create({ name, streamId, settings, createdMs: 0 });
  return { name, streamId };
}

export async function publish({ log }: EmbeddedStore, number: number, times: readonly number[]) {
  const stream = streamName(`s${number}`);
  for (const timeMs of times) await log.commit([{ stream, batch: batchOfSize(1, 10), timeMs }]);
}

export const firstOf = async ({ log }: EmbeddedStore, number: number) =>
  (await log.tail(streamName(`s${number}`)))?.first;

export const by = (clock: ManualClock, ms: number) => clock.set(NOW + ms);
