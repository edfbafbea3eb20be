/** When a failed request is tried again: exponential back-off with jitter, bounded, never before the server asked for. */
import { ClientError } from './client-error.ts';
import { type Timer, wait } from './timer.ts';

export interface RetryPolicy {
  /** Tries in a row before the failure is told; 1 never tries again. */
  readonly attempts: number;
  /** Before the second try; doubled for each one after. */
  readonly firstMs: number;
  readonly maxMs: number;
}

/** Half a minute in all: a server that is restarted is back by then. */
export const RETRY_DEFAULTS: RetryPolicy = { attempts: 10, firstMs: 100, maxMs: 10_000 };

/** Longer ones are cut: a caller that is kept waiting should be told why. */
const RETRY_AFTER_MS_MAX = 60_000;

export interface RetryEvent {
  readonly error: ClientError;
  /** Tries in a row that have failed. */
  readonly failures: number;
  readonly delayMs: number;
}

export interface Retrying {
  readonly policy: RetryPolicy;
  readonly timer: Timer;
  /** In [0, 1). */
  readonly random: () => number;
  /** Told before each wait. */
  readonly onRetry?: (event: RetryEvent) => void;
}

/** Waits for the next try. */
export async function pauseBeforeRetry(
  { policy, timer, random, onRetry }: Retrying,
  { error, failures }: { readonly error: ClientError; readonly failures: number },
  signal: AbortSignal,
): Promise<void> {
  const askedMs = Math.min(error.retryAfterMs ?? 0, RETRY_AFTER_MS_MAX);
  const delayMs = Math.max(backoffMs(failures, policy, random), askedMs);
  onRetry?.({ error, failures, delayMs });
  await wait(timer, delayMs, signal);
}

/** Between half of the step and all of it, so that clients that failed together come back apart. */
export function backoffMs(failures: number, policy: RetryPolicy, random: () => number): number {
  const step = Math.min(policy.firstMs * 2 ** (failures - 1), policy.maxMs);
  return (step * (1 + random())) / 2;
}

/** Tries work without side effects until it succeeds, or the policy or the failure forbids it. */
export async function retried<Result>(
  retrying: Retrying,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let failures = 1; ; failures++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ClientError) || !error.retryable) throw error;
      if (failures >= retrying.policy.attempts) throw error;
      await pauseBeforeRetry(retrying, { error, failures }, signal);
    }
  }
}
