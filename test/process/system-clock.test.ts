import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { createSystemClock } from '../../lib/process/system-clock.ts';
import { createSystemRandom } from '../../lib/process/system-random.ts';

const clock = createSystemClock();

test('a wait ends after its time and leaves no listener', async () => {
  const { signal } = new AbortController();
  await clock.wait(1, signal);
  await clock.wait(0, signal);

  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('LR5: a wait ends as soon as its signal aborts, also when it did before', async () => {
  const client = new AbortController();
  const waiting = clock.wait(1_000_000, client.signal);
  client.abort();
  await waiting;
  await clock.wait(1_000_000, client.signal);

  expect(getEventListeners(client.signal, 'abort')).toEqual([]);
});

test('the clock says milliseconds since 1970', () => {
  const before = Date.now();
  const nowMs = clock.nowMs();

  expect(nowMs).toBeGreaterThanOrEqual(before);
  expect(nowMs).toBeLessThanOrEqual(Date.now());
});

test('random ids are 32 hex digits and never the same', () => {
  const random = createSystemRandom();
  const ids = Array.from({ length: 1_000 }, () => random.hex128());

  expect(ids.filter((id) => !/^[0-9a-f]{32}$/.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(1_000);
});
