/** What `Server-Timing` says of calls one after the other, together, and under way. */
import { expect, test } from 'vitest';
import { RequestTiming } from '../../lib/http/request-timing.ts';
import { createManualClock } from '../support/manual-clock.ts';

const clockAt0 = () => createManualClock(0);

test('is nothing while the store was not asked', () => {
  expect(new RequestTiming(clockAt0()).serverTiming()).toBeUndefined();
});

test('adds up calls one after the other, and leaves out what is between', async () => {
  const clock = clockAt0();
  const timing = new RequestTiming(clock);
  await clock.advance(1);
  await timing.within(() => clock.advance(20));
  await clock.advance(300);
  await timing.within(() => clock.advance(0.25));

  expect(timing.serverTiming()).toBe('store;dur=20.250, total;dur=321.250');
});

test('counts calls under way at the same time once', async () => {
  const clock = clockAt0();
  const timing = new RequestTiming(clock);
  timing.enterStore();
  await clock.advance(10);
  timing.enterStore();
  await clock.advance(10);
  timing.leaveStore();
  await clock.advance(10);
  timing.leaveStore();
  await clock.advance(70);

  expect(timing.serverTiming()).toBe('store;dur=30.000, total;dur=100.000');
});

test('counts a call that fails, and one that is under way', async () => {
  const clock = clockAt0();
  const timing = new RequestTiming(clock);
  const failing = timing.within(async () => {
    await clock.advance(5);
    throw new Error('away');
  });
  await expect(failing).rejects.toThrow('away');
  timing.enterStore();
  await clock.advance(2);

  expect(timing.serverTiming()).toBe('store;dur=7.000, total;dur=7.000');
});

test.each([
  [0.0004, '0.000'],
  [0.0005, '0.001'],
  [0.9996, '1.000'],
  [12.0307, '12.031'],
  [61_000, '61000.000'],
])('writes %d ms as %s', async (ms, text) => {
  const clock = clockAt0();
  const timing = new RequestTiming(clock);
  await timing.within(() => clock.advance(ms));

  expect(timing.serverTiming()).toBe(`store;dur=${text}, total;dur=${text}`);
});

test('ends with the head: what comes later is not the request’s', async () => {
  const clock = clockAt0();
  const timing = new RequestTiming(clock);
  await timing.within(() => clock.advance(3));
  timing.serverTiming();
  await clock.advance(50);

  expect(timing.headMs()).toBe(3);
});
