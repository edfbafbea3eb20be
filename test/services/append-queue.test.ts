import { describe, expect, onTestFinished, test } from 'vitest';
import { openMemory } from '../../lib/embedded/embedded-store.ts';
import type { Append, LogStore } from '../../lib/ports/log-store.ts';
import { createLocalWaker } from '../../lib/process/local-waker.ts';
import { createSystemClock } from '../../lib/process/system-clock.ts';
import { createAppendQueue } from '../../lib/services/append-queue.ts';
import { append } from '../contract/contract-steps.ts';
import { batchOfSize, idOf, streamName } from '../support/batches.ts';
import { settle } from '../support/manual-clock.ts';

const MIB = 1024 * 1024;

/** A queue on a real store, that runs when told to, and what it committed together. */
function createQueue(commit?: LogStore['commit'], lanes?: 'one' | 'stream') {
  const store = openMemory({ clock: createSystemClock() });
  onTestFinished(() => store.close());
  const groups: (readonly Append[])[] = [];
  const deferred: (() => void)[] = [];
  const woken: string[] = [];
  const waker = createLocalWaker();
  const queue = createAppendQueue({
    log: {
      ...store.log,
      commit: (appends) => {
        groups.push(appends);
        return (commit ?? store.log.commit)(appends);
      },
    },
    waker: {
      ...waker,
      wake: (streamId) => {
        woken.push(streamId);
        waker.wake(streamId);
      },
    },
    defer: (run) => deferred.push(run),
    ...(lanes && { lanes }),
  });
  const run = async () => {
    for (const start of deferred.splice(0)) start();
    await settle();
  };
  return { queue, run, store, groups, deferred, woken };
}

const creating = (body: string, stream = 's') =>
  append([body], { stream: streamName(stream), createAs: idOf(stream.charCodeAt(0)) });

const sizesOf = (groups: readonly (readonly Append[])[]) => groups.map(({ length }) => length);

test('P1: what arrives together is committed together, in order, over all streams', async () => {
  const { queue, run, groups } = createQueue();
  const outcomes = [creating('a'), creating('b', 't'), creating('c')].map((one) =>
    queue.submit(one),
  );
  expect(groups).toEqual([]);
  await run();

  expect(sizesOf(groups)).toEqual([3]);
  expect(await Promise.all(outcomes)).toMatchObject([
    { kind: 'stored', start: 0 },
    { kind: 'stored', start: 0 },
    { kind: 'stored', start: 1 },
  ]);
});

test('D6: one commit is under way at a time, and what comes meanwhile is the next', async () => {
  const gate = Promise.withResolvers<void>();
  const { queue, run, store, groups, deferred } = createQueue(async (appends) => {
    if (groups.length === 1) await gate.promise;
    return await store.log.commit(appends);
  });
  const first = queue.submit(creating('a'));
  await run();
  const later = ['b', 'c'].map((body) => queue.submit(creating(body)));
  await settle();
  expect(sizesOf(groups)).toEqual([1]);
  expect(deferred).toEqual([]);

  gate.resolve();
  expect(await Promise.all([first, ...later])).toMatchObject([
    { start: 0 },
    { start: 1 },
    { start: 2 },
  ]);
  expect(sizesOf(groups)).toEqual([1, 2]);
});

test('P1: after a pause it begins again', async () => {
  const { queue, run, groups } = createQueue();
  for (const body of ['a', 'b']) {
    const outcome = queue.submit(creating(body));
    await run();
    expect(await outcome).toMatchObject({ kind: 'stored' });
  }

  expect(sizesOf(groups)).toEqual([1, 1]);
});

describe('a commit takes', () => {
  test('P1: at most 1024 appends', async () => {
    const { queue, run, groups } = createQueue();
    const outcomes = Array.from({ length: 2_500 }, (_, n) => queue.submit(creating(`${n}`)));
    await run();
    const ranges = await Promise.all(outcomes);

    expect(sizesOf(groups)).toEqual([1_024, 1_024, 452]);
    expect(ranges).toMatchObject(outcomes.map((_, start) => ({ kind: 'stored', start })));
  });

  test('P1: at most 8 MiB, but one append however large', async () => {
    const sizes = [9, 1, 4, 3.5, 1, 9, 9, 1];
    const { queue, run, groups } = createQueue();
    const outcomes = sizes.map((mib) => {
      const batch = batchOfSize(1, mib * MIB);
      return queue.submit(append(batch, { createAs: idOf(1) }));
    });
    await run();
    await Promise.all(outcomes);

    expect(sizesOf(groups)).toEqual([1, 2, 2, 1, 1, 1]);
  });
});

describe('a commit that fails', () => {
  test('P7: refuses all of its appends with the very error, and no later one', async () => {
    const failure = new Error('disk');
    const { queue, run, store, groups, woken } = createQueue((appends) => {
      if (groups.length === 1) throw failure;
      return store.log.commit(appends);
    });
    const failed = ['a', 'b'].map((body) => queue.submit(creating(body)));
    const settled = Promise.allSettled(failed);
    await run();

    expect(await settled).toEqual([
      { status: 'rejected', reason: failure },
      { status: 'rejected', reason: failure },
    ]);
    expect(woken).toEqual([]);
    const later = queue.submit(creating('c'));
    await run();
    expect(await later).toMatchObject({ kind: 'stored', start: 0 });
  });

  test('P7: to decide every append refuses the one left out', async () => {
    const { queue, run, store } = createQueue(async (appends) =>
      (await store.log.commit(appends)).slice(0, 1),
    );
    const [first, second] = [queue.submit(creating('a')), queue.submit(creating('b'))];
    const settled = Promise.allSettled([first, second]);
    await run();

    expect(await settled).toMatchObject([
      { status: 'fulfilled', value: { kind: 'stored' } },
      { status: 'rejected', reason: { message: 'a commit left append 1 undecided' } },
    ]);
  });
});

test('LR2: each stream that something was stored on is woken once', async () => {
  const { queue, run, woken } = createQueue();
  const outcomes = [
    creating('a'),
    creating('b'),
    creating('c', 't'),
    { ...creating('d', 'u'), expectedOffset: 5 },
    append(['e'], { stream: streamName('missing') }),
  ].map((one) => queue.submit(one));
  await run();

  expect((await Promise.all(outcomes)).map(({ kind }) => kind)).toEqual([
    'stored',
    'stored',
    'stored',
    'reject',
    'reject',
  ]);
  expect(woken).toEqual([idOf('s'.charCodeAt(0)), idOf('t'.charCodeAt(0))]);
});

test('P1: with a lane for each stream a slow commit holds up its own stream only', async () => {
  const slow = Promise.withResolvers<never>();
  const { queue, run, groups, store } = createQueue(
    (appends) => (appends[0]?.stream === 's' ? slow.promise : store.log.commit(appends)),
    'stream',
  );
  const waiting = [creating('a'), creating('b', 't')].map((one) => queue.submit(one));
  await run();
  waiting.push(queue.submit(creating('c')), queue.submit(creating('d', 't')));
  await run();

  expect(groups.map(([first]) => first?.stream)).toEqual(['s', 't', 't']);
  expect(await waiting[1]).toMatchObject({ start: 0, end: 1 });
  expect(await waiting[3]).toMatchObject({ start: 1, end: 2 });
  slow.reject(new Error('gone'));
  await expect(waiting[0]).rejects.toThrow('gone');
  await expect(waiting[2]).rejects.toThrow('gone');
});
