import { describe, expect, onTestFinished, test } from 'vitest';
import { openMemory } from '../../lib/embedded/embedded-store.ts';
import type { LogStore } from '../../lib/ports/log-store.ts';
import { LostMessages, StoreError } from '../../lib/ports/store-error.ts';
import { createSystemClock } from '../../lib/process/system-clock.ts';
import { type PageRequest, readPage } from '../../lib/services/read-page.ts';
import {
  append,
  bodiesOf,
  createStream,
  publish,
  STREAM,
  STREAM_ID,
} from '../contract/contract-steps.ts';
import { at, idOf } from '../support/batches.ts';

const REQUEST: PageRequest = {
  stream: STREAM,
  streamId: STREAM_ID,
  from: at(0),
  limit: 100,
  bytesMax: 1_000,
  firstBytesMax: Number.POSITIVE_INFINITY,
};

/** A stream of five chunks: `a`, `b c`, `d`, `e`, `f`. */
async function openStream() {
  const store = openMemory({ clock: createSystemClock() });
  onTestFinished(() => store.close());
  await createStream(store);
  const parts = [['a'], ['b', 'c'], ['d'], ['e'], ['f']];
  await publish(store, ...parts.map((bodies) => append(bodies)));
  return store;
}

/** The log, and something that happens just before each reading of messages. */
function beforeReading(log: LogStore, happen: (time: number) => Promise<unknown>): LogStore {
  let times = 0;
  return {
    ...log,
    readChunks: async (range) => {
      await happen(++times);
      return await log.readChunks(range);
    },
  };
}

test('O4: a page begins where it is asked to', async () => {
  const { log } = await openStream();
  const page = await readPage(log, { ...REQUEST, from: at(2), limit: 3 });

  expect(bodiesOf(page.chunks)).toEqual(['c', 'd', 'e']);
  expect(page).toMatchObject({ count: 3, bytes: 3, next: 5, ended: 'limit' });
  expect(page).not.toHaveProperty('gap');
});

test.each([6, 7])('O6: at %d there is nothing, and nothing is read', async (from) => {
  const { log } = await openStream();
  const blind = { ...log, readChunks: () => Promise.reject(new Error('read')) };

  expect(await readPage(blind, { ...REQUEST, from: at(from) })).toMatchObject({
    chunks: [],
    count: 0,
    next: from,
    ended: 'chunks',
  });
});

describe('what was trimmed', () => {
  test('O5: before is a gap that the page begins behind', async () => {
    const { log } = await openStream();
    await log.trim(STREAM_ID, at(2));
    const page = await readPage(log, { ...REQUEST, from: at(1) });

    expect(page.gap).toEqual({ requested: 1, firstAvailable: 2, missing: 1 });
    expect(bodiesOf(page.chunks)).toEqual(['c', 'd', 'e', 'f']);
  });

  test('O16: between the two readings is a gap too', async () => {
    const { log } = await openStream();
    const racing = beforeReading(log, async (time) => {
      if (time === 1) await log.trim(STREAM_ID, at(4));
    });
    const page = await readPage(racing, REQUEST);

    expect(page.gap).toEqual({ requested: 0, firstAvailable: 4, missing: 4 });
    expect(bodiesOf(page.chunks)).toEqual(['e', 'f']);
    expect(page.state.first).toBe(4);
  });

  test('O16: again and again, before each reading, is one gap in the end', async () => {
    const { log } = await openStream();
    const racing = beforeReading(log, (time) => log.trim(STREAM_ID, at(Math.min(time + 1, 5))));
    const page = await readPage(racing, { ...REQUEST, from: at(1) });

    expect(page.gap).toEqual({ requested: 1, firstAvailable: 5, missing: 4 });
    expect(bodiesOf(page.chunks)).toEqual(['f']);
  });

  test('O5 T12: to the last message is a gap without messages', async () => {
    const { log } = await openStream();
    const racing = beforeReading(log, () => log.trim(STREAM_ID, 'next'));

    expect(await readPage(racing, { ...REQUEST, from: at(3) })).toMatchObject({
      chunks: [],
      count: 0,
      next: 6,
      gap: { requested: 3, firstAvailable: 6, missing: 3 },
    });
  });
});

describe('what is retained but not found', () => {
  test('O17: is an error that names the place, never a jump', async () => {
    const { log } = await openStream();
    let readings = 0;
    const lost: LogStore = {
      ...log,
      readChunks: async () => {
        readings++;
        return [];
      },
    };
    const failure = await readPage(lost, { ...REQUEST, from: at(3) }).catch((error) => error);

    expect(failure).toBeInstanceOf(StoreError);
    expect(failure).toMatchObject({ kind: 'corrupt', sideEffects: 'none' });
    expect(failure.message).toContain(`from offset 3 of stream ${STREAM_ID}`);
    expect(readings).toBe(2);
  });

  test('O17: may be found at the next try', async () => {
    const { log } = await openStream();
    let readings = 0;
    const late: LogStore = {
      ...log,
      readChunks: async (range) => (++readings === 1 ? [] : await log.readChunks(range)),
    };

    expect(bodiesOf((await readPage(late, REQUEST)).chunks)).toHaveLength(6);
  });
});

describe('a stream that is gone', () => {
  const missing = { code: 'stream_not_found', details: { stream: STREAM } };

  test('T13: is refused', async () => {
    const { log, catalog } = await openStream();
    await catalog.remove(STREAM, STREAM_ID);

    await expect(readPage(log, REQUEST)).rejects.toMatchObject(missing);
  });

  test('T13: is refused also when there is another one of its name', async () => {
    const { log } = await openStream();

    await expect(readPage(log, { ...REQUEST, streamId: idOf(2) })).rejects.toMatchObject(missing);
  });

  test('T13: is refused when it goes between the two readings', async () => {
    const { log, catalog } = await openStream();
    const racing = beforeReading(log, () => catalog.remove(STREAM, STREAM_ID));

    await expect(readPage(racing, REQUEST)).rejects.toMatchObject(missing);
  });
});

test('O16: messages that are lost are a gap over exactly those, and reading goes on behind them', async () => {
  const { log } = await openStream();
  const losing: LogStore = {
    ...log,
    readChunks: async (range) => {
      if (range.from >= 1 && range.from < 3) {
        throw new LostMessages('a chunk', { start: range.from, end: at(3) });
      }
      const chunks = await log.readChunks(range);
      return chunks.filter(({ base }) => base !== 1).slice(0, range.from < 1 ? 1 : undefined);
    },
  };

  const before = await readPage(losing, REQUEST);
  expect(bodiesOf(before.chunks)).toEqual(['a']);
  expect(before.gap).toBeUndefined();
  const lost = await readPage(losing, { ...REQUEST, from: before.next });
  expect(lost).toMatchObject({
    chunks: [],
    next: 3,
    gap: { requested: 1, firstAvailable: 3, missing: 2 },
  });
  expect(bodiesOf((await readPage(losing, { ...REQUEST, from: lost.next })).chunks)).toEqual([
    'd',
    'e',
    'f',
  ]);
});
