/** What use cases are given: the ports they work on, the queue in front of commits, and what they count. */
import type { Catalog } from '../ports/catalog.ts';
import type { Clock } from '../ports/clock.ts';
import type { Consumers } from '../ports/consumers.ts';
import type { DirectReads } from '../ports/direct-reads.ts';
import type { Exchanges } from '../ports/exchanges.ts';
import type { LogStore } from '../ports/log-store.ts';
import type { Random } from '../ports/random.ts';
import type { Timers } from '../ports/timers.ts';
import type { Waker } from '../ports/waker.ts';
import type { AppendQueue } from './append-queue.ts';
import type { DueAlarm } from './due-alarm.ts';
import type { HeldIds } from './held-ids.ts';
import type { LogMetrics } from './log-metrics.ts';

export interface Components {
  readonly log: LogStore;
  readonly catalog: Catalog;
  readonly consumers: Consumers;
  readonly exchanges: Exchanges;
  readonly timers: Timers;
  readonly appends: AppendQueue;
  readonly heldIds: HeldIds;
  readonly dueAlarm: DueAlarm;
  readonly clock: Clock;
  readonly random: Random;
  readonly waker: Waker;
  readonly metrics: LogMetrics;
  /** Absent when the store has no objects that can be reached. */
  readonly directReads?: DirectReads;
}
