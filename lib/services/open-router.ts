/**
 * Opens what a request is routed by: the graph behind an exchange as it is bound now, or the streams themselves,
 * by whose names the exchange without a name routes (SPEC X5, X7, X9).
 */
import { parseStreamName } from '../core/log/ids.ts';
import type { RoutedMessage } from '../core/routing/compiled-exchange.ts';
import { DEFAULT_EXCHANGE, type ExchangeName } from '../core/routing/exchange.ts';
import {
  DESTINATIONS_MAX,
  type ExchangeDestination,
  type Routed,
  routeMessage,
  type StreamDestination,
} from '../core/routing/route.ts';
import type { RememberingExchange } from '../ports/exchanges.ts';
import type { Components } from './components.ts';
import type { ExchangeReference } from './exchanges.ts';
import { exchangeNotFound, LogError } from './log-error.ts';

interface Router {
  /** Routes one message, as if what is in `gone` had never been there. */
  route(message: RoutedMessage, gone: ReadonlySet<string>): Routed | Promise<Routed>;
}

export interface OpenRouter extends Router {
  readonly name: ExchangeReference;
  /** Of an exchange that remembers the values of what is published to it (SPEC M1). */
  readonly remembering?: RememberingExchange;
  /** Of an exchange that holds messages which ask for it (SPEC L1). */
  readonly holding?: ExchangeDestination;
  /** To be told of streams that turned out to be gone. */
  forget(gone: readonly StreamDestination[]): Promise<void>;
}

export async function openRouter(
  components: Components,
  name: ExchangeReference,
): Promise<OpenRouter> {
  if (name === DEFAULT_EXCHANGE)
    return { name, route: nameRouter(components), forget: async () => {} };
  const graph = await components.exchanges.routes(name);
  if (graph === undefined) throw exchangeNotFound(name);
  const { id: exchangeId, settings } = graph.start;
  if (settings.internal) throw internalExchange(name);
  const { deduplication, delayed } = settings;
  return {
    name,
    route: (message, gone) => routeMessage(graph, message, { gone }),
    forget: (gone) => graph.forget(gone),
    ...(deduplication && { remembering: { exchangeId, deduplication } }),
    ...(delayed && { holding: { name, id: exchangeId } }),
  };
}

/** Each name is looked up once a request. */
function nameRouter({ log }: Components): Router['route'] {
  const known = new Map<string, StreamDestination | undefined>();
  const lookUp = async (key: string) => {
    const parsed = parseStreamName(key);
    const state = parsed.kind === 'ok' ? await log.tail(parsed.name) : undefined;
    const found =
      parsed.kind === 'ok' && state ? { name: parsed.name, id: state.streamId } : undefined;
    known.set(key, found);
    return found;
  };
  return async ({ keys }, gone) => {
    const destinations: StreamDestination[] = [];
    for (const key of keys) {
      const found = known.has(key) ? known.get(key) : await lookUp(key);
      if (found !== undefined && !gone.has(found.id)) destinations.push(found);
    }
    return destinations.length > DESTINATIONS_MAX
      ? { kind: 'too_many' }
      : { kind: 'ok', destinations, holds: [] };
  };
}

function internalExchange(name: ExchangeName): LogError {
  return new LogError(
    `exchange ${JSON.stringify(name)} is internal: publish to one that it is bound to`,
    { code: 'internal_exchange', details: { exchange: name } },
  );
}
