/** Filters over packed segments: the same messages as before, from their summaries or not. */
import { expect, onTestFinished, test } from 'vitest';
import type { MessageFilter } from '../../lib/core/filter/filter.ts';
import { openFolder } from '../../lib/embedded/embedded-store.ts';
import { createScan, readWanted } from '../../lib/services/scan-page.ts';
import { encodeRecords, recordBytes } from '../../lib/wire/record.ts';
import { at, idOf, streamName } from '../support/batches.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { range } from '../support/read-steps.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const STREAM = streamName('s');
const STREAM_ID = idOf(1);

type Store = Awaited<ReturnType<typeof openFolder>>;

async function openStore(segmentBytes: number): Promise<Store> {
  const folder = temporaryFolder();
  const store = await openFolder({
    folder: folder.path,
    writer: 'inline',
    clock: createManualClock(0),
    telemetry: {
      error(event, details) {
        throw new Error(event, { cause: details });
      },
    },
    packing: { segmentBytesMin: 0, pieceBytes: 16 * 1024 },
  });
  onTestFinished(async () => {
    await store.close();
    folder[Symbol.dispose]();
  });
  const settings = { segment_max_bytes: segmentBytes };
  await store.catalog.create({ name: STREAM, streamId: STREAM_ID, settings, createdMs: 0 });
  return store;
}

async function publish({ log }: Store, headers: readonly (object | undefined)[]): Promise<void> {
  const records = headers.map((one) => ({
    body: new Uint8Array(Buffer.from('a body')),
    contentType: 'text/plain; charset=utf-8',
    ...(one && { headers: new Uint8Array(Buffer.from(JSON.stringify(one))) }),
  }));
  const bytes = records.reduce((sum, record) => sum + recordBytes(record), 0);
  const batch = {
    count: records.length,
    records: encodeRecords(records),
    bytes,
    jsonChecked: false,
  };
  await log.commit([{ stream: STREAM, timeMs: 0, batch }]);
}

async function found({ log }: Store, filter: MessageFilter): Promise<readonly number[]> {
  const life = new AbortController();
  const scan = createScan(
    { filter, takeTurn: async () => undefined },
    createManualClock(0),
    life.signal,
  );
  const request = { stream: STREAM, streamId: STREAM_ID, limit: 10_000, bytesMax: 1_000_000 };
  const firstBytesMax = Number.POSITIVE_INFINITY;
  const page = await readWanted(log, { ...request, from: at(0), firstBytesMax }, scan);
  return page.chunks.flatMap(({ base, count }) => range(base, base + count));
}

const ofValue = (value: string, matchUnfiltered = false): MessageFilter => ({
  match: 'all',
  parts: [{ kind: 'value', value }],
  matchUnfiltered,
});

async function pack(store: Store): Promise<void> {
  await store.maintenance.run(new AbortController().signal);
  const segments = await store.log.segments({ streamId: STREAM_ID, from: at(0), limit: 1_000 });
  expect(segments.some(({ state }) => state === 'packed')).toBe(true);
}

test('F7: of ten thousand values over forty segments each is found, before packing and after it', async () => {
  const store = await openStore(1);
  const nameOf = (n: number) => `value-${n}`;
  for (const segment of range(0, 40)) {
    const numbers = range(segment * 250, (segment + 1) * 250);
    await publish(
      store,
      numbers.map((n) => ({ 'x-stream-filter-value': nameOf(n) })),
    );
    if (segment === 20) await publish(store, [undefined, undefined]);
  }
  const offsetOf = (n: number) => (n < 21 * 250 ? n : n + 2);
  const check = async () => {
    for (const n of range(0, 40).map((k) => k * 250 + ((k * 37) % 250))) {
      expect(await found(store, ofValue(nameOf(n)))).toEqual([offsetOf(n)]);
    }
    expect(await found(store, ofValue('none', true))).toEqual([5_250, 5_251]);
    expect(await found(store, ofValue('none'))).toEqual([]);
  };
  await check();
  await pack(store);
  await check();
});

test('G2 F7: places on both sides of the antimeridian are found, before packing and after it', async () => {
  const store = await openStore(1);
  const radius = (radiusKm: number): MessageFilter => ({
    match: 'all',
    parts: [{ kind: 'radius', center: { lat: -16.5, lon: 179.9 }, radiusKm }],
    matchUnfiltered: false,
  });
  const check = async () => {
    expect(await found(store, radius(25))).toEqual([0, 1]);
    expect(await found(store, radius(21))).toEqual([0]);
  };
  await publish(store, [
    { 'x-geo-lat': -16.5, 'x-geo-lon': 179.9 },
    { 'x-geo-lat': -16.5, 'x-geo-lon': -179.9 },
  ]);
  for (const _segment of range(0, 3)) await publish(store, [{ 'x-geo-lat': 10, 'x-geo-lon': 10 }]);
  await check();
  await pack(store);
  await check();
});
