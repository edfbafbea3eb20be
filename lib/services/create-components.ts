/** Builds what use cases are given from the ports of a store: the queue and the counters in front of its log. */
import type { Catalog } from '../ports/catalog.ts';
import type { Clock } from '../ports/clock.ts';
import type { Consumers } from '../ports/consumers.ts';
import type { DirectReads } from '../ports/direct-reads.ts';
import type { Exchanges } from '../ports/exchanges.ts';
import type { LogStore } from '../ports/log-store.ts';
import type { Random } from '../ports/random.ts';
import type { Timers } from '../ports/timers.ts';
import type { Waker } from '../ports/waker.ts';
import { type AppendQueueOptions, createAppendQueue } from './append-queue.ts';
import type { Components } from './components.ts';
import { DueAlarm } from './due-alarm.ts';
import { createHeldIds } from './held-ids.ts';
import type { LogMetrics } from './log-metrics.ts';
import { createMeteredLog } from './metered-log.ts';

export interface ComponentParts extends Pick<AppendQueueOptions, 'defer' | 'lanes'> {
  readonly store: {
    readonly log: LogStore;
    readonly catalog: Catalog;
    readonly consumers: Consumers;
    readonly exchanges: Exchanges;
    readonly timers: Timers;
    readonly waker: Waker;
    readonly directReads?: DirectReads;
  };
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: LogMetrics;
}

export function createComponents(parts: ComponentParts): Components {
  const { store, clock, random, metrics, defer, lanes = 'one' } = parts;
  const { catalog, consumers, exchanges, timers, waker, directReads } = store;
  const log = createMeteredLog(store.log, { metrics, clock });
  return {
    log,
    catalog,
    consumers,
    exchanges,
    timers,
    waker,
    appends: createAppendQueue({ log, waker, defer, lanes }),
    heldIds: createHeldIds({ clock, random }),
    dueAlarm: new DueAlarm(clock),
    clock,
    random,
    metrics,
    ...(directReads && { directReads }),
  };
}
