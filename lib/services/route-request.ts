/**
 * Routes the messages of one request, as a whole before anything is sent: what each destination gets of them, and what
 * it has already by what the exchange remembers (SPEC X2, X11, M5).
 */
import {
  DESTINATIONS_MAX,
  type ExchangeDestination,
  type Routed as RoutedMessage,
  type StreamDestination,
} from '../core/routing/route.ts';
import type { RecordClaim } from '../core/routing/routing-record.ts';
import { holdingPlace, isHoldingPlace } from '../core/timer/held-message.ts';
import type { RememberingExchange } from '../ports/exchanges.ts';
import type { Batch } from '../ports/log-store.ts';
import type { AskedHolds } from './asked-holds.ts';
import type { Components } from './components.ts';
import { exchangeNotFound, invalid, LogError } from './log-error.ts';
import type { OpenRouter } from './open-router.ts';
import { routedMessages } from './routed-batch.ts';
import {
  type RememberedLead,
  type RequestValues,
  type RoutedLead,
  rememberLeads,
} from './routed-values.ts';
import type { Sending, SendTo } from './send-to-destinations.ts';

/** So long others may wait while messages are routed: ten thousand with many keys take seconds. */
const ROUTING_MS_MAX = 10;

/** Ten times as many as one message may have. */
const REQUEST_DESTINATIONS_MAX = 1_000;

export interface RoutingRequest {
  readonly router: OpenRouter;
  readonly batch: Batch;
  readonly values: RequestValues;
  readonly holds: AskedHolds;
  /** Awaited now and then, so that others are served in between. */
  takeTurn(): Promise<void>;
}

export interface RoutingSoFar {
  /** Streams and exchanges that hold, which turned out to be gone. */
  readonly gone: ReadonlySet<string>;
  /** Destinations of which it is known what became of their messages. */
  readonly settled: { has(id: string): boolean };
}

interface MutableSending extends Sending {
  readonly indexes: number[];
  readonly records: RecordClaim[];
}

export interface RoutedRequest {
  readonly sendings: ReadonlyMap<string, Sending>;
  /** How many messages a destination has already. */
  readonly known: ReadonlyMap<string, KnownMessages>;
  readonly unrouted: number;
  /** Places of messages that the exchange remembers, or that carry what one before them carries. */
  readonly deduplicated: readonly number[];
}

export interface KnownMessages {
  readonly destination: SendTo;
  readonly messages: number;
}

export async function routeRequest(
  components: Components,
  request: RoutingRequest,
  soFar: RoutingSoFar,
): Promise<RoutedRequest> {
  const routed = new Routed(request.router.holding);
  const leads: RoutedLead[] = [];
  const { leads: valued, repeats } = request.values;
  await eachRouted(components, { ...request, ...soFar }, (index, found) => {
    const destinations = routed.destinationsOf(found, index);
    const own = valued.get(index);
    if (repeats.has(index)) routed.deduplicated.push(index);
    else if (own !== undefined) leads.push({ index, own, destinations });
    else routed.add(index, destinations);
  });
  const { remembering, name } = request.router;
  const remembered = remembering && (await rememberLeads(components, remembering, leads));
  if (remembering && remembered === undefined) throw exchangeNotFound(name);
  for (const lead of remembered ?? []) routed.addLead(lead, { ...soFar, remembering });
  return routed.finish();
}

async function eachRouted(
  { clock }: Components,
  { batch, takeTurn, router, gone, holds }: RoutingRequest & RoutingSoFar,
  tell: (index: number, routed: RoutedMessage) => void,
): Promise<void> {
  let [index, startMs] = [0, clock.elapsedMs()];
  for (const message of routedMessages(batch, holds.verdict.bind(holds))) {
    const routed = router.route(message, gone);
    // A promise for each of ten thousand messages would cost more than routing them.
    tell(index, routed instanceof Promise ? await routed : routed);
    index++;
    if (clock.elapsedMs() - startMs < ROUTING_MS_MAX) continue;
    await takeTurn();
    startMs = clock.elapsedMs();
  }
}

class Routed {
  readonly deduplicated: number[] = [];
  readonly #sendings = new Map<string, MutableSending>();
  readonly #known = new Map<string, KnownMessages>();
  /** Exchanges that hold, by the ids of their holding places. */
  readonly #holds = new Map<string, ExchangeDestination>();
  #unrouted = 0;

  constructor(holding: ExchangeDestination | undefined) {
    if (holding !== undefined) this.#holds.set(holding.id, holding);
  }

  /** An exchange that holds is a destination by its holding place, which is what is remembered of it. */
  destinationsOf(routed: RoutedMessage, index: number): readonly StreamDestination[] {
    const place = `messages[${index}]`;
    if (routed.kind === 'too_many') throw tooMany(place, DESTINATIONS_MAX);
    if (routed.kind === 'reject') {
      throw invalid(`${place}.${routed.field}`, `${place}: ${routed.reason}`);
    }
    for (const exchange of routed.holds) this.#holds.set(exchange.id, exchange);
    return [...routed.destinations, ...routed.holds.map(({ id }) => holdingPlace(id))];
  }

  add(index: number, destinations: readonly StreamDestination[]): void {
    if (destinations.length === 0) this.#unrouted++;
    for (const destination of destinations) this.#sending(destination).indexes.push(index);
  }

  addLead(
    { index, own, record }: RememberedLead,
    {
      gone,
      settled,
      remembering,
    }: RoutingSoFar & { readonly remembering: RememberingExchange | undefined },
  ): void {
    if (record === undefined || remembering === undefined) {
      this.#unrouted++;
      return;
    }
    const { rid, taken } = record;
    if (rid !== own.rid && taken.size > 0) this.deduplicated.push(index);
    for (const destination of record.destinations) {
      const { id } = destination;
      if (gone.has(id) || settled.has(id) || !this.#isReachable(destination)) continue;
      if (taken.has(id)) this.#addKnown(destination);
      else {
        const sending = this.#sending(destination);
        sending.indexes.push(index);
        const { exchangeId } = remembering;
        sending.records.push({ exchangeId, value: own.value, rid, index });
      }
    }
  }

  finish(): RoutedRequest {
    if (this.#sendings.size > REQUEST_DESTINATIONS_MAX) {
      throw tooMany('the request', REQUEST_DESTINATIONS_MAX);
    }
    for (const { indexes, records } of this.#sendings.values()) {
      if (records.length > 0) indexes.sort((a, b) => a - b);
    }
    return {
      sendings: this.#sendings,
      known: this.#known,
      unrouted: this.#unrouted,
      deduplicated: this.deduplicated.sort((a, b) => a - b),
    };
  }

  #sending(destination: StreamDestination): MutableSending {
    const sending = this.#sendings.get(destination.id) ?? {
      destination: this.#sendTo(destination),
      indexes: [],
      records: [],
    };
    this.#sendings.set(destination.id, sending);
    return sending;
  }

  #addKnown(destination: StreamDestination): void {
    const messages = (this.#known.get(destination.id)?.messages ?? 0) + 1;
    this.#known.set(destination.id, { destination: this.#sendTo(destination), messages });
  }

  /** An exchange that holds and is remembered, but not on the way any more, is not called by its name. */
  #isReachable({ name, id }: StreamDestination): boolean {
    return !isHoldingPlace(name) || this.#holds.has(id);
  }

  #sendTo(destination: StreamDestination): SendTo {
    const exchange = this.#holds.get(destination.id);
    return exchange ? { kind: 'exchange', ...exchange } : { kind: 'stream', ...destination };
  }
}

function tooMany(what: string, limit: number): LogError {
  return new LogError(`${what} has more than ${limit} destinations: nothing was stored`, {
    code: 'too_many_destinations',
    details: { limit },
  });
}
