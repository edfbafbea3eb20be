import { describe, expect, test } from 'vitest';
import { DueAlarm } from '../../lib/services/due-alarm.ts';
import { createManualClock } from '../support/manual-clock.ts';

function wait(atMs: number) {
  const clock = createManualClock(1_000);
  const alarm = new DueAlarm(clock);
  const signal = new AbortController();
  let isOver = false;
  const over = alarm.until(atMs, signal.signal).then(() => {
    isOver = true;
  });
  return { clock, alarm, signal, over, isOver: () => isOver };
}

describe('the alarm', () => {
  test('L11: rings at its time, and not before', async () => {
    const { clock, isOver } = wait(1_500);
    await clock.advance(499);
    expect(isOver()).toBe(false);
    await clock.advance(1);
    expect(isOver()).toBe(true);
    expect(clock.waiting()).toBe(0);
  });

  test('L11: rings sooner for what comes in and is due sooner', async () => {
    const { clock, alarm, isOver } = wait(9_000);
    alarm.notice(1_200);
    alarm.notice(5_000);
    await clock.advance(199);
    expect(isOver()).toBe(false);
    await clock.advance(1);
    expect(isOver()).toBe(true);
  });

  test('L11: at once for what is due, and for what was noticed while nobody waited', async () => {
    const clock = createManualClock(1_000);
    const alarm = new DueAlarm(clock);
    const { signal } = new AbortController();
    await alarm.until(1_000, signal);
    alarm.notice(900);
    await alarm.until(9_000, signal);
    // What it has rung for is forgotten.
    const waiting = alarm.until(1_100, signal);
    expect(clock.waiting()).toBe(1);
    await clock.advance(100);
    await waiting;
  });

  test('L11: a wall clock that lags behind elapsed time makes it wait on', async () => {
    const { clock, isOver } = wait(1_500);
    clock.set(900);
    await clock.advance(500);
    expect(isOver()).toBe(false);
    await clock.advance(100);
    expect(isOver()).toBe(true);
  });

  test('ends when it is told to', async () => {
    const { clock, signal, over } = wait(9_000);
    signal.abort();
    await over;
    expect(clock.waiting()).toBe(0);
  });
});
