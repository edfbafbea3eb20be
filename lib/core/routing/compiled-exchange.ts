/**
 * An exchange with its bindings, made ready to route by: the one form that a message is matched against, built
 * once for as long as nothing is bound or unbound. Knows its own bindings only; where they lead is route.ts's.
 */
import type { Binding, Destination } from './binding.ts';
import { parseWeight } from './binding.ts';
import { ConsistentHash } from './consistent-hash.ts';
import type { ExchangeId, ExchangeName, ExchangeSettings } from './exchange.ts';
import {
  type HeadersTest,
  headersTest,
  matchesHeaders,
  type RoutedHeaders,
} from './headers-matcher.ts';
import { TopicTrie } from './topic-trie.ts';

export interface RoutedMessage {
  /** The routing key, `CC` and `BCC`: each once. */
  readonly keys: readonly string[];
  readonly headers: RoutedHeaders;
  /** What an exchange that holds does with it: asked by those alone, since elsewhere `x-delay` says nothing. */
  hold(): HoldVerdict;
}

export type HoldVerdict =
  | { readonly kind: 'at_once' }
  | { readonly kind: 'held' }
  | ({ readonly kind: 'reject' } & MatchFault);

export const NOT_HELD: HoldVerdict = { kind: 'at_once' };

export interface MatchSink {
  /** Called with each destination that matches, perhaps several times, and perhaps with one that is gone. */
  found(destination: Destination): void;
  /** A key that is hashed belongs to one of those that are. */
  isThere(destination: Destination): boolean;
}

export type MatchFault = { readonly field: string; readonly reason: string };

export interface CompiledExchange {
  readonly id: ExchangeId;
  readonly name: ExchangeName;
  readonly settings: ExchangeSettings;
  /** Exchanges that its bindings lead to. */
  readonly next: readonly ExchangeId[];
  /** A fault when nothing can be said. */
  match(message: RoutedMessage, sink: MatchSink): MatchFault | undefined;
}

export type RoutedBinding = Pick<Binding, 'destination' | 'routingKey' | 'arguments'>;

type Match = CompiledExchange['match'];

export function compileExchange(
  exchange: Pick<CompiledExchange, 'id' | 'name' | 'settings'>,
  bindings: readonly RoutedBinding[],
): CompiledExchange {
  const next = bindings.flatMap(({ destination }) =>
    destination.kind === 'exchange' ? [destination.id] : [],
  );
  return { ...exchange, next: [...new Set(next)], match: matchOf(exchange.settings, bindings) };
}

function matchOf(settings: ExchangeSettings, bindings: readonly RoutedBinding[]): Match {
  switch (settings.type) {
    case 'direct':
      return directMatch(bindings);
    case 'fanout':
      return fanoutMatch(bindings);
    case 'topic':
      return topicMatch(bindings);
    case 'headers':
      return headersMatch(settings, bindings);
    case 'x-consistent-hash':
      return hashMatch(settings, bindings);
  }
}

function directMatch(bindings: readonly RoutedBinding[]): Match {
  const byKey = Map.groupBy(bindings, ({ routingKey }) => routingKey);
  return ({ keys }, { found }) => {
    for (const key of keys) {
      for (const { destination } of byKey.get(key) ?? []) found(destination);
    }
    return undefined;
  };
}

function fanoutMatch(bindings: readonly RoutedBinding[]): Match {
  const destinations = distinct(bindings).map(({ destination }) => destination);
  return (_message, { found }) => {
    for (const destination of destinations) found(destination);
    return undefined;
  };
}

function topicMatch(bindings: readonly RoutedBinding[]): Match {
  const trie = new TopicTrie<Destination>();
  for (const { routingKey, destination } of bindings) trie.add(routingKey, destination);
  return ({ keys }, { found }) => {
    for (const key of keys) trie.match(key, found);
    return undefined;
  };
}

function headersMatch(settings: ExchangeSettings, bindings: readonly RoutedBinding[]): Match {
  const tests = bindings.map(({ arguments: args, destination }): [HeadersTest, Destination] => [
    headersTest(args, settings.match ?? 'all'),
    destination,
  ]);
  return ({ headers }, { found }) => {
    for (const [test, destination] of tests) {
      if (matchesHeaders(test, headers)) found(destination);
    }
    return undefined;
  };
}

/** By a header there is one key, whatever the message names in `CC` and `BCC`. */
function hashMatch({ hashOn }: ExchangeSettings, bindings: readonly RoutedBinding[]): Match {
  // Known by what it is called: bound again later it is the same one to a hash.
  const destinations = distinct(bindings).map(({ destination, weight }) => {
    return { id: `${destination.kind}=${destination.name}`, weight, value: destination };
  });
  const hash = new ConsistentHash(destinations);
  return ({ keys, headers }, { found, isThere }) => {
    const value = hashOn === undefined || !headers.has(hashOn) ? '' : headers.valueOf(hashOn);
    if (typeof value !== 'string') {
      const reason = `header ${hashOn} must be a string: the exchange hashes it`;
      return { field: `headers.${hashOn}`, reason };
    }
    for (const key of hashOn === undefined ? keys : [value]) {
      const destination = hash.pick(key, isThere);
      if (destination !== undefined) found(destination);
    }
    return undefined;
  };
}

/** Each incarnation once: one of the same name may be bound still that is gone. */
function distinct(
  bindings: readonly RoutedBinding[],
): readonly { readonly destination: Destination; readonly weight: number }[] {
  const byId = new Map<string, { readonly destination: Destination; readonly weight: number }>();
  for (const { destination, routingKey } of bindings) {
    const weight = (byId.get(destination.id)?.weight ?? 0) + (parseWeight(routingKey) ?? 0);
    byId.set(destination.id, { destination, weight });
  }
  return [...byId.values()];
}
