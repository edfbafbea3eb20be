/**
 * Publishes one request through an exchange: routed as a whole before anything is stored, then one atomic append
 * to each destination, of which each one succeeds or fails by itself (SPEC X2, X7, X8, X11, D13, M5).
 */
import type { PublisherClaim } from '../core/log/publisher.ts';
import type { Batch } from '../ports/log-store.ts';
import { StoreError } from '../ports/store-error.ts';
import { AskedHolds } from './asked-holds.ts';
import type { Components } from './components.ts';
import type { ExchangeReference } from './exchanges.ts';
import { type AskedMessage, refuseTooMany } from './held-messages.ts';
import { openRouter } from './open-router.ts';
import { type KnownMessages, type RoutedRequest, routeRequest } from './route-request.ts';
import { BatchCutter } from './routed-batch.ts';
import { NO_REQUEST_VALUES, type RequestValues, requestValues } from './routed-values.ts';
import { type DestinationOutcome, type SendTo, sendAll } from './send-to-destinations.ts';

/** Each time another request with the same values was first somewhere, or a stream was gone. */
const ROUNDS_MAX = 1_024;

export interface ExchangePublish {
  readonly exchange: ExchangeReference;
  readonly batch: Batch;
  readonly publisher?: PublisherClaim;
  readonly delayed?: readonly AskedMessage[];
  /** Awaited now and then while the messages are routed, so that others are served in between. */
  takeTurn(): Promise<void>;
}

export interface ExchangeAnswer {
  /** Any destination took it, now or before (SPEC X7, D13). */
  readonly routed: boolean;
  readonly destinations: readonly RoutedOutcome[];
  /** Messages that nothing is bound for. */
  readonly unrouted: number;
  /** Places of those whose values the exchange remembered (SPEC M7). */
  readonly deduplicated: readonly number[];
  /** What sending it again does no harm by. */
  readonly repeatable: 'named' | 'valued' | 'no';
}

export interface RoutedOutcome {
  readonly destination: SendTo;
  readonly outcome:
    | Exclude<DestinationOutcome, { kind: 'gone' | 'changed' }>
    /** All that is for it, by what the exchange remembers. */
    | { readonly kind: 'known'; readonly messages: number };
}

/** Throws what the store said when nothing could be stored anywhere. */
export async function publishToExchange(
  components: Components,
  request: ExchangePublish,
): Promise<ExchangeAnswer> {
  const { batch, publisher, takeTurn } = request;
  const router = await openRouter(components, request.exchange);
  const { remembering } = router;
  const values = remembering
    ? requestValues(components, batch, remembering.deduplication)
    : NO_REQUEST_VALUES;
  const nowMs = components.clock.nowMs();
  const holds = new AskedHolds(request.delayed ?? [], nowMs);
  if (router.holding === undefined) holds.refuseMembers(request.exchange);
  const routing = { router, batch, values, holds, takeTurn: () => takeTurn() };
  const sending = { cutter: new BatchCutter(batch), publisher, nowMs, dueMs: holds.dueMs };
  const gone = new Set<string>();
  const lost: SendTo[] = [];
  const outcomes = new Map<string, RoutedOutcome>();
  for (let round = 0; ; round++) {
    const routed = await routeRequest(components, routing, { gone, settled: outcomes });
    if (round === 0) refuseManySteps(routed);
    const untried = [...routed.sendings.values()].filter(
      ({ destination: { id } }) => !outcomes.has(id),
    );
    const sent = await sendAll(components, untried, sending);
    const isDone = untried.map(({ destination }, index) => {
      const outcome = sent[index];
      // Deleted since it was routed to: whatever is bound for that case gets the message (SPEC X3, T13).
      if (outcome === undefined || outcome.kind === 'gone') {
        gone.add(destination.id);
        lost.push(destination);
      } else if (outcome.kind !== 'changed' || round === ROUNDS_MAX) {
        const told = outcome.kind === 'changed' ? CHANGED : outcome;
        outcomes.set(destination.id, withKnown({ destination, outcome: told }, routed.known));
      }
      return outcomes.has(destination.id);
    });
    for (const { destination, messages } of routed.known.values()) {
      if (routed.sendings.has(destination.id)) continue;
      outcomes.set(destination.id, { destination, outcome: { kind: 'known', messages } });
    }
    if (!isDone.every(Boolean)) continue;
    const streams = lost.filter((one) => one.kind === 'stream');
    if (streams.length > 0) await router.forget(streams);
    components.metrics.dropped.unroutable.add(routed.unrouted);
    return answerOf([...outcomes.values()], routed, repeatableBy(request, values));
  }
}

/** What is held and what is remembered of it are steps of one transaction (SPEC L13). */
function refuseManySteps({ sendings }: RoutedRequest): void {
  for (const { destination, indexes, records } of sendings.values()) {
    if (destination.kind === 'exchange') refuseTooMany(indexes.length + records.length);
  }
}

const CHANGED = {
  kind: 'failed',
  error: new StoreError('others publish messages with the same values: try again', {
    kind: 'unavailable',
    sideEffects: 'none',
  }),
} as const;

function withKnown(
  routed: RoutedOutcome,
  known: ReadonlyMap<string, KnownMessages>,
): RoutedOutcome {
  const { destination, outcome } = routed;
  const { messages = 0 } = known.get(destination.id) ?? {};
  if (messages === 0 || !('answer' in outcome)) return routed;
  const duplicates = outcome.answer.duplicates + messages;
  return { destination, outcome: { ...outcome, answer: { ...outcome.answer, duplicates } } };
}

function repeatableBy(
  { publisher, batch }: ExchangePublish,
  { leads, repeats }: RequestValues,
): ExchangeAnswer['repeatable'] {
  if (publisher !== undefined) return 'named';
  return leads.size + repeats.size === batch.count ? 'valued' : 'no';
}

function answerOf(
  destinations: readonly RoutedOutcome[],
  { unrouted, deduplicated }: RoutedRequest,
  repeatable: ExchangeAnswer['repeatable'],
): ExchangeAnswer {
  const failures = destinations.flatMap(({ outcome }) =>
    outcome.kind === 'failed' ? [outcome.error] : [],
  );
  // As a publish to one stream: an answer that says 200 was taken by somebody.
  if (failures.length > 0 && failures.length === destinations.length) throw worst(failures);
  const routed = destinations.some(
    ({ outcome: { kind } }) =>
      kind === 'stored' || kind === 'duplicate' || kind === 'held' || kind === 'known',
  );
  return { routed, destinations, unrouted, deduplicated, repeatable };
}

/** What may have had an effect goes before what had none. */
function worst(failures: readonly unknown[]): unknown {
  const isPossible = (error: unknown) =>
    !(error instanceof StoreError) || error.sideEffects === 'possible';
  return failures.find(isPossible) ?? failures[0];
}
