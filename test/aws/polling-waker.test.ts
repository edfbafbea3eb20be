import { expect, test } from 'vitest';
import { createPollingWaker, POLL_MS_MAX, POLL_MS_MIN } from '../../lib/aws/polling-waker.ts';
import { createLocalWaker } from '../../lib/process/local-waker.ts';
import { idOf } from '../support/batches.ts';
import { createManualClock } from '../support/manual-clock.ts';

const S = idOf(1);

/** A stream whose version is read, and how often it was. */
function createWatched(known: string | undefined = 'v1') {
  const clock = createManualClock(0);
  const stream = { version: 'v1' as string | undefined, reads: 0, fails: false };
  const waker = createPollingWaker({
    local: createLocalWaker(),
    clock,
    versions: {
      known: () => known,
      current: async () => {
        stream.reads++;
        if (stream.fails) throw new Error('no answer');
        return stream.version;
      },
    },
  });
  const watch = () => {
    const watching = waker.watch(S);
    const seen = { changes: 0 };
    const look = () =>
      void watching.changed(new AbortController().signal).then(() => {
        seen.changes++;
        look();
      });
    look();
    return { seen, close: () => watching.close() };
  };
  return { clock, stream, waker, watch };
}

test('LR2: a change by another process wakes every reader that waits, by one poll for all', async () => {
  const { clock, stream, watch } = createWatched();
  const watches = [watch(), watch(), watch()];
  await clock.advance(POLL_MS_MIN);
  expect(stream.reads).toBe(1);
  expect(watches.map(({ seen }) => seen.changes)).toEqual([0, 0, 0]);

  stream.version = 'v2';
  await clock.advance(POLL_MS_MAX);
  expect(stream.reads).toBe(2);
  expect(watches.map(({ seen }) => seen.changes)).toEqual([1, 1, 1]);
});

test('LR2: a change between what is known and the first poll is not slept through', async () => {
  const { clock, stream, watch } = createWatched();
  const { seen } = watch();
  stream.version = 'v2';
  await clock.advance(POLL_MS_MIN);

  expect(seen.changes).toBe(1);
});

test('LR2: of a stream that is not known the first poll wakes, for its change may be older', async () => {
  const { clock, watch } = createWatched('');
  const { seen } = watch();
  await clock.advance(POLL_MS_MIN);

  expect(seen.changes).toBe(1);
});

test('T13: readers of a deleted stream are woken', async () => {
  const { clock, stream, watch } = createWatched();
  const { seen } = watch();
  stream.version = undefined;
  await clock.advance(POLL_MS_MIN);

  expect(seen.changes).toBe(1);
});

test('a silent stream is polled less and less often, one that changed often again', async () => {
  const { clock, stream, watch } = createWatched();
  watch();
  for (let second = 0; second < 60; second++) {
    for (let step = 0; step < 10; step++) await clock.advance(100);
  }
  const silent = stream.reads;
  expect(silent).toBeGreaterThan(30);
  expect(silent).toBeLessThan(40);

  stream.version = 'v2';
  for (let step = 0; step < 30; step++) await clock.advance(100);
  expect(stream.reads - silent).toBeGreaterThan(4);
});

test('a poll that fails wakes nobody, and the next one is made', async () => {
  const { clock, stream, watch } = createWatched();
  const { seen } = watch();
  stream.fails = true;
  await clock.advance(POLL_MS_MIN);
  expect(seen.changes).toBe(0);

  Object.assign(stream, { fails: false, version: 'v2' });
  await clock.advance(POLL_MS_MAX);
  expect(seen.changes).toBe(1);
});

test('LR5: nothing is read when nobody waits any more', async () => {
  const { clock, stream, watch } = createWatched();
  const watches = [watch(), watch()];
  watches[0]?.close();
  watches[0]?.close();
  await clock.advance(POLL_MS_MIN);
  expect(stream.reads).toBe(1);

  watches[1]?.close();
  await clock.advance(10 * POLL_MS_MAX);
  expect(stream.reads).toBe(1);
  expect(clock.waiting()).toBe(0);
});

test('LR2: what this process commits wakes at once', async () => {
  const { clock, waker, watch } = createWatched();
  const { seen } = watch();
  waker.wake(S);
  await clock.advance(0);

  expect(seen.changes).toBe(1);
});
