/** Clocks of processes: off by their own amount, moved by the world, never backwards in elapsed time. */
import { expect, test } from 'vitest';
import { CALM } from './faults.ts';
import { START_MS } from './simulated-clock.ts';
import { createWorld } from './world.ts';

const never = new AbortController().signal;

test('what waits is woken in its time, whoever it is', async () => {
  const world = createWorld({ seed: 1, faults: CALM });
  const woken: [string, number][] = [];
  for (const [name, ms] of [
    ['a', 5000],
    ['b', 100_000],
    ['c', 700],
  ] as const) {
    world.process(name, { skewMs: 0 }).run(async ({ clock }) => {
      const startMs = clock.elapsedMs();
      await clock.wait(ms, never);
      woken.push([name, ms]);
      expect(clock.elapsedMs() - startMs).toBeGreaterThanOrEqual(ms);
    });
  }
  expect(await world.run({ stepsMax: 100 })).toEqual({ kind: 'idle' });

  expect(woken.map(([name]) => name)).toEqual(['c', 'a', 'b']);
});

test('a wait that is aborted ends at once, an alarm that is called off never rings', async () => {
  const world = createWorld({ seed: 1, faults: CALM });
  const rung: string[] = [];
  const task = world.process('a').run(async ({ clock }) => {
    const startMs = clock.elapsedMs();
    const abort = new AbortController();
    const callOff = clock.alarm(10, () => rung.push('called off'));
    clock.alarm(20, () => rung.push('kept'));
    clock.alarm(30, () => abort.abort());
    callOff();
    await clock.wait(1_000_000, abort.signal);
    await clock.wait(1_000_000, abort.signal);
    return clock.elapsedMs() - startMs;
  });
  await world.run({ stepsMax: 100 });

  expect(rung).toEqual(['kept']);
  const state = task.state();
  expect(state.kind === 'done' && state.result).toBeLessThan(1000);
});

test('a wall clock is off by what its process is told, and stays so', async () => {
  const world = createWorld({ seed: 1, faults: CALM });
  const read = world.process('late', { skewMs: -60_000 }).run(async ({ clock }) => {
    const before = clock.nowMs();
    await clock.wait(1000, never);
    return [before, clock.nowMs()];
  });
  await world.run({ stepsMax: 100 });
  const state = read.state();
  const [before = 0, after = 0] = state.kind === 'done' ? state.result : [];

  expect(before - START_MS + 60_000).toBeLessThan(10);
  expect(after - before).toBeGreaterThanOrEqual(1000);
  expect(after - before).toBeLessThan(1010);
});

test('a wall clock that is set may go backwards, elapsed time does not', async () => {
  const world = createWorld({ seed: 1, faults: { ...CALM, clockStep: 30 } });
  const task = world.process('a').run(async ({ clock }) => {
    const readings: { readonly now: number; readonly elapsed: number }[] = [];
    for (let round = 0; round < 50; round++) {
      readings.push({ now: clock.nowMs(), elapsed: clock.elapsedMs() });
      await clock.wait(1, never);
    }
    return readings;
  });
  await world.run({ stepsMax: 1000 });
  const state = task.state();
  const readings = state.kind === 'done' ? state.result : [];

  expect(isRising(readings.map(({ now }) => now))).toBe(false);
  expect(isRising(readings.map(({ elapsed }) => elapsed))).toBe(true);
});

function isRising(values: readonly number[]): boolean {
  return values.every((value, index) => index === 0 || value >= (values[index - 1] ?? value));
}
