/** What it costs that an exchange remembers values: two write units for a new one, and four for each destination. */
import { expect, test } from 'vitest';
import { OPERATION_UNITS } from '../../../scripts/cost/operation-units.ts';
import { exchangeIdOf } from '../../support/exchange-steps.ts';
import { appendTo, type CountedStore, openStream, STREAM, STREAM_ID } from './counted-store.ts';

const { rememberValue, publishRemembered } = OPERATION_UNITS;

const exchange = {
  exchangeId: exchangeIdOf(1),
  deduplication: { header: 'h', cache_size: 1_000, cache_ttl: null },
};
const destinations = [{ name: STREAM, id: STREAM_ID }];
const tries = (values: readonly string[]) =>
  values.map((value, at) => ({ value, rid: `${at}`.padStart(32, '0'), destinations }));
const remember = ({ exchanges }: CountedStore, ...values: readonly string[]) =>
  exchanges.remember(exchange, tries(values), 1_000);

/** One message that carries all of these values, which is as many notes as if there were one for each. */
async function commit(store: CountedStore, ...values: readonly string[]) {
  const records = (await remember(store, ...values)) ?? [];
  const claims = values.map((value, at) => {
    const rid = records[at]?.rid ?? '';
    return { exchangeId: exchange.exchangeId, value, rid, index: 0 };
  });
  const append = { ...appendTo(store), ifStreamId: STREAM_ID, records: claims };
  return await store.costOf(() => store.log.commit([append]));
}

test('M5: a new value is two writes, one that is known a look', async () => {
  const store = await openStream();
  expect(await store.costOf(() => remember(store, 'A'))).toEqual(rememberValue);
  const look = { ...rememberValue, writeUnits: 0 };
  expect(await store.costOf(() => remember(store, 'A'))).toEqual(look);
});

test('M1: ninety-nine of them share the count', async () => {
  const store = await openStream();
  const values = Array.from({ length: 99 }, (_, at) => `v${at}`);
  const { writeUnits } = await store.costOf(() => remember(store, ...values));
  expect(writeUnits).toBe(100);
});

test('M5: a destination is one transaction over its tail and the record', async () => {
  const store = await openStream();
  await commit(store, 'A');
  expect(await commit(store, 'B')).toEqual(publishRemembered);
  const { writeUnits } = publishRemembered;
  expect(await commit(store, 'C', 'D')).toEqual({
    ...publishRemembered,
    writeUnits: writeUnits + 2,
  });
});
