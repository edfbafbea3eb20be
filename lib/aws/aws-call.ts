/**
 * Sends one request to AWS under a time limit, and again where that is right: a request that certainly
 * had no effect always, any other only when its repetition is harmless. The SDK's own retries are off,
 * since they cannot tell the two apart. Nothing waits without end. What remains is a StoreError whose side
 * effects are those of all attempts together: throttled after a lost answer is still `possible`.
 */
import type { Clock } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import { AttemptTimeout, errorOf, type Failure, failureOf } from './aws-error.ts';
import type { AwsMetrics, AwsService, OperationMetrics } from './aws-metrics.ts';

export interface AwsRequest<Answer> {
  /** `none` also for what nobody can see: an object that nothing refers to yet. */
  readonly effect: 'none' | 'repeatable' | 'once';
  send(signal: AbortSignal): Promise<Answer>;
  /** The answer that an error of the service stands for, such as a condition that did not hold. */
  refusal?(error: unknown): { readonly answer: Answer } | undefined;
}

export type AwsOperation = <Answer>(request: AwsRequest<Answer>) => Promise<Answer>;

export interface AwsCalls {
  /** Once for each kind of request: it is what metrics and errors name. */
  operation(service: AwsService, name: string): AwsOperation;
  /** Before asking again for what a batch left over; `round` counts from 1. */
  pause(round: number): Promise<void>;
  /** Ends all pauses: what waits to be sent again fails instead. */
  close(): void;
}

export interface AwsCallOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: AwsMetrics;
}

/**
 * DynamoDB answers in milliseconds, a transaction of 100 items or a batch of 16 MB within one second.
 * Objects have up to 8 MiB and slow networks: at 15 s they come with less than 5 Mbit/s.
 */
const LIMIT_MS = { dynamodb: 5_000, s3: 15_000 };
/** A publisher has given up by then; without it four timeouts of S3 would take a minute. */
const REPEAT_WITHIN_MS = 20_000;
/** Full jitter up to base × 2^(n-1): writers that met once do not meet again in step. */
const PACES = {
  soon: { attempts: 8, baseMs: 10, capMs: 200 },
  later: { attempts: 4, baseMs: 50, capMs: 1_000 },
};

type Attempt<Answer> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly cause: unknown };

interface Operation {
  readonly service: AwsService;
  readonly name: string;
  readonly metrics: OperationMetrics;
}

export function createAwsCalls({ clock, random, metrics }: AwsCallOptions): AwsCalls {
  const closing = new AbortController();

  async function run<Answer>(operation: Operation, request: AwsRequest<Answer>): Promise<Answer> {
    const startMs = clock.elapsedMs();
    let sideEffects: 'none' | 'possible' = 'none';
    for (let attempt = 1; ; attempt++) {
      const result = await tryOnce(operation, request);
      if (result.kind === 'answered') return result.answer;

      const { failure, cause } = result;
      if (failure.effect === 'unknown' && request.effect !== 'none') sideEffects = 'possible';
      const pause = pauseBefore(failure, request.effect, attempt);
      const isWaited = pause !== undefined && (await waited(pause, startMs));
      if (!isWaited) throw errorOf(failure, { operation: operation.name, sideEffects, cause });
    }
  }

  /** False when it is too late to go on. */
  async function waited(ms: number, startMs: number): Promise<boolean> {
    if (clock.elapsedMs() - startMs >= REPEAT_WITHIN_MS) return false;
    await clock.wait(jittered(ms), closing.signal);
    return !closing.signal.aborted;
  }

  async function tryOnce<Answer>(
    operation: Operation,
    request: AwsRequest<Answer>,
  ): Promise<Attempt<Answer>> {
    const startMs = clock.elapsedMs();
    const end = (outcome: Failure['outcome'] | 'done' | 'refused') =>
      operation.metrics.ended(outcome, (clock.elapsedMs() - startMs) / 1_000);
    try {
      const answer = await limited(clock, LIMIT_MS[operation.service], request);
      end('done');
      return { kind: 'answered', answer };
    } catch (cause) {
      const refusal = request.refusal?.(cause);
      if (refusal !== undefined) {
        end('refused');
        return { kind: 'answered', answer: refusal.answer };
      }
      const failure = failureOf(cause);
      end(failure.outcome);
      return { kind: 'failed', failure, cause };
    }
  }

  function jittered(ms: number): number {
    return (ms * Number.parseInt(random.hex128().slice(0, 8), 16)) / 2 ** 32;
  }

  return {
    operation(service, name) {
      const operation = { service, name, metrics: metrics.operation(service, name) };
      return (request) => run(operation, request);
    },
    pause: (round) => clock.wait(jittered(paced(PACES.later, round)), closing.signal),
    close: () => closing.abort(),
  };
}

/** Rejects at the limit whatever the SDK does: looking for credentials, for one, cannot be aborted. */
async function limited<Answer>(
  clock: Clock,
  limitMs: number,
  request: AwsRequest<Answer>,
): Promise<Answer> {
  const given = new AbortController();
  const late = Promise.withResolvers<never>();
  const cancel = clock.alarm(limitMs, () => {
    late.reject(new AttemptTimeout());
    given.abort();
  });
  try {
    return await Promise.race([request.send(given.signal), late.promise]);
  } finally {
    cancel();
  }
}

/** Undefined when the request must not or need not be sent again. */
function pauseBefore(
  failure: Failure,
  effect: AwsRequest<unknown>['effect'],
  attempt: number,
): number | undefined {
  if (failure.again === 'no') return undefined;
  if (effect === 'once' && failure.effect === 'unknown') return undefined;

  const pace = PACES[failure.again];
  return attempt < pace.attempts ? paced(pace, attempt) : undefined;
}

function paced({ baseMs, capMs }: (typeof PACES)['soon'], round: number): number {
  return Math.min(capMs, baseMs * 2 ** (round - 1));
}
