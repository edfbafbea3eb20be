/**
 * Brings one batch to the server and finds out what became of it. A named one is repeated as it is,
 * since the server knows its ids; one without a name only when nothing of it can have been stored
 * (SPEC P7, D2, D7).
 */
import { ClientError } from './client-error.ts';
import {
  type BatchEntry,
  type EncodedBatch,
  encodeBatch,
  type PublishAnswer,
  parsePublishAnswer,
} from './publish-batch.ts';
import { pauseBeforeRetry, type Retrying } from './retry.ts';
import { streamPath, type Transport } from './transport.ts';

export interface DeliveryTarget {
  readonly stream: string;
  readonly name?: string | undefined;
  readonly epoch?: number | undefined;
  readonly fencingToken?: string | undefined;
  readonly create?: boolean | undefined;
}

export type Delivery =
  /** `isRepeat`: an earlier try may have stored them, so duplicates are to be expected. */
  | { readonly kind: 'answered'; readonly answer: PublishAnswer; readonly isRepeat: boolean }
  /** Nothing of it is stored. */
  | { readonly kind: 'refused'; readonly error: ClientError }
  | { readonly kind: 'unknown'; readonly error: ClientError };

export interface DeliveryTools {
  readonly transport: Transport;
  readonly retrying: Retrying;
  readonly signal: AbortSignal;
}

export async function deliverBatch(
  tools: DeliveryTools,
  target: DeliveryTarget,
  entries: readonly BatchEntry[],
): Promise<Delivery> {
  const batch = encodeBatch(entries);
  let isRepeat = false;
  for (let failures = 1; ; failures++) {
    try {
      const answer = await sendBatch(tools, target, { ...batch, count: entries.length });
      return { kind: 'answered', answer, isRepeat };
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      // Once a try may have been stored, no later refusal takes that back.
      isRepeat ||= error.sideEffects === 'possible';
      const isSafe = target.name !== undefined || !isRepeat;
      if (isSafe && error.retryable && failures < tools.retrying.policy.attempts) {
        await pauseBeforeRetry(tools.retrying, { error, failures }, tools.signal);
        continue;
      }
      return isRepeat
        ? { kind: 'unknown', error: unknown(error, entries) }
        : { kind: 'refused', error };
    }
  }
}

async function sendBatch(
  { transport, signal }: DeliveryTools,
  target: DeliveryTarget,
  { body, contentType, count }: EncodedBatch & { readonly count: number },
): Promise<PublishAnswer> {
  const { stream, name, epoch, fencingToken, create } = target;
  const { bytes } = await transport.exchange({
    method: 'POST',
    path: `${streamPath(stream)}/messages`,
    query: { publisher: name, epoch, fencing_token: fencingToken, create: create || undefined },
    headers: { 'content-type': contentType },
    body,
    signal,
  });
  try {
    return parsePublishAnswer(bytes, count);
  } catch (cause) {
    // It was taken, or something between here and there says so.
    throw withPossibleEffects(cause);
  }
}

function withPossibleEffects(cause: unknown): unknown {
  if (!(cause instanceof ClientError)) return cause;
  const { code, message, retryable } = cause;
  return new ClientError(message, { code, retryable, sideEffects: 'possible', cause });
}

function unknown(error: ClientError, entries: readonly BatchEntry[]): ClientError {
  const { code, status, retryable, details } = error;
  const first = entries[0]?.id;
  const ids =
    first === undefined
      ? {}
      : { first_publishing_id: first, last_publishing_id: entries.at(-1)?.id };
  return new ClientError(
    `${error.message}: whether these ${entries.length} messages were stored is unknown`,
    {
      code,
      status,
      retryable,
      sideEffects: 'possible',
      details: { ...details, ...ids },
      cause: error,
    },
  );
}
