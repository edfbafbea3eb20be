/** Streams of several segments, and what becomes of them by and by. */
import { offset } from '../../lib/core/log/ids.ts';
import type { StreamSettings } from '../../lib/core/log/settings.ts';
import { append, createStream, publish, STREAM, STREAM_ID } from '../contract/contract-steps.ts';
import { batchOfSize } from '../support/batches.ts';
import type { MemoryAws } from '../support/memory-aws.ts';

export type SegmentStore = Pick<MemoryAws, 'log' | 'catalog' | 'maintenance' | 'clock'>;

export const HOUR_MS = 3_600_000;
/** When a segment that ended is looked at. */
export const SOON_MS = 5_000;

export function maintain(store: SegmentStore) {
  return store.maintenance.run(new AbortController().signal);
}

/** So many messages of 100 bytes each in a commit of its own, of which `inSegment` fill a segment. */
export async function publishSegments(
  store: SegmentStore,
  messages: number,
  { inSegment, ...settings }: { readonly inSegment: number } & StreamSettings,
): Promise<void> {
  await createStream(store, { segment_max_bytes: 100 * inSegment, ...settings });
  await publishMore(store, messages);
}

/** Each a millisecond later than the one before. */
export async function publishMore(store: SegmentStore, messages: number): Promise<void> {
  for (let n = 0; n < messages; n++) {
    await publish(store, append(batchOfSize(1, 100), { timeMs: store.clock.nowMs() }));
    await store.clock.advance(1);
  }
}

/** All that ended by now. */
export async function packAll(store: SegmentStore): Promise<void> {
  await store.clock.advance(SOON_MS);
  await maintain(store);
}

/** What was packed loses its index, and its chunks. */
export async function collectAll(store: SegmentStore): Promise<void> {
  await store.clock.advance(2 * HOUR_MS);
  await maintain(store);
}

export function objectsOf(store: MemoryAws, kind: 'chunks' | 'pieces'): readonly string[] {
  const folder = kind === 'chunks' ? '/c/' : '/s/';
  return store.objects.names().filter((name) => name.includes(folder));
}

export function keysOf(store: MemoryAws, partition: string): readonly string[] {
  const keys = store.table.items().map(({ k, s }) => [k, s]);
  return keys.flatMap(([k, s]) =>
    k && s && 'S' in k && 'S' in s && k.S.startsWith(partition) ? [s.S] : [],
  );
}

/** Everything in pages of so many bytes, as readers walk through it; `between` them others may act. */
export async function walk(
  store: SegmentStore,
  bytesMax: number,
  between: () => Promise<void> = async () => {},
): Promise<readonly number[]> {
  const seen: number[] = [];
  const { first = offset(0), next: end = offset(0) } = (await store.log.tail(STREAM)) ?? {};
  for (let at = first; at < end; ) {
    await between();
    const range = { streamId: STREAM_ID, from: at, end, bytesMax };
    const chunks = await store.log.readChunks(range);
    if (chunks.length === 0) throw new Error(`nothing at ${at}`);
    for (const { base, count } of chunks) {
      for (let message = Math.max(base, at); message < base + count; message++) seen.push(message);
    }
    at = offset((seen.at(-1) ?? end) + 1);
  }
  return seen;
}
