/**
 * Sends copies of a request's messages to the streams that they are routed to: each an append of its own, to that
 * incarnation alone. Never throws for one that fails: the others go on (SPEC X8).
 */
import { assert } from '../core/assert.ts';
import type { CommitOutcome } from '../core/log/commit-batch.ts';
import type { PublisherClaim } from '../core/log/publisher.ts';
import type { StreamDestination } from '../core/routing/route.ts';
import type { RecordClaim } from '../core/routing/routing-record.ts';
import type { Components } from './components.ts';
import type { LogError } from './log-error.ts';
import { type PublishAnswer, publishAnswer, refusal } from './publish-messages.ts';
import type { BatchCutter } from './routed-batch.ts';

/** What is cut out for destinations under way together; one more is always taken. */
const COPIED_BYTES_MAX = 16 * 1024 * 1024;

export interface Sending {
  readonly destination: StreamDestination;
  /** Places of its messages in the request; they rise. */
  readonly indexes: readonly number[];
  /** What the exchange remembers of their values, by places in the request. */
  readonly records: readonly RecordClaim[];
}

export type DestinationOutcome =
  | { readonly kind: 'stored' | 'duplicate'; readonly answer: PublishAnswer }
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
  { appends, clock }: Components,
  { destination, indexes, records }: Sending,
  { cutter, publisher }: SendOptions,
): Promise<DestinationOutcome> {
  const { name: stream, id: ifStreamId } = destination;
  const own = publisher && { ...publisher, ids: idsOf(publisher, indexes) };
  try {
    const outcome = await appends.submit({
      stream,
      ifStreamId,
      batch: cutter.cut(indexes),
      timeMs: clock.nowMs(),
      ...(own && { publisher: own }),
      ...(records.length > 0 && { records: placedIn(indexes, records) }),
    });
    return told(outcome, { stream, ...(own && { publisher: own }) });
  } catch (error) {
    return { kind: 'failed', error };
  }
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

function told(outcome: CommitOutcome, request: Parameters<typeof refusal>[1]): DestinationOutcome {
  if (outcome.kind !== 'reject') {
    return { kind: outcome.kind, answer: publishAnswer(outcome) };
  }
  if (outcome.code === 'stream_not_found') return { kind: 'gone' };
  if (outcome.code === 'record_changed') return { kind: 'changed' };
  return { kind: 'rejected', reason: refusal(outcome, request) };
}
