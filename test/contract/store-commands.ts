/** Random histories of a store: commands that any store can be given. */
import fc from 'fast-check';
import type { Delay } from '../../lib/core/log/append.ts';
import type { StreamSettings } from '../../lib/core/log/settings.ts';
import { dueMsOf } from '../../lib/core/timer/held-id.ts';
import type { Append } from '../../lib/ports/log-store.ts';
import type { Released } from '../../lib/ports/timers.ts';
import {
  at,
  batchWith,
  consumerName,
  idOf,
  publisherName,
  streamName,
} from '../support/batches.ts';
import type { StoreUnderTest } from './store-under-test.ts';
import { heldIdOf, holdingSome, releaseAt } from './timer-steps.ts';

/** The second sorts behind the first in UTF-8; all three share no state. */
const STREAMS = ['a', 'ä', 'b'].map(streamName);
export const PUBLISHERS = ['p', 'q'].map(publisherName);
export const CONSUMERS = ['c', 'd', 'cä'].map(consumerName);
const HOUR_MS = 3_600_000;
const START_MS = 1_000 * HOUR_MS;
export const EVERYTHING = { prefix: '', startAfter: '', limit: 100 };

const stream = fc.constantFrom(...STREAMS);
const token = fc.constantFrom('t', 'u');
/** Conditions and limits are rare, or nearly every append would be refused, every segment dropped. */
const rarely = <Value>(arbitrary: fc.Arbitrary<Value>, oneIn: number) =>
  fc.oneof({ weight: oneIn - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
const segmenting = fc.record(
  {
    segment_max_bytes: fc.integer({ min: 1, max: 300 }),
    segment_max_age: fc.integer({ min: 1, max: 2_000 }),
  },
  { requiredKeys: [] },
);
const limits = fc.record(
  {
    max_age: fc.integer({ min: 1, max: 3_000 }),
    max_length: fc.nat(12),
    max_length_bytes: fc.nat(6_000),
  },
  { requiredKeys: [] },
);
const deduplication = fc.record({
  header: fc.constantFrom('id', 'id', 'x-cache-ttl'),
  cache_size: fc.constantFrom(3, 129),
  cache_ttl: fc.constantFrom(null, 700),
});
const settings = fc
  .record({ segmenting, limits: rarely(limits, 4), deduplication: rarely(deduplication, 2) })
  .map(({ deduplication: values, ...one }) => ({
    ...one.segmenting,
    ...one.limits,
    ...(values && { deduplication: values }),
  }));

/** A body above 1 KiB among them, so that some chunks are compressed. */
const body = fc.oneof(
  { weight: 9, arbitrary: fc.string({ maxLength: 30 }) },
  { weight: 1, arbitrary: fc.nat(2_000).map((length) => 'x'.repeat(length)) },
);
const claim = fc.record({
  name: fc.constantFrom(...PUBLISHERS),
  firstId: fc.nat(20),
  epoch: rarely(fc.nat(2), 3),
});
/** A few values, so that they are met again; some with a time to live, one in many that cannot be read. */
const headers = fc.record(
  {
    id: fc.constantFrom('A', 'B', 'C', 'D', 1, '1'),
    'x-cache-ttl': fc.constantFrom(300, '900', 'x'),
  },
  { requiredKeys: [] },
);
const message = fc.tuple(body, rarely(headers, 2));
const append = fc
  .record({
    stream,
    messages: fc.array(message, { minLength: 1, maxLength: 4 }),
    timeMs: fc.nat(3_000),
    claim: rarely(claim, 2),
    expectedOffset: rarely(fc.nat(12), 8),
    fencingToken: rarely(token, 10),
    createAs: fc.boolean(),
    late: rarely(fc.array(rarely(fc.nat(6_000), 2), { maxLength: 4 }), 3),
  })
  .map(({ messages, claim: by, createAs, expectedOffset, fencingToken, late, ...rest }): Append => {
    const dueMs = messages.map((_, index) => late?.[index]);
    const ids = messages.map((_, index) => (by?.firstId ?? 0) + index);
    const epoch = by?.epoch;
    return {
      ...rest,
      ...holdingSome(batchWith(...messages), dueMs),
      ...(by && { publisher: { name: by.name, ids, ...(epoch !== undefined && { epoch }) } }),
      ...(expectedOffset !== undefined && late === undefined && { expectedOffset }),
      ...(fencingToken !== undefined && { fencingToken }),
      ...(createAs && { createAs: idOf(1) }),
    };
  });

export const command = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      appends: fc.array(append, { minLength: 1, maxLength: 5 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('trim' as const),
      stream,
      before: fc.oneof(fc.nat(20), fc.constant('next' as const)),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('retain' as const), stream, nowMs: fc.nat(6_000) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('set' as const, 'raise' as const),
      stream,
      consumer: fc.constantFrom(...CONSUMERS),
      next: fc.nat(12),
      nowMs: fc.nat(100),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('forget' as const),
      stream,
      consumer: fc.constantFrom(...CONSUMERS),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('release' as const), nowMs: fc.nat(7_000) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('cancel' as const), which: fc.nat(5) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('token' as const), stream, token }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('untoken' as const), stream }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), stream }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('create' as const), stream, settings }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('settings' as const),
      stream,
      settings,
      isStale: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('maintain' as const),
      afterHours: fc.constantFrom(0, 1, 1, 2, 25),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
);

/** A process learns of a message's time only when it looks: no other changes a segment's age before. */
export const commandOfMany = command.map(withoutAges);

function withoutAges(given: Command): Command {
  if (!('settings' in given)) return given;
  const { segment_max_age: _, max_age: __, ...settings } = given.settings;
  return { ...given, settings };
}

export type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never;

/** A store in the middle of a history; ids are given in the order of creation, so they are equal. */
export interface Run {
  store: StoreUnderTest;
  created: number;
  held: number;
  /** Far from the times of messages, which are of any age. */
  nowMs: number;
}

export function beginRun(store: StoreUnderTest): Run {
  return { store, created: 0, held: 0, nowMs: START_MS };
}

export async function perform(run: Run, given: Command): Promise<unknown> {
  const { log, catalog, consumers } = run.store;
  if (given.kind === 'commit') return await log.commit(withFreshIds(run, given.appends));
  if (given.kind === 'restart') return await restart(run);
  if (given.kind === 'release') return await releaseAll(run, given.nowMs);
  if (given.kind === 'cancel') return await cancelOne(run, given.which);
  if (given.kind === 'maintain') return await maintain(run, given.afterHours);
  if (given.kind === 'create') {
    const streamId = idOf(1_000_000 + run.created++);
    const { stream: name, settings: wanted } = given;
    return await catalog.create({ name, streamId, settings: wanted, createdMs: 7 });
  }
  const state = await log.tail(given.stream);
  if (state === undefined) return undefined;
  const { streamId, revision, settings: before } = state;
  switch (given.kind) {
    case 'trim':
      return await log.trim(streamId, given.before === 'next' ? 'next' : at(given.before));
    case 'retain':
      return await log.retain(streamId, given.nowMs);
    case 'set':
    case 'raise': {
      const { kind, consumer, next, nowMs } = given;
      return await consumers.save(streamId, consumer, { kind, next: at(next), nowMs });
    }
    case 'forget':
      return await consumers.remove(streamId, given.consumer);
    case 'token':
      return await log.setFencingToken(streamId, given.token);
    case 'untoken':
      return await log.setFencingToken(streamId, undefined);
    case 'remove':
      return await catalog.remove(given.stream, streamId);
    case 'settings': {
      const expected = given.isStale ? revision - 1 : revision;
      const settings = withKnownCache(before, given.settings);
      return await catalog.saveSettings(streamId, { settings, expected });
    }
  }
}

/** What a larger cache finds again is up to the store, and so is what comes after none at all (SPEC M5). */
function withKnownCache(
  { deduplication: before }: StreamSettings,
  { deduplication: after, ...settings }: StreamSettings,
): StreamSettings {
  if (before === undefined) return settings;
  const cache_size = Math.min(before.cache_size, after?.cache_size ?? before.cache_size);
  return { ...settings, deduplication: { ...(after ?? before), cache_size } };
}

/** An id is never used twice, not even for a stream that the append then does not create. */
function withFreshIds(run: Run, appends: readonly Append[]): Append[] {
  return appends.map((one) => ({
    ...one,
    ...(one.createAs !== undefined && { createAs: idOf(1_000_000 + run.created++) }),
    ...(one.delays && { delays: one.delays.map((delay) => withFreshId(run, delay)) }),
  }));
}

function withFreshId(run: Run, { id, ...delay }: Delay): Delay {
  return { ...delay, id: heldIdOf(dueMsOf(id), ++run.held) };
}

/** What is told of a release is told shard by shard, where there are any: here its sums. */
async function releaseAll(run: Run, nowMs: number) {
  const { told, released } = await releaseAt(run.store, nowMs);
  const sum = (of: (one: Released) => number) => told.reduce((all, one) => all + of(one), 0);
  return {
    released,
    messages: sum(({ messages }) => messages),
    unroutable: sum(({ dropped }) => dropped.unroutable),
    gone: sum(({ dropped }) => dropped.target_deleted),
  };
}

async function cancelOne({ store: { timers } }: Run, which: number) {
  const held = await timers.list({ startAfter: '', limit: 10 });
  const id = held[which]?.id;
  return id !== undefined && [await timers.cancel(id), await timers.load(id)];
}

/** What the settings keep no longer is dropped: that apart, nothing changes that can be seen. */
async function maintain(run: Run, afterHours: number): Promise<void> {
  run.nowMs += afterHours * HOUR_MS;
  const { log, catalog, clock, maintenance } = run.store;
  clock?.set(run.nowMs);
  for (const { streamId } of await catalog.list(EVERYTHING)) await log.retain(streamId, run.nowMs);
  await maintenance?.run(new AbortController().signal);
}

async function restart(run: Run): Promise<void> {
  if (run.store.restart !== undefined) run.store = await run.store.restart();
}
