/** What it costs to pack segments, to remove what their index said, and to read what was packed. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { StreamSettings } from '../../../lib/core/log/settings.ts';
import { readPage } from '../../../lib/services/read-page.ts';
import { OPERATION_UNITS, sumUnits } from '../../../scripts/cost/operation-units.ts';
import { at, batchOf } from '../../support/batches.ts';
import { type CountedStore, openStream, publishEach, STREAM, STREAM_ID } from './counted-store.ts';

const { keepSegments, packSegment, packPiece, newChunk, nextPackedPage, packedPage } =
  OPERATION_UNITS;
const {
  auditSample,
  dropSegment,
  keepChangedLimit,
  removalPass,
  removeIndexItem,
  removeSegment,
  upkeepPass,
  tailRead,
} = OPERATION_UNITS;
const [FIVE_SECONDS_MS, HOUR_MS] = [5_000, 3_600_000];
const MIB = 1024 * 1024;

const run = (store: CountedStore) => store.maintenance.run(new AbortController().signal);
/** One that finds something looks again behind it. */
const LOOKS = [upkeepPass, 2] as const;

/** So many publishes in each of so many segments, and one that opened the next. */
async function openSegments({
  segments = 1,
  publishes,
  settings = {},
  chance = 'unlikely',
}: {
  readonly segments?: number;
  readonly publishes: number;
  readonly settings?: StreamSettings;
  readonly chance?: 'likely' | 'unlikely';
}) {
  const batch = batchOf('x'.repeat(100));
  const store = await openStream(
    { segment_max_bytes: publishes * batch.bytes, ...settings },
    chance,
  );
  const all = Array.from({ length: segments * publishes + 1 }, () => ({ batch }));
  await publishEach(store, all);
  return store;
}

async function pack(store: CountedStore): Promise<CountedStore> {
  await store.clock.advance(FIVE_SECONDS_MS);
  await run(store);
  return store;
}

describe('a segment', () => {
  test.each([1, 16, 32, 145])('of %i publishes is packed by one PUT', async (publishes) => {
    const store = await openSegments({ publishes });
    await store.clock.advance(FIVE_SECONDS_MS);
    const items = Math.ceil(publishes / 16);

    expect(await store.costOf(() => run(store))).toEqual(
      sumUnits([
        LOOKS,
        [keepSegments, 1],
        [packSegment, 1],
        [packPiece, 1],
        [newChunk, publishes],
        // Those behind the first are one more read.
        [tailRead, items > 1 ? 1 : 0],
      ]),
    );
  });

  test.each([1, 16, 32, 160])('of %i publishes has its index removed', async (publishes) => {
    const store = await pack(await openSegments({ publishes }));
    await store.clock.advance(2 * HOUR_MS);

    expect(await store.costOf(() => run(store))).toEqual(
      sumUnits([LOOKS, [removalPass, 1], [removeIndexItem, Math.ceil(publishes / 16)]]),
    );
    expect(store.objects.names()).toHaveLength(2);
  });

  test('is looked into now and then', async () => {
    const store = await pack(await openSegments({ publishes: 16, chance: 'likely' }));
    await store.clock.advance(2 * HOUR_MS);

    expect(await store.costOf(() => run(store))).toEqual(
      sumUnits([LOOKS, [removalPass, 1], [removeIndexItem, 1], [auditSample, 1]]),
    );
  });

  test('that has nothing to be done is looked at', async () => {
    const store = await pack(await openSegments({ publishes: 16 }));
    await store.clock.advance(2 * HOUR_MS);
    await run(store);
    await store.log.tail(STREAM);
    await store.catalog.saveSettings(STREAM_ID, { settings: {}, expected: 1 });
    await store.clock.advance(FIVE_SECONDS_MS);

    expect(await store.costOf(() => run(store))).toEqual(
      sumUnits([LOOKS, [keepSegments, 1], [keepChangedLimit, 1]]),
    );
  });

  test('that reached its age is dropped, and then removed', async () => {
    const store = await pack(await openSegments({ publishes: 16, settings: { max_age: HOUR_MS } }));
    await store.clock.advance(HOUR_MS - FIVE_SECONDS_MS);
    const dropped = await store.costOf(() => run(store));
    expect(dropped).toEqual(sumUnits([LOOKS, [keepSegments, 1], [dropSegment, 1]]));

    await store.clock.advance(2 * HOUR_MS);
    const { writeUnits } = await store.costOf(() => run(store));
    const removed = [removalPass, removeIndexItem, removeSegment];
    expect(writeUnits).toBe(sumUnits(removed.map((each) => [each, 1])).writeUnits);
  });
});

describe('a packed segment', () => {
  const read = (reader: CountedStore, from: number, limit = 16) =>
    readPage(reader.log, {
      stream: STREAM,
      streamId: STREAM_ID,
      from: at(from),
      limit,
      bytesMax: MIB,
      firstBytesMax: Number.POSITIVE_INFINITY,
    });

  /** A process that has seen the stream, but nothing of what it holds. */
  async function readerOf(store: CountedStore): Promise<CountedStore> {
    const reader = store.another();
    await reader.log.tail(STREAM);
    return reader;
  }

  test('is read by two GETs and two read units, and then by nothing but the look', async () => {
    const reader = await readerOf(await pack(await openSegments({ publishes: 32 })));

    expect(await reader.costOf(() => read(reader, 5))).toEqual(packedPage);
    expect(await reader.costOf(() => read(reader, 9))).toEqual(tailRead);
  });

  test('of 64 MiB is read by a GET for each MiB, and one for each index', async () => {
    const store = await openStream();
    const chunks = Array.from({ length: 4 * 64 + 1 }, () => randomBytes(MIB / 4));
    await publishEach(
      store,
      chunks.map((bytes) => ({ batch: batchOf(bytes) })),
    );
    const reader = await readerOf(await pack(store));
    const pieces = store.objects.names().filter((name) => name.includes('/s/')).length;
    let [from, pages] = [0, 0];

    const cost = await reader.costOf(async () => {
      while (from < 256) {
        const page = await reader.costOf(async () => {
          from = (await read(reader, from)).next;
        });
        if (pages === 1)
          expect(page).toEqual(
            sumUnits([
              [nextPackedPage, 1],
              [tailRead, 1],
            ]),
          );
        pages++;
      }
    });
    expect([pages, pieces]).toEqual([64, 3]);
    expect(cost.gets).toBe(pages + pieces);
    expect(cost.readUnits).toBeLessThanOrEqual(pages + packedPage.readUnits);
  });

  test('and those that follow on it are found by one query', async () => {
    const reader = await readerOf(await pack(await openSegments({ segments: 4, publishes: 16 })));
    await read(reader, 0);
    const { readUnits } = await reader.costOf(() => read(reader, 16));
    expect(readUnits).toBe(tailRead.readUnits + 1);

    for (const from of [32, 48]) {
      const { readUnits: next } = await reader.costOf(() => read(reader, from));
      expect(next).toBe(tailRead.readUnits);
    }
  });
});
