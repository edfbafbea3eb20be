/** What it costs to bind, to unbind and to route. None of it touches S3, and none of it the tails of streams. */
import { expect, test } from 'vitest';
import { bindingPartition } from '../../../lib/aws/table-key.ts';
import { OPERATION_UNITS } from '../../../scripts/cost/operation-units.ts';
import {
  binding,
  exchangeIdOf,
  exchangeName,
  settingsOf,
  toExchange,
  toStream,
} from '../../support/exchange-steps.ts';
import { type CountedStore, openStream, STREAM, STREAM_ID } from './counted-store.ts';

const { declareExchange, deleteExchange, bind, unbind, routeByExchange } = OPERATION_UNITS;

const times = ({ readUnits, ...units }: typeof routeByExchange, count: number) => ({
  ...units,
  readUnits: readUnits * count,
});

function entryOf(name: string, number: number) {
  return {
    name: exchangeName(name),
    exchangeId: exchangeIdOf(number),
    settings: settingsOf('topic'),
    createdMs: 1,
  };
}

const TO_STREAM = toStream(STREAM, STREAM_ID);

/** A chain of so many exchanges, with the stream at its end. */
async function openChain(length: number) {
  const store = await openStream();
  const chain = Array.from({ length }, (_, at) => entryOf(`e${at}`, at + 1));
  for (const entry of chain) await store.exchanges.create(entry);
  for (const [at, entry] of chain.entries()) {
    const next = chain[at + 1];
    const to = next === undefined ? TO_STREAM : toExchange(next.name, next.exchangeId);
    await store.exchanges.bind(entry, binding(to, '#'));
  }
  return store;
}

const route = ({ exchanges }: CountedStore) => exchanges.routes(exchangeName('e0'));

test('X10: an exchange is made and deleted by a transaction each', async () => {
  const store = await openStream();
  const entry = entryOf('e', 1);
  expect(await store.costOf(() => store.exchanges.create(entry))).toEqual(declareExchange);
  const remove = () => store.exchanges.remove(entry.name, entry.exchangeId);
  expect(await store.costOf(remove)).toEqual(deleteExchange);
});

test('X6: to bind is a transaction over three items, to unbind one over two', async () => {
  const store = await openChain(1);
  const [entry, one] = [entryOf('e0', 1), binding(TO_STREAM, 'eu.*')];
  expect(await store.costOf(() => store.exchanges.bind(entry, one))).toEqual(bind);
  expect(await store.costOf(() => store.exchanges.unbind(entry, one.name))).toEqual(unbind);
});

test.each([1, 2, 7, 150])(
  'X7: with %j exchanges behind it a message is routed for a read unit of each',
  async (length) => {
    const store = await openChain(length);
    await route(store);
    expect(await store.costOf(() => route(store))).toEqual(times(routeByExchange, length));
    expect(await store.costOf(() => route(store))).toEqual(times(routeByExchange, length));
  },
);

test('X7: what was bound since is read once, for that exchange alone', async () => {
  const store = await openChain(3);
  await route(store);
  const other = store.another();
  await route(other);
  await store.exchanges.bind(entryOf('e1', 2), binding(TO_STREAM, 'eu.*'));
  const { readUnits } = times(routeByExchange, 3);
  expect(await store.costOf(() => route(store))).toMatchObject({ readUnits: readUnits + 1 });
  expect(await other.costOf(() => route(other))).toMatchObject({ readUnits: readUnits + 1 });
  expect(await other.costOf(() => route(other))).toMatchObject({ readUnits });
});

test('X7 T13: a stream that is found to be gone is looked for once', async () => {
  const store = await openChain(2);
  const other = store.another();
  await route(other);
  await store.catalog.remove(STREAM, STREAM_ID);
  const graph = await route(store);
  const gone = [{ name: STREAM, id: STREAM_ID }];
  const cost = await store.costOf(async () => await graph?.forget(gone));
  expect(cost).toMatchObject({ writeUnits: unbind.writeUnits });
  expect(await other.costOf(async () => await (await route(other))?.forget([]))).toMatchObject({
    writeUnits: 0,
  });
  const bindings = await store.table.query({ k: bindingPartition(exchangeIdOf(2)) });
  expect(bindings.items).toEqual([]);
});
