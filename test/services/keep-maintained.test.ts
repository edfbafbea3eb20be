import { expect, test } from 'vitest';
import { createLocalWaker } from '../../lib/process/local-waker.ts';
import { keepMaintained } from '../../lib/services/keep-maintained.ts';
import { idOf } from '../support/batches.ts';
import { createManualClock } from '../support/manual-clock.ts';

const REPORT = { done: 0, failed: 0, overdueMs: 0, trimmed: [] };
const EVERY_MS = 10_000;

/** What a store may want sooner it is asked for after this. */
const PAUSE_MS = 250;

async function turn({ clock }: ReturnType<typeof partsOf>): Promise<void> {
  await clock.advance(PAUSE_MS);
  await clock.advance(EVERY_MS - PAUSE_MS);
}

function partsOf(told: string[] = []) {
  return {
    clock: createManualClock(0),
    telemetry: { error: (event: string) => void told.push(event) },
    waker: createLocalWaker(),
    everyMs: EVERY_MS,
  };
}

test('a store is maintained as often as is said, also after a run that failed, until it is told to end', async () => {
  const told: string[] = [];
  const parts = partsOf(told);
  const end = new AbortController();
  let runs = 0;
  const maintenance = {
    run: async () => {
      runs++;
      if (runs === 2) throw new Error('no answer');
      return REPORT;
    },
  };
  const ended = keepMaintained(maintenance, parts, end.signal);

  for (let turns = 1; turns <= 3; turns++) {
    await turn(parts);
    expect(runs).toBe(turns);
  }
  expect(told).toEqual(['maintenance_failed']);
  end.abort();
  await ended;
  await turn(parts);
  expect(runs).toBe(3);
});

test('a run that takes long is not joined by another', async () => {
  const parts = partsOf();
  const end = new AbortController();
  const { promise, resolve } = Promise.withResolvers<typeof REPORT>();
  let runs = 0;
  const maintenance = {
    run: () => {
      runs++;
      return promise;
    },
  };
  const ended = keepMaintained(maintenance, parts, end.signal);
  await turn(parts);
  for (let turns = 0; turns < 5; turns++) await turn(parts);
  expect(runs).toBe(1);

  resolve(REPORT);
  await parts.clock.advance(0);
  end.abort();
  await ended;
});

test('O16: who waits on a stream that was cut is woken, and no other', async () => {
  const parts = partsOf();
  const end = new AbortController();
  const trimmed = [idOf(1)];
  const ended = keepMaintained({ run: async () => ({ ...REPORT, trimmed }) }, parts, end.signal);
  const woken: string[] = [];
  const watches = [idOf(1), idOf(2)].map((id) => {
    const watch = parts.waker.watch(id);
    const changed = watch.changed(new AbortController().signal);
    void changed.then(() => woken.push(id));
    return watch;
  });

  await turn(parts);
  expect(woken).toEqual([idOf(1)]);
  for (const watch of watches) watch.close();
  end.abort();
  await ended;
});

test('work that is wanted at once does not wait for the next turn, but for more of it', async () => {
  const parts = partsOf();
  const end = new AbortController();
  let [runs, wake] = [0, () => {}];
  const maintenance = {
    run: async () => {
      runs++;
      return REPORT;
    },
    whenWanted: (listener: () => void) => {
      wake = listener;
      return () => {
        wake = () => {};
      };
    },
  };
  const ended = keepMaintained(maintenance, parts, end.signal);
  await parts.clock.advance(PAUSE_MS);
  wake();
  await parts.clock.advance(0);
  expect(runs).toBe(1);
  await parts.clock.advance(249);
  wake();
  await parts.clock.advance(0);
  expect(runs).toBe(1);
  await parts.clock.advance(1);
  wake();
  await parts.clock.advance(0);
  expect(runs).toBe(2);
  await turn(parts);
  expect(runs).toBe(3);
  end.abort();
  await ended;
});
