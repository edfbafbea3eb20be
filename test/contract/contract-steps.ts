/** Steps that the parts of the contract share. */
import type { StreamId } from '../../lib/core/log/ids.ts';
import type { StreamSettings } from '../../lib/core/log/settings.ts';
import type { Append, Batch, StoredChunk } from '../../lib/ports/log-store.ts';
import { decodeRecord } from '../../lib/wire/record.ts';
import { VarintReader } from '../../lib/wire/varint.ts';
import { at, batchOf, idOf, streamName } from '../support/batches.ts';
import type { Ports, StoreUnderTest } from './store-under-test.ts';

/** The store of the test that runs, and its end and beginning. */
export interface Subject {
  ports(): StoreUnderTest;
  restart(): Promise<void>;
  /** Does all that is due, where a store leaves work for later. */
  maintain(): Promise<void>;
}

export const STREAM = streamName('s');
export const STREAM_ID = idOf(1);

export async function createStream({ catalog }: Ports, settings: StreamSettings = {}) {
  const entry = { name: STREAM, streamId: STREAM_ID, settings, createdMs: 1_000 };
  return await catalog.create(entry);
}

/** An append to {@link STREAM} of one message for each body. */
export function append(
  bodies: readonly string[] | Batch,
  rest: Omit<Partial<Append>, 'batch'> = {},
): Append {
  const batch = 'records' in bodies ? bodies : batchOf(...bodies);
  return { stream: STREAM, timeMs: 1_000, batch, ...rest };
}

/** One commit for each, so that each is a chunk of its own that is acknowledged. */
export async function publish({ log }: Ports, ...appends: readonly Append[]) {
  const outcomes = [];
  for (const one of appends) outcomes.push(...(await log.commit([one])));
  return outcomes;
}

/** Up to the largest offset, of which no store remembers anything. */
export async function readAll({ log }: Ports, streamId: StreamId = STREAM_ID, from = 0) {
  const end = at(Number.MAX_SAFE_INTEGER);
  return await log.readChunks({ streamId, from: at(from), end, bytesMax: end });
}

/** A range of {@link STREAM}, as readers ask for it: the stream's state first. */
export async function readRange(
  { log }: Ports,
  range: { readonly from: number; readonly end: number; readonly bytesMax: number },
) {
  await log.tail(STREAM);
  const { from, end, bytesMax } = range;
  return await log.readChunks({ streamId: STREAM_ID, from: at(from), end: at(end), bytesMax });
}

export function bodiesOf(chunks: readonly StoredChunk[]): string[] {
  return chunks.flatMap(({ records, count }) => {
    const reader = new VarintReader(records);
    return Array.from({ length: count }, () => Buffer.from(decodeRecord(reader).body).toString());
  });
}

/** What of a chunk can be said in one line. */
export function placeOf({ base, count, timeMs }: StoredChunk) {
  return { base, count, timeMs };
}
