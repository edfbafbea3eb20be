import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ClientError } from '../../lib/client/client-error.ts';
import { backoffMs, RETRY_DEFAULTS, retried } from '../../lib/client/retry.ts';
import { createPromptTimer } from '../support/client-timers.ts';

const policy = { attempts: 4, firstMs: 100, maxMs: 1_000 };

test.each<[failures: number, random: number, ms: number]>([
  [1, 0, 50],
  [1, 0.999, 99.95],
  [2, 0, 100],
  [3, 0.5, 300],
  [5, 0, 500],
  [2_000, 0, 500],
])('after %i failures and with chance %d it waits %d ms', (failures, random, ms) => {
  expect(backoffMs(failures, policy, () => random)).toBeCloseTo(ms);
});

test('never longer than the longest step', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5_000 }),
      fc.double({ min: 0, max: 0.99, noNaN: true }),
      (n, chance) => {
        const ms = backoffMs(n, RETRY_DEFAULTS, () => chance);
        expect(ms).toBeGreaterThan(0);
        expect(ms).toBeLessThanOrEqual(RETRY_DEFAULTS.maxMs);
      },
    ),
  );
});

const fault = (retryable: boolean, retryAfterMs?: number) =>
  new ClientError('no', { code: 'unavailable', retryable, retryAfterMs });

async function tries(...faults: readonly ClientError[]) {
  const timer = createPromptTimer();
  const left = [...faults];
  const { signal } = new AbortController();
  const result = await retried({ policy, timer, random: () => 0 }, signal, async () => {
    const next = left.shift();
    if (next !== undefined) throw next;
    return 'done';
  }).catch((error: unknown) => error);
  return { result, waits: timer.waits };
}

test('work is tried again while it may help, and no longer', async () => {
  const again = fault(true);
  expect(await tries(again, again, again)).toEqual({ result: 'done', waits: [50, 100, 200] });
  expect(await tries(again, again, again, again)).toEqual({
    result: again,
    waits: [50, 100, 200],
  });
  const never = fault(false);
  expect(await tries(again, never)).toEqual({ result: never, waits: [50] });
});

test('the server is left alone for as long as it asks, within reason', async () => {
  const { waits } = await tries(fault(true, 3_000), fault(true, 10));

  expect(waits).toEqual([3_000, 100]);
});
