import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { createLocalWaker } from '../../lib/process/local-waker.ts';
import { idOf } from '../support/batches.ts';

const [ONE, OTHER] = [idOf(1), idOf(2)];
const never = () => new AbortController().signal;

/** Whether the promise is settled once everything that is due now has run. */
async function isDone(promise: Promise<void>): Promise<boolean> {
  let done = false;
  void promise.then(() => {
    done = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return done;
}

describe('LR2: a watch', () => {
  test('ends its wait with every wake of its stream, and of no other', async () => {
    const waker = createLocalWaker();
    const watch = waker.watch(ONE);
    const waiting = watch.changed(never());

    waker.wake(OTHER);
    expect(await isDone(waiting)).toBe(false);
    waker.wake(ONE);
    expect(await isDone(waiting)).toBe(true);
    expect(await isDone(watch.changed(never()))).toBe(false);
  });

  test('remembers one wake from before the wait, however many there were', async () => {
    const waker = createLocalWaker();
    waker.wake(ONE);
    const watch = waker.watch(ONE);
    expect(await isDone(watch.changed(never()))).toBe(false);
    waker.wake(ONE);
    waker.wake(ONE);

    expect(await isDone(watch.changed(never()))).toBe(true);
    expect(await isDone(watch.changed(never()))).toBe(false);
  });

  test('is woken together with all others', async () => {
    const waker = createLocalWaker();
    const waits = Array.from({ length: 10_000 }, () => waker.watch(ONE).changed(never()));
    waker.wake(ONE);

    await Promise.all(waits);
  });

  test('of a crowd leaves turns to everyone else', async () => {
    const waker = createLocalWaker();
    const woken: number[] = [];
    const watches = Array.from({ length: 1_000 }, () => waker.watch(ONE));
    watches.forEach((watch, index) => {
      void watch.changed(never()).then(() => woken.push(index));
    });
    waker.wake(ONE);
    await new Promise((resolve) => setImmediate(resolve));
    const early = woken.length;
    while (woken.length < watches.length) await new Promise((resolve) => setImmediate(resolve));

    expect(early).toBeLessThan(200);
    expect(woken).toEqual(watches.map((_, index) => index));
  });

  test('is woken no more once it is closed, and lets go of who waits', async () => {
    const waker = createLocalWaker();
    const [watch, other] = [waker.watch(ONE), waker.watch(ONE)];
    const waiting = watch.changed(never());
    watch.close();

    expect(await isDone(waiting)).toBe(true);
    waker.wake(ONE);
    expect(await isDone(watch.changed(never()))).toBe(false);
    expect(await isDone(other.changed(never()))).toBe(true);
  });
});

describe('LR5: a signal', () => {
  test('ends a wait at once, also when it was aborted before', async () => {
    const watch = createLocalWaker().watch(ONE);
    const client = new AbortController();
    const waiting = watch.changed(client.signal);
    expect(await isDone(waiting)).toBe(false);
    client.abort();

    expect(await isDone(waiting)).toBe(true);
    expect(await isDone(watch.changed(client.signal))).toBe(true);
  });

  test('has no listener left of a wait that is over', async () => {
    const waker = createLocalWaker();
    const watch = waker.watch(ONE);
    const { signal } = new AbortController();
    for (let round = 0; round < 100; round++) {
      const waiting = watch.changed(signal);
      expect(getEventListeners(signal, 'abort')).toHaveLength(1);
      waker.wake(ONE);
      await waiting;
    }
    void watch.changed(signal);
    watch.close();

    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
