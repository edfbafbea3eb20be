/** Random histories of exchanges: what any store can be told, of what is there or was, and all that can be seen. */
import fc from 'fast-check';
import type { StreamId } from '../../lib/core/log/ids.ts';
import type { Destination } from '../../lib/core/routing/binding.ts';
import type { ExchangeEntry } from '../../lib/ports/exchanges.ts';
import { idOf, streamName } from '../support/batches.ts';
import {
  binding,
  exchangeIdOf,
  exchangeName,
  routed,
  settingsOf,
  toStream,
} from '../support/exchange-steps.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** An exchange and a stream may have the same name. */
const EXCHANGES = ['e', 'f', 's'].map(exchangeName);
const STREAMS = ['s', 'ä'].map(streamName);
const EVERYTHING = { prefix: '', startAfter: '', limit: 100 };
/** Weights and keys alike. */
const KEYS = ['1', '2', '30'];
const HEADERS = [undefined, { h: '1' }, { h: '2', x: 1 }];
const DAY_MS = 86_400_000;
const FIRST_ID = 1_000;

const exchange = fc.constantFrom(...EXCHANGES);
const stream = fc.constantFrom(...STREAMS);
/** Of all that were ever made, the latest rather than the first. */
const latest = fc.oneof({ weight: 3, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.nat(12) });
const settings = fc
  .record({
    type: fc.constantFrom('fanout', 'direct', 'topic', 'headers', 'x-consistent-hash'),
    alternate: fc.option(exchange, { nil: undefined, freq: 3 }),
    autoDelete: fc.nat(3).map((draw) => draw === 0),
  })
  .map(({ type, alternate, autoDelete }) =>
    settingsOf(type, { autoDelete, ...(alternate && { alternateExchange: alternate }) }),
  );
const bound = fc.record({
  source: latest,
  destination: latest,
  isStream: fc.boolean(),
  key: fc.constantFrom(...KEYS),
  args: fc.constantFrom({}, {}, { h: '1' }),
});

export const exchangeCommand = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('declare' as const), exchange, settings }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('bind' as const), bound }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('unbind' as const), bound }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), exchange: latest }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('create' as const), stream }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), stream: latest }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('maintain' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
);

type Command = typeof exchangeCommand extends fc.Arbitrary<infer Value> ? Value : never;
type ToStream = Extract<Destination, { kind: 'stream' }>;

/** What was made so far, with ids in the order of it, the latest first. */
export interface ExchangeRun {
  store: StoreUnderTest;
  exchanges: readonly ExchangeEntry[];
  streams: readonly ToStream[];
  made: number;
  nowMs: number;
}

export function beginExchangeRun(store: StoreUnderTest): ExchangeRun {
  return { store, exchanges: [], streams: [], made: FIRST_ID, nowMs: 0 };
}

export async function performExchange(run: ExchangeRun, given: Command): Promise<unknown> {
  await settle(run.store);
  const { exchanges, catalog } = run.store;
  switch (given.kind) {
    case 'declare': {
      const exchangeId = exchangeIdOf(++run.made);
      const { exchange: name, settings: wanted } = given;
      const entry = { name, exchangeId, settings: wanted, createdMs: run.made };
      run.exchanges = [entry, ...run.exchanges];
      return await exchanges.create(entry);
    }
    case 'create': {
      const streamId = idOf(++run.made);
      const to = toStream(given.stream, streamId);
      if (to.kind === 'stream') run.streams = [to, ...run.streams];
      return await catalog.create({ name: given.stream, streamId, settings: {}, createdMs: 7 });
    }
    case 'delete': {
      const entry = run.exchanges[given.exchange];
      return entry && (await exchanges.remove(entry.name, entry.exchangeId));
    }
    case 'remove': {
      const entry = run.streams[given.stream];
      return entry && (await catalog.remove(entry.name, entry.id));
    }
    case 'bind':
    case 'unbind':
      return await change(run, given);
    case 'maintain':
      return await maintain(run);
    case 'restart':
      if (run.store.restart !== undefined) run.store = await run.store.restart();
      return undefined;
  }
}

/** Also of what was deleted long ago: both ends are meant by their ids. */
async function change(
  { store: { exchanges }, ...run }: ExchangeRun,
  { kind, bound: wanted }: Extract<Command, { kind: 'bind' | 'unbind' }>,
): Promise<unknown> {
  const source = run.exchanges[wanted.source];
  const target = run.exchanges[wanted.destination];
  const toTarget = target && {
    kind: 'exchange' as const,
    name: target.name,
    id: target.exchangeId,
  };
  const destination = wanted.isStream ? run.streams[wanted.destination] : toTarget;
  if (source === undefined || destination === undefined) return undefined;
  const one = binding(destination, wanted.key, wanted.args);
  return kind === 'bind'
    ? await exchanges.bind(source, one)
    : await exchanges.unbind(source, one.name);
}

async function maintain(run: ExchangeRun): Promise<void> {
  run.nowMs += DAY_MS;
  run.store.clock?.set(run.nowMs);
  await run.store.maintenance?.run(new AbortController().signal);
}

/** One that is to go with its last binding may go when somebody looks; each may be the last of another. */
async function settle({ exchanges }: StoreUnderTest): Promise<void> {
  for (const _ of EXCHANGES) for (const name of EXCHANGES) await exchanges.load(name);
}

/** All that can be seen of exchanges, with what messages reach through them. */
export async function observeExchanges({ store, streams }: ExchangeRun): Promise<unknown> {
  await settle(store);
  const { exchanges, catalog } = store;
  const there = new Set((await catalog.list(EVERYTHING)).map(({ streamId }) => streamId));
  const gone = new Set(streams.map(({ id }) => id).filter((id) => !there.has(id)));
  const listed = await exchanges.list(EVERYTHING);
  const seen = listed.map(async (entry) => ({
    loaded: await exchanges.load(entry.name),
    bindings: await exchanges.bindings(entry, EVERYTHING),
    reached: await reached(store, entry, gone),
  }));
  const absent = EXCHANGES.filter((name) => !listed.some((entry) => entry.name === name));
  const routes = await Promise.all(absent.map((name) => exchanges.routes(name)));
  return { listed, seen: await Promise.all(seen), routes };
}

async function reached(
  { exchanges }: StoreUnderTest,
  { name }: ExchangeEntry,
  gone: ReadonlySet<StreamId>,
) {
  const graph = await exchanges.routes(name);
  return KEYS.flatMap((key) =>
    HEADERS.map((headers) => graph && routed(graph, { key, headers }, gone)),
  );
}
