/** Exchanges, bindings and graphs as tests write them down. */
import type { StreamId, StreamName } from '../../lib/core/log/ids.ts';
import {
  type Binding,
  bindingName,
  type Destination,
  parseArguments,
  propertiesKey,
} from '../../lib/core/routing/binding.ts';
import {
  type CompiledExchange,
  compileExchange,
  NOT_HELD,
} from '../../lib/core/routing/compiled-exchange.ts';
import {
  type ExchangeName,
  type ExchangeSettings,
  exchangeId,
  parseExchangeName,
} from '../../lib/core/routing/exchange.ts';
import { RoutedHeaders } from '../../lib/core/routing/headers-matcher.ts';
import { type RoutingGraph, routeMessage, routingKeys } from '../../lib/core/routing/route.ts';
import { idOf, streamName } from './batches.ts';

export function exchangeName(text: string): ExchangeName {
  const parsed = parseExchangeName(text);
  if (parsed.kind === 'reject') throw new Error(parsed.reason);
  return parsed.name;
}

export function settingsOf(
  type: ExchangeSettings['type'],
  rest: Partial<ExchangeSettings> = {},
): ExchangeSettings {
  return { type, internal: false, autoDelete: false, ...rest };
}

/** The exchange id with this number. */
export function exchangeIdOf(number: number) {
  return exchangeId(number.toString(16).padStart(32, '0'));
}

export function toStream(name: string, id: StreamId = idOf(numberOf(name))): Destination {
  return { kind: 'stream', name: streamName(name), id };
}

export function toExchange(name: string, id = exchangeIdOf(numberOf(name))): Destination {
  return { kind: 'exchange', name: exchangeName(name), id };
}

/** The same number for the same name. */
function numberOf(name: string): number {
  return [...name].reduce((sum, character) => sum * 131 + character.charCodeAt(0), 7) % 2 ** 40;
}

export function binding(destination: Destination, routingKey = '', args: object = {}): Binding {
  const text = parseArguments(JSON.stringify(args));
  if (text === undefined) throw new Error('arguments that are no object');
  const key = propertiesKey(routingKey, text, (all) => Buffer.from(all).toString('base64url'));
  return {
    name: bindingName(destination, key),
    propertiesKey: key,
    destination,
    routingKey,
    arguments: text,
  };
}

export interface DrawnExchange {
  readonly name: string;
  readonly settings: ExchangeSettings;
  readonly bindings: readonly Binding[];
}

/** A graph of these; the first one is where it starts. */
export function graphOf(...drawn: readonly DrawnExchange[]): RoutingGraph {
  const compiled = drawn.map(({ name, settings, bindings }) => {
    const exchange = { id: exchangeIdOf(numberOf(name)), name: exchangeName(name), settings };
    return compileExchange(exchange, bindings);
  });
  const [start] = compiled;
  if (start === undefined) throw new Error('a graph without exchanges');
  const find = (is: (one: CompiledExchange) => boolean) => compiled.find(is);
  return {
    start,
    byId: (id) => find((one) => one.id === id),
    byName: (name) => find((one) => one.name === name),
  };
}

export interface SentMessage {
  readonly key?: string;
  readonly copies?: readonly string[];
  readonly headers?: object | undefined;
}

/** Names of streams in their order, or what was wrong. */
export function routed(
  graph: RoutingGraph,
  { key = '', copies = [], headers }: SentMessage = {},
  gone: ReadonlySet<StreamId> = new Set(),
): readonly StreamName[] | string {
  const text = headers && JSON.stringify(headers);
  const message = {
    keys: routingKeys(key, copies),
    headers: new RoutedHeaders(text),
    hold: () => NOT_HELD,
  };
  const found = routeMessage(graph, message, { gone });
  if (found.kind === 'too_many') return 'too many';
  if (found.kind === 'reject') return found.reason;
  return found.destinations.map(({ name }) => name).sort();
}
