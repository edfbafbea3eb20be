/**
 * The one place where errors of the AWS SDK get their meaning: whether the request can have had an effect,
 * whether it is worth sending again, and which {@link StoreError} the caller sees in the end. Codes are
 * those of the services' documentation; whatever is not known here counts as an unknown effect.
 */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { StoreError } from '../ports/store-error.ts';
import type { AwsOutcome } from './aws-metrics.ts';

export interface Failure {
  readonly outcome: Exclude<AwsOutcome, 'done' | 'refused'>;
  /** `fault`: this program asked for something that is never possible. */
  readonly kind: 'unavailable' | 'timeout' | 'fault';
  /** What this one request can have done. */
  readonly effect: 'none' | 'unknown';
  /** `soon`: it met another writer, who is done in a moment. `later`: the service wants less load. */
  readonly again: 'no' | 'soon' | 'later';
  /** The service's or the network's name for it. */
  readonly code: string;
}

/** Given as the reason when an attempt is given up because it took too long. */
export class AttemptTimeout extends Error {
  override readonly name = 'AttemptTimeout';
}

type Meaning = Omit<Failure, 'code'>;

const THROTTLED: Meaning = {
  outcome: 'throttled',
  kind: 'unavailable',
  effect: 'none',
  again: 'later',
};
const CONFLICT: Meaning = {
  outcome: 'conflict',
  kind: 'unavailable',
  effect: 'none',
  again: 'soon',
};
const FAULT: Meaning = { outcome: 'failed', kind: 'fault', effect: 'none', again: 'no' };
const TIMEOUT: Meaning = { outcome: 'timeout', kind: 'timeout', effect: 'unknown', again: 'later' };
/** Refused before anything happened: permissions, credentials, a table or bucket that is not there. */
const DENIED: Meaning = { outcome: 'failed', kind: 'unavailable', effect: 'none', again: 'no' };
const NEVER_SENT: Meaning = {
  outcome: 'failed',
  kind: 'unavailable',
  effect: 'none',
  again: 'later',
};
const BROKEN: Meaning = {
  outcome: 'failed',
  kind: 'unavailable',
  effect: 'unknown',
  again: 'later',
};

const MEANINGS: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ['ThrottlingException', THROTTLED],
  ['Throttling', THROTTLED],
  ['ThrottlingError', THROTTLED],
  ['ProvisionedThroughputExceededException', THROTTLED],
  ['ProvisionedThroughputExceeded', THROTTLED],
  ['RequestLimitExceeded', THROTTLED],
  ['SlowDown', THROTTLED],
  ['TooManyRequestsException', THROTTLED],
  ['TransactionConflictException', CONFLICT],
  ['TransactionConflict', CONFLICT],
  ['ConditionalRequestConflict', CONFLICT],
  ['OperationAborted', CONFLICT],
  // The same token is being worked on: what the earlier request does is not known yet.
  ['TransactionInProgressException', { ...CONFLICT, effect: 'unknown', again: 'later' }],
  ['RequestTimeout', TIMEOUT],
  ['AttemptTimeout', TIMEOUT],
  ['ValidationException', FAULT],
  ['ValidationError', FAULT],
  ['SerializationException', FAULT],
  ['IdempotentParameterMismatchException', FAULT],
  ['ItemCollectionSizeLimitExceededException', FAULT],
  ['ItemCollectionSizeLimitExceeded', FAULT],
  ['CredentialsProviderError', DENIED],
  ['ECONNREFUSED', NEVER_SENT],
  ['ENOTFOUND', NEVER_SENT],
  ['EAI_AGAIN', NEVER_SENT],
]);

/** What the HTTP handler says when it gave up before it had a connection; it gives no code. */
const NO_CONNECTION = 'did not establish a connection';

export function failureOf(error: unknown): Failure {
  if (error instanceof TransactionCanceledException) return cancellation(error);
  const code = codeOf(error);
  return { ...meaningOf(error, code), code };
}

/** A fault of this program becomes a plain error, which is answered as one. */
export function errorOf(
  failure: Failure,
  call: {
    readonly operation: string;
    readonly sideEffects: 'none' | 'possible';
    readonly cause: unknown;
  },
): Error {
  const { operation, sideEffects, cause } = call;
  const message = `${operation} failed: ${failure.code}`;
  if (failure.kind === 'fault') return new Error(message, { cause });
  return new StoreError(message, { kind: failure.kind, sideEffects, cause });
}

function meaningOf(error: unknown, code: string): Meaning {
  const known = MEANINGS.get(code);
  if (known !== undefined) return known;
  if (wasNeverSent(error)) return NEVER_SENT;
  if (code === 'TimeoutError' || code === 'ETIMEDOUT') return TIMEOUT;

  const { status, skewCorrected } = answerOf(error);
  // The SDK has learnt the service's time from this answer and signs the next request with it.
  if (skewCorrected) return NEVER_SENT;
  if (status === 429) return THROTTLED;
  return status !== undefined && status >= 400 && status < 500 ? DENIED : BROKEN;
}

/** Nothing of a canceled transaction was written. The gravest of its reasons decides. */
function cancellation({ CancellationReasons = [] }: TransactionCanceledException): Failure {
  const codes = CancellationReasons.flatMap(({ Code }) =>
    Code === undefined || Code === 'None' ? [] : [Code],
  );
  const meanings = codes.map((code) => MEANINGS.get(code) ?? DENIED);
  const gravest = [FAULT, DENIED, THROTTLED, CONFLICT].find((one) => meanings.includes(one));
  return {
    ...(gravest ?? CONFLICT),
    code: ['TransactionCanceledException', ...new Set(codes)].join(' '),
  };
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'UnknownError';
  // Errors of the network carry their code apart; those of a service have it as their name.
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

function wasNeverSent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('syscall' in error && error.syscall === 'connect') return true;
  return error.name === 'TimeoutError' && error.message.includes(NO_CONNECTION);
}

interface Answer {
  readonly status?: number;
  readonly skewCorrected: boolean;
}

function answerOf(error: unknown): Answer {
  const metadata =
    error instanceof Error && '$metadata' in error ? Object(error.$metadata) : Object();
  const skewCorrected = metadata.clockSkewCorrected === true;
  const status: unknown = metadata.httpStatusCode;
  return typeof status === 'number' ? { status, skewCorrected } : { skewCorrected };
}
