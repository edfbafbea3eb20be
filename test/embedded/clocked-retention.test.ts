import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../lib/embedded/database.ts';
import { LogWriter } from '../../lib/embedded/log-writer.ts';
import { at, batchOfSize, idOf, streamName } from '../support/batches.ts';
import { by, create, firstOf, IDLE, NOW, openStore, publish, run } from './maintained-store.ts';

const S = streamName('s');

describe('what is due by the clock', () => {
  const settings = { segment_max_bytes: 10, max_age: 60_000 };

  test('T4: is dropped at the millisecond, without any publish', async () => {
    const store = await openStore();
    await create(store, 1, settings);
    await publish(store, 1, [NOW, NOW + 1, NOW + 2]);

    by(store.clock, 59_999);
    expect(await run(store)).toEqual(IDLE);
    expect(await firstOf(store, 1)).toBe(0);
    by(store.clock, 60_000);
    expect(await run(store)).toEqual({ ...IDLE, done: 1, trimmed: [idOf(1)] });
    expect(await firstOf(store, 1)).toBe(1);
    expect(await run(store)).toEqual(IDLE);
    by(store.clock, 1e6);
    expect(await run(store)).toMatchObject({ done: 1 });
    expect(await firstOf(store, 1)).toBe(2);
    expect(await run(store)).toEqual(IDLE);
  });

  test('T4: is still due after a restart', async () => {
    const store = await openStore();
    await create(store, 1, settings);
    await publish(store, 1, [NOW, NOW + 1, NOW + 2]);
    await store.close();
    const again = await store.open();
    by(store.clock, 60_001);

    expect(await run(again)).toMatchObject({ trimmed: [idOf(1)] });
    expect(await firstOf(again, 1)).toBe(2);
    await again.close();
  });

  test('T5: is what new settings drop, when whoever saved them did not come to it', async () => {
    const store = await openStore();
    await create(store, 1, { segment_max_bytes: 10 });
    await create(store, 2, { segment_max_bytes: 10 });
    for (const number of [1, 2]) await publish(store, number, [1, 2, 3]);
    const change = { settings: { segment_max_bytes: 10, max_length: 1 }, expected: 1 };
    await store.catalog.saveSettings(idOf(1), change);
    await store.close();
    const again = await store.open();

    expect(await run(again)).toEqual({ ...IDLE, done: 1, trimmed: [idOf(1)] });
    expect([await firstOf(again, 1), await firstOf(again, 2)]).toEqual([2, 0]);
    await again.close();
  });

  test('T4: is done for the stream that waits for longest first, until it is told to stop', async () => {
    const store = await openStore();
    for (const number of [1, 2, 3]) await create(store, number, settings);
    await publish(store, 2, [NOW, NOW]);
    await publish(store, 3, [NOW + 10, NOW + 10]);
    await publish(store, 1, [NOW + 20, NOW + 20]);
    by(store.clock, 61_000);
    const stop = new AbortController();
    const { clock } = store;
    // The clock is asked before each look and before each step.
    let asked = 0;
    const nowMs = clock.nowMs;
    clock.nowMs = () => {
      asked++;
      if (asked === 2) stop.abort();
      return nowMs();
    };

    expect(await store.maintenance.run(stop.signal)).toEqual({
      done: 1,
      failed: 0,
      overdueMs: 990,
      trimmed: [idOf(2)],
    });
    expect(await run(store)).toMatchObject({ overdueMs: 0, trimmed: [idOf(3), idOf(1)] });
  });

  test('T13: is nothing of a stream that is gone', async () => {
    const store = await openStore();
    await create(store, 1, settings);
    await publish(store, 1, [NOW, NOW]);
    await store.catalog.remove(streamName('s1'), idOf(1));
    by(store.clock, 1e6);

    expect(await run(store)).toEqual(IDLE);
  });

  test('P8: is seen by readers as soon as it is done', async () => {
    const store = await openStore();
    await create(store, 1, settings);
    await publish(store, 1, [NOW, NOW]);
    const range = { streamId: idOf(1), from: at(0), end: at(2), bytesMax: 1 };
    expect(await store.log.readChunks(range)).toHaveLength(1);
    expect(await firstOf(store, 1)).toBe(0);
    by(store.clock, 60_000);
    await run(store);

    expect(await firstOf(store, 1)).toBe(1);
    expect(await store.log.readChunks(range)).toEqual([]);
  });

  test('T15: is dropped although nothing more can be stored', () => {
    const database = openDatabase(':memory:');
    let isFull = false;
    const writer = new LogWriter(database, {
      checkRoom: () => {
        if (isFull) throw new Error('too little room');
      },
    });
    writer.create({ name: S, streamId: idOf(1), settings, createdMs: 0 });
    const append = { stream: S, batch: batchOfSize(1, 10), timeMs: NOW };
    for (const one of [append, append]) writer.commit([one]);
    isFull = true;

    expect(() => writer.commit([append])).toThrow('too little room');
    expect(writer.retain(idOf(1), NOW + 60_000)).toEqual({ first: 1, dropped: 1 });
    while (writer.sweep());
    expect(database.prepare('SELECT base FROM run').all()).toEqual([{ base: 1 }]);
    database.close();
  });
});
