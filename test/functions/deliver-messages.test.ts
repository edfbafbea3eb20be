/** How the deliver function keeps time: it stays for what is due soon, and is woken for what comes meanwhile. */
import { beforeEach, describe, expect, test } from 'vitest';
import { deliverMessages } from '../../functions/deliver-messages.ts';
import { createPrometheusMeter } from '../../lib/http/prometheus-meter.ts';
import { createLocalWaker } from '../../lib/process/local-waker.ts';
import { createSystemRandom } from '../../lib/process/system-random.ts';
import { createComponents } from '../../lib/services/create-components.ts';
import { createLogMetrics } from '../../lib/services/log-metrics.ts';
import { append, createStream, publish, STREAM } from '../contract/contract-steps.ts';
import { bodiesIn, holding } from '../contract/timer-steps.ts';
import { settle } from '../support/manual-clock.ts';
import { type MemoryAws, openMemoryAws } from '../support/memory-aws.ts';

const RAISES = 'SET #w = :one';
const TAKES_DOWN = 'SET #w = :zero';

let store: MemoryAws;
let meanwhile:
  | { update: string; moment: 'before' | 'after'; work: () => Promise<void> }
  | undefined;
let woken: number;

beforeEach(async () => {
  woken = 0;
  meanwhile = undefined;
  store = openMemoryAws({
    table: (table) => ({
      ...table,
      async update(request, repeat) {
        const beside = meanwhile?.update === request.update ? meanwhile : undefined;
        if (beside !== undefined) meanwhile = undefined;
        if (beside?.moment === 'before') await beside.work();
        const result = await table.update(request, repeat);
        if (beside?.moment === 'after') await beside.work();
        return result;
      },
    }),
    wakeDeliverer: async () => {
      woken++;
    },
  });
  await createStream(store);
});

/** Once, just before or after the next update of this kind. */
function beside(update: string, moment: 'before' | 'after', work: () => Promise<void>) {
  meanwhile = { update, moment, work };
}

async function hold(body: string, inMs: number) {
  const nowMs = store.clock.nowMs();
  const { batch, delays } = holding({ body, dueMs: nowMs + inMs });
  await publish(store, append(batch, { delays, timeMs: nowMs }));
}

/** A run of the function, as far as the clock is moved. */
function deliver() {
  const { clock } = store;
  const metrics = createLogMetrics(createPrometheusMeter());
  const parts = { clock, random: createSystemRandom(), metrics, defer: (run: () => void) => run() };
  const components = createComponents({ store: { ...store, waker: createLocalWaker() }, ...parts });
  const stop = new AbortController();
  const run = { report: undefined as unknown, stop };
  const ended = deliverMessages({ components, store }, stop.signal).then((report) => {
    run.report = report;
  });
  return { ended, run };
}

async function pass(ms: number) {
  for (let left = ms; left > 0; left -= 250) {
    await store.clock.advance(Math.min(left, 250));
    await settle();
  }
}

const bodies = () => bodiesIn({ ...store, close: async () => {} }, STREAM);

describe('a run', () => {
  test('L11: ends at once when nothing is due within its time', async () => {
    await hold('later', 90_000);
    const { ended } = deliver();
    await ended;
    expect(store.clock.waiting()).toBe(0);
    expect(woken).toBe(0);
  });

  test('L11: stays for what is due within it, and releases that at its time', async () => {
    await hold('soon', 10_000);
    const { ended, run } = deliver();
    await settle();
    await pass(9_750);
    expect(await bodies()).toEqual([]);
    await pass(250);
    expect(await bodies()).toEqual(['soon']);
    await ended;
    expect(run.report).toEqual({ done: 1, failed: 0, overdueMs: 0 });
  });

  test('L11: sees what comes in meanwhile and is due before', async () => {
    await hold('last', 50_000);
    const { ended } = deliver();
    await settle();
    await pass(5_000);
    await hold('first', 1_000);
    await pass(2_000);
    expect(await bodies()).toEqual(['first']);
    await pass(50_000);
    await ended;
    expect(await bodies()).toEqual(['first', 'last']);
  });
});

describe('who accepts a message', () => {
  test('wakes for one that is due within a minute, once until somebody has looked', async () => {
    await hold('a', 10_000);
    await hold('b', 5_000);
    await hold('c', 70_000);
    expect(woken).toBe(1);
    const { ended } = deliver();
    await settle();
    await pass(15_000);
    await ended;
    expect(await bodies()).toEqual(['b', 'a']);
    await hold('d', 5_000);
    expect(woken).toBe(2);
  });

  test.each(['before', 'after'] as const)(
    'is not late when its message comes just %s the last sign is taken down',
    async (moment) => {
      await hold('early', 1_000);
      beside(TAKES_DOWN, moment, () => hold('late', 5_000));
      const { ended } = deliver();
      await settle();
      await pass(10_000);
      await ended;
      const isReleased = (await bodies()).includes('late');
      expect(isReleased || woken === 2).toBe(true);
    },
  );

  test('wakes when its message is there', async () => {
    let there = 0;
    beside(RAISES, 'before', async () => {
      there = await store.timers.count();
    });
    await hold('a', 1_000);
    expect({ there, woken }).toEqual({ there: 1, woken: 1 });
  });
});
