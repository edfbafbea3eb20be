/** What filtered readers cost: no more than readers of everything, and bounded for each page. */
import { beforeEach, expect, test } from 'vitest';
import { createScan, readWanted } from '../../../lib/services/scan-page.ts';
import { OPERATION_UNITS, sumUnits } from '../../../scripts/cost/operation-units.ts';
import { at } from '../../support/batches.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { type CountedStore, openStream, publishTimes, STREAM, STREAM_ID } from './counted-store.ts';

const { tailRead, newChunk } = OPERATION_UNITS;
const PAGE = {
  stream: STREAM,
  streamId: STREAM_ID,
  limit: 1_000,
  bytesMax: 1024 * 1024,
  firstBytesMax: Number.POSITIVE_INFINITY,
};
const FILTER = {
  match: 'all',
  parts: [{ kind: 'value', value: 'none' }],
  matchUnfiltered: false,
} as const;

let store: CountedStore;
beforeEach(async () => {
  store = await openStream();
  await publishTimes(store, 5);
});

function scanCost(reader: CountedStore, from: number) {
  const scan = createScan(
    { filter: FILTER, takeTurn: async () => undefined },
    createManualClock(0),
    new AbortController().signal,
  );
  return reader.costOf(() => readWanted(reader.log, { ...PAGE, from: at(from) }, scan));
}

async function readerOf(): Promise<CountedStore> {
  const reader = store.another();
  await reader.log.tail(STREAM);
  return reader;
}

test('a look that finds nothing new is one read unit and no GET', async () => {
  expect(await scanCost(await readerOf(), 5)).toEqual(tailRead);
});

test.each([1, 3, 10])('%i new chunks are as many GETs and one read unit', async (chunks) => {
  const reader = await readerOf();
  await publishTimes(store, chunks);

  expect(await scanCost(reader, 5)).toEqual(
    sumUnits([
      [tailRead, 1],
      [newChunk, chunks],
    ]),
  );
});
