import { describe, expect, onTestFinished, test } from 'vitest';
import { openMemory } from '../../lib/embedded/embedded-store.ts';
import type { ChunkRange, LogStore } from '../../lib/ports/log-store.ts';
import { LostMessages, StoreError } from '../../lib/ports/store-error.ts';
import { createSystemClock } from '../../lib/process/system-clock.ts';
import type { PageRequest } from '../../lib/services/read-page.ts';
import { createScan, readWanted } from '../../lib/services/scan-page.ts';
import { encodeRecords } from '../../lib/wire/record.ts';
import {
  append,
  bodiesOf,
  createStream,
  publish,
  STREAM,
  STREAM_ID,
} from '../contract/contract-steps.ts';
import { at, batchOfSize, idOf } from '../support/batches.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { range } from '../support/read-steps.ts';

const MIB = 1024 * 1024;
const REQUEST: PageRequest = {
  stream: STREAM,
  streamId: STREAM_ID,
  from: at(0),
  limit: 100,
  bytesMax: 1_000,
  firstBytesMax: Number.POSITIVE_INFINITY,
};
const FILTER = {
  match: 'all',
  parts: [{ kind: 'value', value: 'foo' }],
  matchUnfiltered: false,
} as const;

/** A chunk of messages that are named by their body: those in upper case match. */
function chunkOf(...bodies: readonly string[]) {
  const records = bodies.map((body) => ({
    body: new Uint8Array(Buffer.from(body)),
    contentType: 'text/plain; charset=utf-8',
    ...(body === body.toUpperCase() && {
      headers: new Uint8Array(Buffer.from('{"x-stream-filter-value":"foo"}')),
    }),
  }));
  return append({
    count: bodies.length,
    records: encodeRecords(records),
    bytes: 40,
    jsonChecked: false,
  });
}

async function openStream() {
  const store = openMemory({ clock: createSystemClock() });
  onTestFinished(() => store.close());
  await createStream(store);
  await publish(store, chunkOf('a', 'B'), chunkOf('c'), chunkOf('D', 'E', 'f'), chunkOf('g', 'H'));
  return store;
}

interface Around {
  readonly clock?: ManualClock;
  readonly life?: AbortController;
}

function scanning(
  log: LogStore,
  request: Partial<PageRequest> = {},
  { clock = createManualClock(0), life = new AbortController() }: Around = {},
) {
  let turns = 0;
  const takeTurn = async () => {
    turns++;
  };
  const scan = createScan({ filter: FILTER, takeTurn }, clock, life.signal);
  const page = readWanted(log, { ...REQUEST, ...request }, scan);
  return { page, turns: () => turns };
}

const scan = (log: LogStore, request: Partial<PageRequest> = {}) => scanning(log, request).page;

/** The log, and what it was asked for. */
function watched(log: LogStore, chunks: LogStore['scanChunks'] = log.scanChunks) {
  const asked: ChunkRange[] = [];
  const scanChunks: LogStore['scanChunks'] = (one, filter) => {
    asked.push(one);
    return chunks(one, filter);
  };
  return { log: { ...log, scanChunks }, asked };
}

describe('a page of what matches', () => {
  test('F7: has a chunk for each run of matches', async () => {
    const { log } = await openStream();
    const page = await scan(log);

    expect(page).toMatchObject({ count: 4, next: 8, ended: 'chunks' });
    expect(page.chunks.map(({ base, count }) => [base, count])).toEqual([
      [1, 1],
      [3, 2],
      [7, 1],
    ]);
    expect(bodiesOf(page.chunks)).toEqual(['B', 'D', 'E', 'H']);
    expect(page.bytes).toBe(page.chunks.reduce((sum, { bytes }) => sum + bytes, 0));
  });

  test('F7: passes a chunk that matches as a whole on untouched', async () => {
    const { log } = await openStream();
    const { batch } = chunkOf('B', 'C', 'D', 'E', 'F', 'G', 'H', 'I');
    const whole = { ...batch, base: at(0), timeMs: 0 };
    const { log: given } = watched(log, async () => ({ chunks: [whole], end: at(8) }));

    expect((await scan(given)).chunks[0]).toBe(whole);
  });

  test.each([
    [1, ['B'], 2, 'limit'],
    [3, ['B', 'D', 'E'], 5, 'limit'],
    [4, ['B', 'D', 'E', 'H'], 8, 'limit'],
    [5, ['B', 'D', 'E', 'H'], 8, 'chunks'],
  ] as const)('LR4: with a limit of %d is %j', async (...[limit, bodies, next, ended]) => {
    const { log } = await openStream();
    const page = await scan(log, { limit });

    expect(bodiesOf(page.chunks)).toEqual(bodies);
    expect(page).toMatchObject({ next, ended });
  });

  test.each([
    [1, ['B'], 3],
    [32 * 2, ['B', 'D'], 4],
    [32 * 3, ['B', 'D', 'E'], 7],
  ] as const)('LR4: of at most %d bytes is %j', async (bytesMax, bodies, next) => {
    const { log } = await openStream();
    const page = await scan(log, { bytesMax });

    expect(bodiesOf(page.chunks)).toEqual(bodies);
    expect(page).toMatchObject({ next, ended: 'bytes' });
  });

  test('LR4: without room for a first message is empty, and ends before it', async () => {
    const { log } = await openStream();

    expect(await scan(log, { bytesMax: 1, firstBytesMax: 1 })).toMatchObject({
      count: 0,
      next: 1,
      ended: 'bytes',
    });
  });
});

describe('how much is looked at', () => {
  const rounds = async (log: LogStore) => {
    const { log: seen, asked } = watched(log);
    const { page, turns } = scanning(seen);
    return { page: await page, asked, turns: turns() };
  };

  test('F7: a page ends behind 32 MiB, in rounds that begin small, others served in between', async () => {
    const store = openMemory({ clock: createSystemClock() });
    onTestFinished(() => store.close());
    await createStream(store);
    for (const _publish of range(0, 40)) await publish(store, append(batchOfSize(4, MIB / 4)));
    const { page, asked, turns } = await rounds(store.log);

    expect(page).toMatchObject({ count: 0, next: 128, ended: 'scan' });
    expect(asked[0]?.bytesMax).toBe(64 * 1024);
    expect(Math.max(...asked.map(({ bytesMax }) => bytesMax))).toBe(MIB);
    expect(turns).toBe(asked.length - 1);
    expect((await scan(store.log, { from: page.next })).next).toBe(160);
  });

  test('F7: a page ends behind 64 rounds, although nothing was worth a look', async () => {
    const { log } = await openStream();
    await publish({ log, catalog: (await openStream()).catalog }, append(batchOfSize(100, 1)));
    const oneByOne = watched(log, async ({ from }) => ({ chunks: [], end: at(from + 1) }));

    expect(await scan(oneByOne.log)).toMatchObject({ next: 64, ended: 'scan' });
    expect(oneByOne.asked).toHaveLength(64);
  });

  test('F7: a page ends behind two seconds, however little was looked at by then', async () => {
    const { log } = await openStream();
    const clock = createManualClock(0);
    const slow = watched(log, async ({ from }) => {
      await clock.advance(700);
      return { chunks: [], end: at(from + 1) };
    });

    expect(await scanning(slow.log, {}, { clock }).page).toMatchObject({ next: 3, ended: 'scan' });
    expect(slow.asked).toHaveLength(3);
  });

  test('LR5: nothing more when the reader went away', async () => {
    const { log } = await openStream();
    const life = new AbortController();
    const leaving = watched(log, async ({ from }) => {
      life.abort();
      return { chunks: [], end: at(from + 1) };
    });
    const { page } = scanning(leaving.log, {}, { life });

    expect(await page).toMatchObject({ count: 0, next: 1, ended: 'scan' });
    expect(leaving.asked).toHaveLength(1);
  });
});

describe('what is gone', () => {
  test('O16: while it looks ends the page, and the next begins with the gap', async () => {
    const { log } = await openStream();
    const racing = watched(log, async (one, filter) => {
      if (one.from === 2) await log.trim(STREAM_ID, at(5));
      return await log.scanChunks({ ...one, end: at(one.from === 0 ? 2 : one.end) }, filter);
    });
    const first = await scan(racing.log);
    const second = await scan(racing.log, { from: first.next });

    expect(bodiesOf(first.chunks)).toEqual(['B']);
    expect(first).toMatchObject({ next: 2, ended: 'scan' });
    expect(second.gap).toEqual({ requested: 2, firstAvailable: 5, missing: 3 });
    expect(bodiesOf(second.chunks)).toEqual(['H']);
  });

  test('O16: before it begins is a gap, however often', async () => {
    const { log } = await openStream();
    let times = 0;
    const racing = watched(log, async (one, filter) => {
      if (times < 3) await log.trim(STREAM_ID, at(++times));
      return await log.scanChunks(one, filter);
    });
    const page = await scan(racing.log);

    expect(page.gap).toEqual({ requested: 0, firstAvailable: 3, missing: 3 });
    expect(bodiesOf(page.chunks)).toEqual(['D', 'E', 'H']);
  });

  test('O16: although nobody dropped it is told exactly', async () => {
    const { log } = await openStream();
    const losing = watched(log, async (one, filter) => {
      if (one.from === 2) throw new LostMessages('a chunk', { start: at(2), end: at(6) });
      return await log.scanChunks({ ...one, end: at(one.from === 0 ? 2 : one.end) }, filter);
    });
    const first = await scan(losing.log);
    const second = await scan(losing.log, { from: first.next });

    expect(first).toMatchObject({ next: 2, ended: 'scan' });
    expect(second).toMatchObject({
      count: 0,
      next: 6,
      gap: { requested: 2, firstAvailable: 6, missing: 4 },
    });
    expect(bodiesOf((await scan(losing.log, { from: second.next })).chunks)).toEqual(['H']);
  });

  test('O17: and retained is an error, never a jump', async () => {
    const { log } = await openStream();
    const lost = watched(log, async ({ from }) => ({ chunks: [], end: from }));
    const failure = await scan(lost.log, { from: at(3) }).catch((error) => error);

    expect(failure).toBeInstanceOf(StoreError);
    expect(failure.message).toContain('from offset 3');
    expect(lost.asked).toHaveLength(2);
  });

  test('T13: with its stream is refused', async () => {
    const { log } = await openStream();

    await expect(scan(log, { streamId: idOf(2) })).rejects.toMatchObject({
      code: 'stream_not_found',
    });
  });
});
