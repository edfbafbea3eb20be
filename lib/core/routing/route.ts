/**
 * Where a message goes (SPEC X2, X3, X11): from the exchange it is published to over every exchange that is bound
 * behind it, each looked at once, so loops end; each stream once, however many ways lead to it.
 */
import type { StreamId, StreamName } from '../log/ids.ts';
import type { Destination } from './binding.ts';
import {
  type CompiledExchange,
  type MatchFault,
  NOT_HELD,
  type RoutedMessage,
} from './compiled-exchange.ts';
import type { ExchangeId, ExchangeName } from './exchange.ts';

/** Twice as many as anyone was seen to use: a message is copied for each, before it is answered (SPEC X11). */
export const DESTINATIONS_MAX = 100;

export interface RoutingGraph {
  readonly start: CompiledExchange;
  /** Undefined when it is gone. */
  byId(id: ExchangeId): CompiledExchange | undefined;
  /** For alternate exchanges, which are meant by name. */
  byName(name: ExchangeName): CompiledExchange | undefined;
}

export interface StreamDestination {
  readonly name: StreamName;
  readonly id: StreamId;
}

/** One incarnation of an exchange that holds. */
export interface ExchangeDestination {
  readonly name: ExchangeName;
  readonly id: ExchangeId;
}

export type Routed =
  | {
      readonly kind: 'ok';
      readonly destinations: readonly StreamDestination[];
      /** Exchanges that hold the message; each routes it when it is due (SPEC L7). */
      readonly holds: readonly ExchangeDestination[];
    }
  | { readonly kind: 'too_many' }
  | ({ readonly kind: 'reject' } & MatchFault);

export interface RouteOptions {
  /** Ids of streams and of exchanges that hold, which turned out to be gone (SPEC T13). */
  readonly gone: ReadonlySet<string>;
}

const NOTHING_GONE: RouteOptions = { gone: new Set() };

export function routeMessage(
  graph: RoutingGraph,
  message: RoutedMessage,
  { gone }: RouteOptions = NOTHING_GONE,
): Routed {
  const streams = new Map<StreamId, StreamDestination>();
  const holds: ExchangeDestination[] = [];
  const seen = new Map([[graph.start.id, graph.start]]);
  // A map is walked over with what is added to it on the way.
  for (const exchange of seen.values()) {
    const hold = exchange.settings.delayed === undefined ? NOT_HELD : message.hold();
    if (hold.kind === 'reject') return hold;
    if (hold.kind === 'held') {
      if (!gone.has(exchange.id)) holds.push(exchange);
      continue;
    }
    const fault = match(exchange);
    if (fault !== undefined) return { kind: 'reject', ...fault };
  }
  if (streams.size + holds.length > DESTINATIONS_MAX) return { kind: 'too_many' };
  return { kind: 'ok', destinations: [...streams.values()], holds };

  function match(exchange: CompiledExchange): MatchFault | undefined {
    let isMatched = false;
    const fault = exchange.match(message, {
      isThere,
      found: (destination) => {
        const taken = take(destination);
        isMatched ||= taken;
      },
    });
    const { alternateExchange } = exchange.settings;
    if (isMatched || alternateExchange === undefined) return fault;
    const alternate = graph.byName(alternateExchange);
    if (alternate !== undefined) add(alternate);
    return fault;
  }

  function add(exchange: CompiledExchange): void {
    if (!seen.has(exchange.id)) seen.set(exchange.id, exchange);
  }

  function isThere({ kind, id }: Destination): boolean {
    return kind === 'stream' ? !gone.has(id) : graph.byId(id) !== undefined;
  }

  /** False when it is gone. */
  function take(destination: Destination): boolean {
    if (destination.kind === 'stream') {
      if (gone.has(destination.id)) return false;
      streams.set(destination.id, destination);
      return true;
    }
    const exchange = graph.byId(destination.id);
    if (exchange !== undefined) add(exchange);
    return exchange !== undefined;
  }
}

/** The routing key and what `CC` and `BCC` name, each once (SPEC X4). */
export function routingKeys(routingKey: string, copies: readonly string[]): readonly string[] {
  return copies.length === 0 ? [routingKey] : [...new Set([routingKey, ...copies])];
}
