/**
 * Publishes one request through an exchange: routed as a whole before anything is stored, then one atomic append
 * to each destination, of which each one succeeds or fails by itself (SPEC X2, X7, X8, X11, D13).
 */
import type { StreamId } from '../core/log/ids.ts';
import type { PublisherClaim } from '../core/log/publisher.ts';
import { DESTINATIONS_MAX, type StreamDestination } from '../core/routing/route.ts';
import type { Batch } from '../ports/log-store.ts';
import { StoreError } from '../ports/store-error.ts';
import type { Components } from './components.ts';
import type { ExchangeReference } from './exchanges.ts';
import { invalid, LogError } from './log-error.ts';
import { openRouter, type Router } from './open-router.ts';
import { BatchCutter, routedMessages } from './routed-batch.ts';
import { type DestinationOutcome, type Sending, sendAll } from './send-to-destinations.ts';

/** So long others may wait while messages are routed: ten thousand with many keys take seconds. */
const ROUTING_MS_MAX = 10;

/** Ten times as many as one message may have. */
const REQUEST_DESTINATIONS_MAX = 1_000;

export interface ExchangePublish {
  readonly exchange: ExchangeReference;
  readonly batch: Batch;
  readonly publisher?: PublisherClaim;
  /** Awaited now and then while the messages are routed, so that others are served in between. */
  takeTurn(): Promise<void>;
}

export interface ExchangeAnswer {
  /** Any destination took it, now or before (SPEC X7, D13). */
  readonly routed: boolean;
  readonly destinations: readonly RoutedOutcome[];
  /** Messages that nothing is bound for. */
  readonly unrouted: number;
}

export interface RoutedOutcome {
  readonly destination: StreamDestination;
  readonly outcome: Exclude<DestinationOutcome, { kind: 'gone' }>;
}

interface RoutedBatch {
  readonly sendings: ReadonlyMap<StreamId, Sending>;
  readonly unrouted: number;
}

/** Throws what the store said when nothing could be stored anywhere. */
export async function publishToExchange(
  components: Components,
  request: ExchangePublish,
): Promise<ExchangeAnswer> {
  const router = await openRouter(components, request.exchange);
  const cutter = new BatchCutter(request.batch);
  const gone = new Set<StreamId>();
  const outcomes = new Map<StreamId, RoutedOutcome>();
  for (;;) {
    const goneBefore = gone.size;
    const { sendings, unrouted } = await routeBatch(components, request, { router, gone });
    const untried = [...sendings.values()].filter(({ destination: { id } }) => !outcomes.has(id));
    const sent = await sendAll(components, untried, { cutter, publisher: request.publisher });
    untried.forEach(({ destination }, index) => {
      const outcome = sent[index];
      // Deleted since it was routed to: whatever is bound for that case gets the message (SPEC X3, T13).
      if (outcome === undefined || outcome.kind === 'gone') gone.add(destination.id);
      else outcomes.set(destination.id, { destination, outcome });
    });
    if (gone.size > goneBefore) continue;
    components.metrics.unroutable.add(unrouted);
    return answerOf([...outcomes.values()], unrouted);
  }
}

async function routeBatch(
  { clock }: Components,
  { batch, takeTurn }: ExchangePublish,
  { router, gone }: { readonly router: Router; readonly gone: ReadonlySet<StreamId> },
): Promise<RoutedBatch> {
  const sendings = new Map<StreamId, Sending & { readonly indexes: number[] }>();
  let [index, unrouted, startMs] = [0, 0, clock.elapsedMs()];
  for (const message of routedMessages(batch)) {
    const routed = router(message, gone);
    // A promise for each of ten thousand messages would cost more than routing them.
    const destinations = destinationsOf(routed instanceof Promise ? await routed : routed, index);
    if (destinations.length === 0) unrouted++;
    for (const destination of destinations) {
      const sending = sendings.get(destination.id) ?? { destination, indexes: [] };
      sending.indexes.push(index);
      sendings.set(destination.id, sending);
    }
    index++;
    if (clock.elapsedMs() - startMs < ROUTING_MS_MAX) continue;
    await takeTurn();
    startMs = clock.elapsedMs();
  }
  if (sendings.size > REQUEST_DESTINATIONS_MAX) {
    throw tooMany('the request', REQUEST_DESTINATIONS_MAX);
  }
  return { sendings, unrouted };
}

function destinationsOf(
  routed: Awaited<ReturnType<Router>>,
  index: number,
): readonly StreamDestination[] {
  const place = `messages[${index}]`;
  if (routed.kind === 'ok') return routed.destinations;
  if (routed.kind === 'too_many') throw tooMany(place, DESTINATIONS_MAX);
  throw invalid(`${place}.${routed.field}`, `${place}: ${routed.reason}`);
}

function tooMany(what: string, limit: number): LogError {
  return new LogError(`${what} has more than ${limit} destinations: nothing was stored`, {
    code: 'too_many_destinations',
    details: { limit },
  });
}

function answerOf(destinations: readonly RoutedOutcome[], unrouted: number): ExchangeAnswer {
  const failures = destinations.flatMap(({ outcome }) =>
    outcome.kind === 'failed' ? [outcome.error] : [],
  );
  // As a publish to one stream: an answer that says 200 was taken by somebody.
  if (failures.length > 0 && failures.length === destinations.length) throw worst(failures);
  const routed = destinations.some(
    ({ outcome }) => outcome.kind === 'stored' || outcome.kind === 'duplicate',
  );
  return { routed, destinations, unrouted };
}

/** What may have had an effect goes before what had none. */
function worst(failures: readonly unknown[]): unknown {
  const isPossible = (error: unknown) =>
    !(error instanceof StoreError) || error.sideEffects === 'possible';
  return failures.find(isPossible) ?? failures[0];
}
