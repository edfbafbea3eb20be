/** Very many messages that are due together: released once each, in their order, and in few commits. */
import { expect, test } from 'vitest';
import type { Append } from '../../lib/ports/log-store.ts';
import { createStream, STREAM } from '../contract/contract-steps.ts';
import { openMemoryUnderTest, type StoreUnderTest } from '../contract/store-under-test.ts';
import { bodiesIn, holding, releaseAt } from '../contract/timer-steps.ts';

const COUNT = 100_000;
const TOGETHER = 99;
const DUE_MS = 5_000;
const APPENDS = 200;

/** All are due within one second, in an order that is not that in which they come. */
function dueMsOf(index: number): number {
  return DUE_MS + ((index * 7_919) % 1_000);
}

async function holdAll({ log }: StoreUnderTest): Promise<void> {
  let appends: Append[] = [];
  for (let first = 0; first < COUNT; first += TOGETHER) {
    const count = Math.min(TOGETHER, COUNT - first);
    const wanted = Array.from({ length: count }, (_, at) => {
      return { body: String(first + at), dueMs: dueMsOf(first + at) };
    });
    appends.push({ stream: STREAM, timeMs: 1_000, ...holding(...wanted) });
    if (appends.length < APPENDS && first + count < COUNT) continue;
    await log.commit(appends);
    appends = [];
  }
}

test('L4 L5: a hundred thousand that are due in one second', async () => {
  const store = await openMemoryUnderTest();
  await createStream(store);
  await holdAll(store);
  expect(await store.timers.count()).toBe(COUNT);

  const { released, told } = await releaseAt(store, DUE_MS + 499);
  const { released: rest } = await releaseAt(store, DUE_MS + 999);

  expect(released + rest).toBe(COUNT);
  expect(told.length).toBeLessThanOrEqual(COUNT / 2 / 1_000 + 1);
  const expected = Array.from({ length: COUNT }, (_, index) => index);
  expected.sort((a, b) => dueMsOf(a) - dueMsOf(b) || a - b);
  expect(await bodiesIn(store, STREAM)).toEqual(expected.map(String));
  expect(await store.timers.count()).toBe(0);
  await store.close();
});
