import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../lib/embedded/database.ts';
import { LogWriter } from '../../lib/embedded/log-writer.ts';
import { integerOf } from '../../lib/embedded/row-values.ts';
import { batchWith, idOf, streamName } from '../support/batches.ts';

const S = streamName('s');

function openStore(cacheSize: number) {
  const database = openDatabase(':memory:');
  const writer = new LogWriter(database);
  const settings = { deduplication: { header: 'h', cache_size: cacheSize, cache_ttl: null } };
  writer.create({ name: S, streamId: idOf(1), settings, createdMs: 0 });
  let last = 0;
  const rows = () => {
    const row = database.prepare('SELECT count(*) AS count FROM recorded_value').get();
    return row === undefined ? 0 : integerOf(row, 'count');
  };
  return {
    writer,
    rows,
    resize: (cache_size: number) =>
      writer.saveSettings(idOf(1), {
        settings: { deduplication: { header: 'h', cache_size, cache_ttl: null } },
        expected: 1,
        nowMs: 0,
      }),
    publish: (count: number) => {
      const messages = Array.from({ length: count }, () => ['', { h: last++ }] as const);
      return writer.commit([{ stream: S, batch: batchWith(...messages), timeMs: 0 }]);
    },
  };
}

describe('the rows of values', () => {
  test('M3 M6: are never more than the cache holds', () => {
    const store = openStore(100);
    for (const count of [60, 60, 1, 9_000, 9_000, 1]) store.publish(count);

    expect(store.rows()).toBe(100);
  });

  test('M5: that a smaller cache does not hold go over some commits', () => {
    const store = openStore(100_000);
    for (let round = 0; round < 60; round++) store.publish(99);
    expect(store.rows()).toBe(5_940);
    store.resize(10);
    store.publish(1);
    const after = store.rows();
    for (let round = 0; round < 3; round++) store.publish(1);

    expect(after).toBeGreaterThan(3_000);
    expect(after).toBeLessThan(4_500);
    expect(store.rows()).toBe(10);
  });

  test('T13: go with their stream', () => {
    const store = openStore(100_000);
    for (let round = 0; round < 30; round++) store.publish(99);
    store.writer.remove(S, idOf(1));
    let steps = 0;
    while (store.writer.sweep()) steps++;

    expect(store.rows()).toBe(0);
    expect(steps).toBeGreaterThan(2);
  });
});
