import { expect, test } from 'vitest';
import { keepMaintained, MAINTAIN_EVERY_MS } from '../../lib/services/keep-maintained.ts';
import { createManualClock } from '../support/manual-clock.ts';

const REPORT = { done: 0, failed: 0, overdueMs: 0 };

test('a store is maintained every minute, also after a run that failed, until it is told to end', async () => {
  const clock = createManualClock(0);
  const end = new AbortController();
  const told: string[] = [];
  let runs = 0;
  const maintenance = {
    run: async () => {
      runs++;
      if (runs === 2) throw new Error('no answer');
      return REPORT;
    },
  };
  const telemetry = { error: (event: string) => void told.push(event) };
  const ended = keepMaintained(maintenance, { clock, telemetry }, end.signal);

  for (let minute = 1; minute <= 3; minute++) {
    await clock.advance(MAINTAIN_EVERY_MS);
    expect(runs).toBe(minute);
  }
  expect(told).toEqual(['maintenance_failed']);
  end.abort();
  await ended;
  await clock.advance(MAINTAIN_EVERY_MS);
  expect(runs).toBe(3);
});

test('a run that takes long is not joined by another', async () => {
  const clock = createManualClock(0);
  const end = new AbortController();
  const { promise, resolve } = Promise.withResolvers<typeof REPORT>();
  let runs = 0;
  const maintenance = {
    run: () => {
      runs++;
      return promise;
    },
  };
  const ended = keepMaintained(maintenance, { clock, telemetry: { error() {} } }, end.signal);
  await clock.advance(MAINTAIN_EVERY_MS);
  await clock.advance(5 * MAINTAIN_EVERY_MS);
  expect(runs).toBe(1);

  resolve(REPORT);
  await clock.advance(0);
  end.abort();
  await ended;
});
