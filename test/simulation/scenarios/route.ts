/** Exchanges: declared, bound, unbound and deleted by anybody, while others publish through them. */

import type { Destination, DestinationName } from '../../../lib/core/routing/binding.ts';
import { NOT_HELD } from '../../../lib/core/routing/compiled-exchange.ts';
import { type ExchangeName, exchangeId } from '../../../lib/core/routing/exchange.ts';
import { RoutedHeaders } from '../../../lib/core/routing/headers-matcher.ts';
import { routeMessage, type StreamDestination } from '../../../lib/core/routing/route.ts';
import { binding, exchangeName, settingsOf } from '../../support/exchange-steps.ts';
import { publish } from '../oracle/check-outcomes.ts';
import { ROUTING_KEYS } from '../oracle/check-routes.ts';
import type { Service } from './service.ts';
import type { Stage } from './stage.ts';

/** So few that they are bound to each other, and made anew under the same names. */
const NAMES = ['e', 'f', 'g'].map(exchangeName);
const EVERYTHING = { prefix: '', startAfter: '', limit: 1_000 };
const COUNT_END = 3;

export async function declareExchange(stage: Stage): Promise<void> {
  const { chance } = stage;
  const entry = {
    name: someName(stage),
    exchangeId: exchangeId(chance.hex128()),
    settings: settingsOf(chance.percent(60) ? 'fanout' : 'direct', {
      ...(chance.percent(40) && { alternateExchange: someName(stage) }),
      autoDelete: chance.percent(15),
    }),
    createdMs: stage.nowMs(),
  };
  await stage.call(({ exchanges }) => exchanges.create(entry));
}

export async function deleteExchange(stage: Stage): Promise<void> {
  const name = someName(stage);
  await stage.call(async ({ exchanges }) => {
    const entry = await exchanges.load(name);
    if (entry !== undefined) await exchanges.remove(name, entry.exchangeId);
  });
}

export async function bind(stage: Stage): Promise<void> {
  const [source, key] = [someName(stage), someKey(stage)];
  const wanted = someDestination(stage);
  await stage.call(async (service) => {
    const entry = await service.exchanges.load(source);
    const destination = await find(service, wanted);
    if (entry === undefined || destination === undefined) return;
    await service.exchanges.bind(entry, binding(destination, key));
  });
}

export async function unbind(stage: Stage): Promise<void> {
  const source = someName(stage);
  const share = stage.chance.below(100);
  await stage.call(async ({ exchanges }) => {
    const entry = await exchanges.load(source);
    const all = entry ? await exchanges.bindings(entry, EVERYTHING) : [];
    const one = all[Math.floor((all.length * share) / 100)];
    if (entry !== undefined && one !== undefined) await exchanges.unbind(entry, one.name);
  });
}

/** As the service does it: where nobody is any more, the message is not stored, and the exchanges are told. */
export async function publishThrough(stage: Stage): Promise<void> {
  const { chance, oracle } = stage;
  const [name, key] = [someName(stage), someKey(stage)];
  const count = 1 + chance.below(COUNT_END);
  // Now and then by a service that stands still, while the others bind anew.
  const call: Stage['call'] = (work) =>
    chance.percent(25) ? stage.callSlow(work) : stage.call(work);
  await call(async ({ exchanges, log }) => {
    const graph = await exchanges.routes(name);
    if (graph === undefined) return;
    const routed = routeMessage(graph, {
      keys: [key],
      headers: new RoutedHeaders(undefined),
      hold: () => NOT_HELD,
    });
    const destinations = routed.kind === 'ok' ? routed.destinations : [];
    const gone: StreamDestination[] = [];
    for (const destination of destinations) {
      const { name: stream, id } = destination;
      const request = { stream, ifStreamId: id, count, timeMs: stage.nowMs() };
      const [outcome] = await publish(oracle, log, [request]);
      if (outcome?.kind === 'reject' && outcome.code === 'stream_not_found') gone.push(destination);
    }
    await graph.forget(gone);
  });
}

async function find(
  { exchanges, log }: Service,
  wanted: DestinationName,
): Promise<Destination | undefined> {
  if (wanted.kind === 'exchange') {
    const entry = await exchanges.load(wanted.name);
    return entry && { ...wanted, id: entry.exchangeId };
  }
  const state = await log.tail(wanted.name);
  return state && { ...wanted, id: state.streamId };
}

function someDestination(stage: Stage): DestinationName {
  if (stage.chance.percent(50)) return { kind: 'stream', name: stage.stream() };
  return { kind: 'exchange', name: someName(stage) };
}

function someName({ chance }: Stage): ExchangeName {
  const name = NAMES[chance.below(NAMES.length)];
  if (name === undefined) throw new Error('there are names');
  return name;
}

function someKey({ chance }: Stage): string {
  return ROUTING_KEYS[chance.below(ROUTING_KEYS.length)] ?? '';
}
