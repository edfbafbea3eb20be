import { expect, test } from 'vitest';
import { REQUEST_BYTES_MAX } from '../../lib/core/log/limits.ts';
import { readBody } from '../../lib/http/body/read-body.ts';
import { createBodyBudget, FREE_BYTES_MAX } from '../../lib/http/body-budget.ts';
import { settle } from '../support/manual-clock.ts';

const LARGE = FREE_BYTES_MAX + 1;

/** Whether the promise is settled once all that can run has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.then(() => {
    settled = true;
  });
  await settle();
  return settled;
}

function chunkedRequest(size: number): Request {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new Uint8Array(size));
      controller.close();
    },
  });
  return new Request('http://127.0.0.1/', { method: 'POST', body, duplex: 'half' });
}

test('large bodies wait for room, in the order they came, and small ones do not', async () => {
  const budget = createBodyBudget(2 * LARGE);
  const [first, second] = [await budget.acquire(LARGE), await budget.acquire(LARGE)];
  const third = budget.acquire(2 * LARGE);
  const fourth = budget.acquire(LARGE);

  expect(await isSettled(budget.acquire(FREE_BYTES_MAX))).toBe(true);
  first();
  first();
  expect(await isSettled(third)).toBe(false);
  second();
  expect(await isSettled(third)).toBe(true);
  expect(await isSettled(fourth)).toBe(false);
  (await third)();
  expect(await isSettled(fourth)).toBe(true);
});

test('a body above the whole budget passes alone', async () => {
  const budget = createBodyBudget(LARGE);
  const release = await budget.acquire(5 * LARGE);
  const next = budget.acquire(LARGE);

  expect(await isSettled(next)).toBe(false);
  release();
  expect(await isSettled(next)).toBe(true);
});

test('a body of unknown length takes room only once it is large, and gives it back', async () => {
  const budget = createBodyBudget(REQUEST_BYTES_MAX);
  const release = await budget.acquire(REQUEST_BYTES_MAX);
  const small = await readBody(chunkedRequest(FREE_BYTES_MAX), budget);
  expect(small.bytes.length).toBe(FREE_BYTES_MAX);

  const large = readBody(chunkedRequest(LARGE), budget);
  expect(await isSettled(large)).toBe(false);
  release();
  const held = await large;
  const next = budget.acquire(LARGE);
  expect(await isSettled(next)).toBe(false);
  held.release();
  expect(await isSettled(next)).toBe(true);
});
