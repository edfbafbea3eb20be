/**
 * Sends copies of a request's messages to where they are routed: each an append of its own, to that incarnation
 * alone; to an exchange that holds, of its holding place. Never throws for one that fails: the others go on (SPEC X8).
 */
import { assert } from '../core/assert.ts';
import type { Delay } from '../core/log/append.ts';
import type { CommitOutcome } from '../core/log/commit-batch.ts';
import type { PublisherClaim } from '../core/log/publisher.ts';
import type { ExchangeDestination, StreamDestination } from '../core/routing/route.ts';
import type { RecordClaim } from '../core/routing/routing-record.ts';
import { holdingPlace } from '../core/timer/held-message.ts';
import type { Append } from '../ports/log-store.ts';
import type { Components } from './components.ts';
import { type HeldBatch, holdMessages } from './held-messages.ts';
import type { LogError } from './log-error.ts';
import { noticeHeld, type PublishAnswer, publishAnswer, refusal } from './publish-messages.ts';
import type { BatchCutter } from './routed-batch.ts';

/** What is cut out for destinations under way together; one more is always taken. */
const COPIED_BYTES_MAX = 16 * 1024 * 1024;

export type SendTo =
  | ({ readonly kind: 'stream' } & StreamDestination)
  /** Which holds the messages until they are due. */
  | ({ readonly kind: 'exchange' } & ExchangeDestination);

export interface Sending {
  readonly destination: SendTo;
  /** Places of its messages in the request; they rise. */
  readonly indexes: readonly number[];
  /** What the exchange remembers of their values, by places in the request. */
  readonly records: readonly RecordClaim[];
}

export type DestinationOutcome =
  | { readonly kind: 'stored' | 'duplicate' | 'held'; readonly answer: PublishAnswer }
  /** By a rule of the stream: a repeat is rejected too, until something changes. */
  | { readonly kind: 'rejected'; readonly reason: LogError }
  /** The store failed. */
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'gone' }
  /** The exchange remembers other tries of these values by now. */
  | { readonly kind: 'changed' };

export interface SendOptions {
  readonly cutter: BatchCutter;
  readonly publisher: PublisherClaim | undefined;
  /** When the request came in. */
  readonly nowMs: number;
  /** When a message that is held is due, by its place. */
  readonly dueMs: ReadonlyMap<number, number>;
}

/** Outcomes in the order of the destinations. */
export async function sendAll(
  components: Components,
  sendings: readonly Sending[],
  options: SendOptions,
): Promise<readonly DestinationOutcome[]> {
  const outcomes: DestinationOutcome[] = [];
  for (const wave of wavesOf(sendings, options.cutter)) {
    outcomes.push(...(await Promise.all(wave.map((one) => send(components, one, options)))));
  }
  return outcomes;
}

function wavesOf(sendings: readonly Sending[], cutter: BatchCutter): readonly Sending[][] {
  const waves: Sending[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const sending of sendings) {
    bytes += cutter.copiedBytes(sending.indexes);
    if (bytes > COPIED_BYTES_MAX) {
      waves.push([]);
      bytes = cutter.copiedBytes(sending.indexes);
    }
    waves.at(-1)?.push(sending);
  }
  return waves;
}

async function send(
  components: Components,
  sending: Sending,
  options: SendOptions,
): Promise<DestinationOutcome> {
  const { publisher, nowMs } = options;
  const { indexes, records } = sending;
  const { batch, delays, target } = prepared(components, sending, options);
  const own = publisher && { ...publisher, ids: idsOf(publisher, indexes) };
  try {
    const outcome = await components.appends.submit({
      ...target,
      batch,
      timeMs: nowMs,
      ...(delays.length > 0 && { delays }),
      ...(own && { publisher: own }),
      ...(records.length > 0 && { records: placedIn(indexes, records) }),
    });
    const request = { stream: target.stream, ...(own && { publisher: own }) };
    const result = told(outcome, { request, delays, sending });
    if ('answer' in result) noticeHeld(components, result.answer);
    return result;
  } catch (error) {
    return { kind: 'failed', error };
  }
}

interface Prepared extends HeldBatch {
  readonly target: Pick<Append, 'stream' | 'ifStreamId' | 'heldFor'>;
}

function prepared(
  { heldIds: ids }: Components,
  { destination, indexes }: Sending,
  { cutter, nowMs, dueMs }: SendOptions,
): Prepared {
  const batch = cutter.cut(indexes);
  if (destination.kind === 'stream') {
    return { batch, delays: [], target: { stream: destination.name, ifStreamId: destination.id } };
  }
  const { name, id } = destination;
  const place = holdingPlace(id);
  const held = indexes.map((at, index) => ({ index, dueMs: dueMs.get(at) ?? nowMs }));
  return {
    ...holdMessages(batch, held, { nowMs, ids, takesHeader: true }),
    target: { stream: place.name, ifStreamId: place.id, heldFor: { name, id } },
  };
}

function placedIn(
  indexes: readonly number[],
  records: readonly RecordClaim[],
): readonly RecordClaim[] {
  return records.map((claim) => ({ ...claim, index: indexes.indexOf(claim.index) }));
}

function idsOf({ ids }: PublisherClaim, indexes: readonly number[]): readonly number[] {
  return indexes.map((index) => {
    const id = ids[index];
    assert(id !== undefined, () => `message ${index} of a named publish has no id`);
    return id;
  });
}

interface Sent {
  readonly request: Parameters<typeof refusal>[1];
  readonly delays: readonly Delay[];
  readonly sending: Sending;
}

function told(outcome: CommitOutcome, { request, delays, sending }: Sent): DestinationOutcome {
  if (outcome.kind !== 'reject') {
    const answer = publishAnswer(outcome, delays);
    // By their places in the request instead of those in what was sent of it.
    const held = answer.held.map(({ index, id }) => {
      return { index: sending.indexes[index] ?? index, id };
    });
    return { kind: outcome.kind, answer: { ...answer, held } };
  }
  if (outcome.code === 'stream_not_found') return { kind: 'gone' };
  if (outcome.code === 'record_changed') return { kind: 'changed' };
  return { kind: 'rejected', reason: refusal(outcome, request) };
}
