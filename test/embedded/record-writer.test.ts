import { expect, test } from 'vitest';
import { openDatabase } from '../../lib/embedded/database.ts';
import { LogWriter } from '../../lib/embedded/log-writer.ts';
import { integerOf } from '../../lib/embedded/row-values.ts';
import { idOf, streamName } from '../support/batches.ts';
import { exchangeIdOf, exchangeName, settingsOf } from '../support/exchange-steps.ts';

test.each([
  { size: 1, kept: 1_000 },
  { size: 1_500, kept: 1_500 },
])('M3: a cache of $size keeps $kept records', ({ size, kept }) => {
  const database = openDatabase(':memory:');
  const writer = new LogWriter(database);
  const settings = { header: 'h', cache_size: size, cache_ttl: null };
  const exchangeId = exchangeIdOf(1);
  const entry = { name: exchangeName('e'), exchangeId, createdMs: 0 };
  writer.changeExchange({ kind: 'create', entry: { ...entry, settings: settingsOf('fanout') } });
  const destinations = [{ name: streamName('s'), id: idOf(1) }];
  for (let round = 0; round < 20; round++) {
    const tries = Array.from({ length: 99 }, (_, at) => {
      const value = `${round * 99 + at}`;
      return { value, rid: value.padStart(32, '0'), destinations };
    });
    writer.remember({ exchange: { exchangeId, deduplication: settings }, tries, nowMs: 0 });
  }
  const row = database.prepare('SELECT count(*) AS count FROM routing_record').get();
  expect(row && integerOf(row, 'count')).toBe(kept);
});
