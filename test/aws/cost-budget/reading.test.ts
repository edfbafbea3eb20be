/** What readers cost, by the pages that they read (services/read-page): looks at the table, and GETs. */
import { beforeEach, describe, expect, test } from 'vitest';
import { createPrometheusMeter } from '../../../lib/http/prometheus-meter.ts';
import { createLocalWaker } from '../../../lib/process/local-waker.ts';
import { createSystemRandom } from '../../../lib/process/system-random.ts';
import { createComponents } from '../../../lib/services/create-components.ts';
import { createLogMetrics } from '../../../lib/services/log-metrics.ts';
import { readMessages } from '../../../lib/services/read-messages.ts';
import { type PageRequest, readPage } from '../../../lib/services/read-page.ts';
import { OPERATION_UNITS, sumUnits, type Units } from '../../../scripts/cost/operation-units.ts';
import { at, batchOfSize } from '../../support/batches.ts';
import {
  type CountedStore,
  openStream,
  publishEach,
  publishTimes,
  STREAM,
  STREAM_ID,
} from './counted-store.ts';

const { firstContact, tailRead, newChunk, historyPage } = OPERATION_UNITS;
const KIB = 1024;
/** As requests have it unless they say otherwise. */
const PAGE = {
  stream: STREAM,
  streamId: STREAM_ID,
  limit: 1_000,
  bytesMax: KIB * KIB,
  firstBytesMax: Number.POSITIVE_INFINITY,
};

function pageCost(
  store: CountedStore,
  request: Partial<PageRequest> & { from: PageRequest['from'] },
) {
  return store.costOf(() => readPage(store.log, { ...PAGE, ...request }));
}

/** A process that has seen the stream, but none of its chunks. */
async function readerOf(store: CountedStore): Promise<CountedStore> {
  const reader = store.another();
  await reader.log.tail(STREAM);
  return reader;
}

describe('at the tail', () => {
  let store: CountedStore;
  beforeEach(async () => {
    store = await openStream();
    await publishTimes(store, 5);
  });

  test('a look that finds nothing new is one read unit and no GET', async () => {
    const reader = await readerOf(store);

    expect(await pageCost(reader, { from: at(5) })).toEqual(tailRead);
  });

  test('the first look of a process reads the settings too', async () => {
    expect(await pageCost(store.another(), { from: at(5) })).toEqual(firstContact);
  });

  test.each([1, 3, 10])('%i new chunks are as many GETs and one read unit', async (chunks) => {
    const reader = await readerOf(store);
    await publishTimes(store, chunks);

    expect(await pageCost(reader, { from: at(5) })).toEqual(
      sumUnits([
        [tailRead, 1],
        [newChunk, chunks],
      ]),
    );
  });

  test('chunks that the process has are not fetched again', async () => {
    const reader = await readerOf(store);
    await pageCost(reader, { from: at(0) });

    expect(await pageCost(reader, { from: at(0) })).toEqual(tailRead);
  });

  test('two readers of a process that ask at the same time share the GETs', async () => {
    const reader = await readerOf(store);

    const { gets } = await reader.costOf(() =>
      Promise.all([pageCost(reader, { from: at(0) }), pageCost(reader, { from: at(0) })]),
    );

    expect(gets).toBe(5);
  });

  test('a whole request that finds nothing new is one read unit, too', async () => {
    const reader = await readerOf(store);

    expect(await requestCost(reader, 5)).toEqual(tailRead);
  });
});

describe('a page of history', () => {
  /** Of {@link CHUNKS} chunks all but the last few have left the tail. */
  const CHUNKS = 40;

  async function openHistory(messages: number): Promise<CountedStore> {
    const store = await openStream();
    const batch = batchOfSize(messages, KIB - 64);
    await publishEach(
      store,
      Array.from({ length: CHUNKS }, () => ({ batch })),
    );
    return await readerOf(store);
  }

  /** As many GETs as chunks that hold what was asked for, and no more read units than the budget has. */
  function expectPage(cost: Units, chunks: number): void {
    expect(cost).toEqual({ ...historyPage, gets: chunks, readUnits: expect.any(Number) });
    expect(cost.readUnits).toBeLessThanOrEqual(historyPage.readUnits);
  }

  test.each([
    ['in the tail', 36, 1],
    ['in the index', 10, 1],
    ['at the beginning', 0, 1],
  ])('%s that is one chunk', async (_where, chunk, chunks) => {
    const reader = await openHistory(1_000);

    expectPage(await pageCost(reader, { from: at(chunk * 1_000) }), chunks);
  });

  test('of ten chunks in two index items', async () => {
    const reader = await openHistory(100);

    expectPage(await pageCost(reader, { from: at(1_000), limit: 1_000 }), 10);
  });

  test('that begins in the middle of a chunk', async () => {
    const reader = await openHistory(100);

    expectPage(await pageCost(reader, { from: at(1_050), limit: 100 }), 2);
  });

  test('of one message fetches the chunk that holds it', async () => {
    const reader = await openHistory(1);

    expectPage(await pageCost(reader, { from: at(3), limit: 1 }), 1);
  });

  test('of as many small chunks as there are', async () => {
    const reader = await openHistory(1);

    expectPage(await pageCost(reader, { from: at(0) }), CHUNKS);
  });
});

describe('a time', () => {
  test.each([100, 1_000])('is found among %i chunks by halving, and one GET', async (chunks) => {
    const store = await openStream();
    const startMs = store.clock.nowMs();
    await publishTimes(store, chunks);
    const reader = await readerOf(store);
    const query = { streamId: STREAM_ID, first: at(0), next: at(chunks) };

    for (const share of [0, 0.3, 0.7]) {
      const timeMs = startMs + Math.ceil(share * chunks);
      const { gets, readUnits } = await reader.costOf(() =>
        reader.log.findTime({ ...query, timeMs }),
      );
      expect(gets).toBe(1);
      expect(readUnits).toBeLessThanOrEqual(tailRead.readUnits + Math.ceil(Math.log2(chunks)) + 1);
    }
  });

  test('that is not there yet costs nothing: the tail that the reader has just seen tells', async () => {
    const store = await openStream();
    await publishTimes(store, 100);
    const reader = await readerOf(store);
    const timeMs = store.clock.nowMs() + 1;

    const cost = await reader.costOf(() =>
      reader.log.findTime({ streamId: STREAM_ID, first: at(0), next: at(100), timeMs }),
    );

    expect(cost).toEqual(sumUnits([]));
  });
});

/** As a request reads, from finding the stream to its page. */
async function requestCost(store: CountedStore, from: number): Promise<Units> {
  const waker = createLocalWaker();
  const components = createComponents({
    store: { ...store, waker },
    clock: store.clock,
    random: createSystemRandom(),
    metrics: createLogMetrics(createPrometheusMeter()),
    defer: setImmediate,
  });
  const request = {
    stream: STREAM,
    position: { kind: 'offset' as const, offset: at(from) },
    from: String(from),
    onGap: 'continue' as const,
    onFuture: 'clamp' as const,
    limit: PAGE.limit,
    bytesMax: PAGE.bytesMax,
    waitMs: 0,
  };
  return await store.costOf(() => readMessages(components, request, new AbortController().signal));
}
