/** Message deduplication at an exchange: who has the message, who lacks it, and what a repeat does. */
import { describe, expect } from 'vitest';
import type { LogStore } from '../../lib/ports/log-store.ts';
import { StoreError } from '../../lib/ports/store-error.ts';
import type { LocalApi } from '../support/api.ts';
import { inProcess } from '../support/api-test.ts';
import { passMs } from '../support/delayed-steps.ts';
import { createApiOn } from '../support/faulty-api.ts';
import { told } from '../support/publish-steps.ts';
import { bind, countsIn, declareExchange, declareStreams, send } from '../support/routing-steps.ts';

const test = inProcess('faults in the store');

const STORES = ['aws', 'embedded'] as const;

/** Commits to those in `broken` fail. */
function openBroken(broken: ReadonlySet<string>, store: (typeof STORES)[number]): LocalApi {
  return createApiOn((log) => ({ ...log, commit: (appends) => commit(log, broken, appends) }), {
    store,
  });
}

const failure = () => new StoreError('inside', { kind: 'timeout', sideEffects: 'none' });

async function commit(
  log: LogStore,
  broken: ReadonlySet<string>,
  appends: Parameters<LogStore['commit']>[0],
) {
  if (appends.some(({ stream }) => broken.has(stream))) {
    throw failure();
  }
  return await log.commit(appends);
}

/** Each stream by itself, so that one that fails does not take others along. */
async function fanout(api: LocalApi, ...streams: readonly string[]) {
  await declareStreams(api, ...streams);
  await declareExchange(api, 'e', { type: 'fanout', deduplication: { header: 'id' } });
  for (const stream of streams) await bind(api, ['e', stream]);
}

const valued = (...ids: readonly unknown[]) => ({
  messages: ids.map((id) => ({ text: `${id}`, headers: { id } })),
});

async function outcomesOf(api: LocalApi, message: object) {
  const { destinations } = told(await send(api, 'e', { messages: [message] })) as {
    destinations: { stream?: string; exchange?: string; outcome: string }[];
  };
  return Object.fromEntries(
    destinations.map(({ stream, exchange = stream, outcome }) => [exchange, outcome]),
  );
}

async function publish(api: LocalApi, ...ids: readonly unknown[]) {
  const answer = told(await send(api, 'e', valued(...ids)));
  const destinations = answer['destinations'] as { stream: string; outcome: string }[] | undefined;
  const outcomes = destinations?.map(({ stream, outcome }) => [stream, outcome]);
  return { ...answer, outcomes: outcomes && Object.fromEntries(outcomes) };
}

/** In embedded all destinations of a request are one transaction: none fails by itself. */
describe('an exchange that remembers values, of which one destination fails', () => {
  test('M5 X8 M7: a repeat goes to those who lack it, and to no other', async () => {
    const broken = new Set(['q2']);
    const api = openBroken(broken, 'aws');
    await fanout(api, 'q1', 'q2', 's');
    expect(await publish(api, 'A')).toMatchObject({
      routed: true,
      outcomes: { q1: 'stored', s: 'stored', q2: 'failed' },
      repeat: { safe: true },
    });
    broken.clear();
    await declareStreams(api, 'late');
    await bind(api, ['e', 'late']);
    expect(await publish(api, 'A')).toMatchObject({
      routed: true,
      deduplicated: [0],
      outcomes: { q1: 'duplicate', s: 'duplicate', q2: 'stored' },
    });
    expect(await publish(api, 'A')).toMatchObject({
      routed: true,
      outcomes: { q1: 'duplicate', s: 'duplicate', q2: 'duplicate' },
      destinations: [
        { stored: 0, duplicates: 1, start: null },
        { stored: 0, duplicates: 1 },
        { stored: 0, duplicates: 1 },
      ],
    });
    expect(await countsIn(api, 'q1', 'q2', 's', 'late')).toEqual([1, 1, 1, 0]);
    expect(await publish(api, 'B')).toMatchObject({ outcomes: { late: 'stored' } });
  });

  test('M5 T13: a destination that is deleted between the tries is passed over', async () => {
    const broken = new Set(['s']);
    const api = openBroken(broken, 'aws');
    await fanout(api, 'q', 's');
    await publish(api, 'A');
    broken.clear();
    await api.call('DELETE /v1/streams/s');
    await api.call('PUT /v1/streams/s');
    expect(await publish(api, 'A')).toMatchObject({ outcomes: { q: 'duplicate' } });
    expect(await countsIn(api, 'q', 's')).toEqual([1, 0]);
  });

  test.for(['what holds', 'a stream'])('M5 X8 L9: a repeat after %s failed', async (what) => {
    let isBroken = true;
    const wrap = (log: LogStore): LogStore => ({
      ...log,
      commit: async (appends) => {
        const isHeld = appends.some(({ heldFor }) => heldFor !== undefined);
        if (isBroken && isHeld === (what === 'what holds')) throw failure();
        return await log.commit(appends);
      },
    });
    const api = createApiOn(wrap, { store: 'aws' });
    await declareStreams(api, 'late', 's');
    await declareExchange(api, 'holder', { type: 'fanout', delayed: true });
    await declareExchange(api, 'e', { type: 'fanout', deduplication: { header: 'id' } });
    await bind(api, ['holder', 'late']);
    await bind(api, ['e', 'holder'], { type: 'exchange' });
    await bind(api, ['e', 's']);
    const message = { text: 'A', headers: { id: 'A', 'x-delay': 1_000 } };
    const [taken, open] = what === 'a stream' ? ['holder', 's'] : ['s', 'holder'];
    expect(await outcomesOf(api, message)).toEqual({
      [taken]: taken === 'holder' ? 'held' : 'stored',
      [open]: 'failed',
    });
    isBroken = false;
    expect(await outcomesOf(api, message)).toEqual({
      [taken]: 'duplicate',
      [open]: open === 'holder' ? 'held' : 'stored',
    });
    expect(await outcomesOf(api, message)).toEqual({ holder: 'duplicate', s: 'duplicate' });
    expect(await countsIn(api, 'late', 's')).toEqual([0, 1]);
    await passMs(api, 1_000);
    expect(await outcomesOf(api, message)).toEqual({ holder: 'duplicate', s: 'duplicate' });
    await passMs(api, 1_000);
    expect(await countsIn(api, 'late', 's')).toEqual([1, 1]);
  });
});

describe.each(STORES)('an exchange that remembers values, in %s', (store) => {
  test('M5: when all fail nothing is remembered', async () => {
    const broken = new Set(['q1', 's']);
    const api = openBroken(broken, store);
    await fanout(api, 'q1', 's');
    expect(await publish(api, 'A')).toMatchObject({ status: 503, side_effects: 'none' });
    broken.clear();
    await declareStreams(api, 'late');
    await bind(api, ['e', 'late']);
    expect(await publish(api, 'A')).toMatchObject({
      outcomes: { q1: 'stored', s: 'stored', late: 'stored' },
    });
    expect(await countsIn(api, 'q1', 's', 'late')).toEqual([1, 1, 1]);
  });

  test('M2 M3 M7: within a request and between requests, each message by its own value', async () => {
    const api = openBroken(new Set(), store);
    await fanout(api, 'q', 's');
    expect(await publish(api, 'A', 'B', 'A', null, null)).toMatchObject({
      deduplicated: [2],
      destinations: [{ stored: 4 }, { stored: 4 }],
    });
    const again = await publish(api, 'B', 'C', null, 'A');
    expect(again).toMatchObject({
      deduplicated: [0, 3],
      destinations: [
        { stored: 2, duplicates: 2 },
        { stored: 2, duplicates: 2 },
      ],
    });
    expect(await countsIn(api, 'q', 's')).toEqual([6, 6]);
  });

  test('M5 D13: ids of a named publisher go with what is sent', async () => {
    const api = openBroken(new Set(), store);
    await fanout(api, 'q');
    const by = (publishing_id: number, ...ids: string[]) =>
      send(api, 'e', { ...valued(...ids), publisher: 'p', publishing_id });
    expect(told(await by(1, 'A', 'B'))).toMatchObject({ destinations: [{ stored: 2 }] });
    expect(told(await by(1, 'A', 'B'))).toMatchObject({
      destinations: [{ outcome: 'duplicate', duplicates: 2 }],
    });
    expect(told(await by(3, 'B', 'C'))).toMatchObject({
      destinations: [{ outcome: 'stored', stored: 1, duplicates: 1 }],
    });
    // Left out for its id, it is not there: its value is not remembered for it.
    expect(told(await by(4, 'D'))).toMatchObject({ destinations: [{ outcome: 'duplicate' }] });
    expect(told(await by(5, 'D'))).toMatchObject({ destinations: [{ outcome: 'stored' }] });
    expect(told(await by(6, 'D'))).toMatchObject({ destinations: [{ outcome: 'duplicate' }] });
    expect(await countsIn(api, 'q')).toEqual([4]);
  });

  test('M5: many requests with one value at once: one message everywhere', async () => {
    const api = openBroken(new Set(), store);
    await fanout(api, 'q', 's');
    const answers = await Promise.all(Array.from({ length: 12 }, () => publish(api, 'A', 'B')));
    expect(answers.every((answer) => 'routed' in answer && answer['routed'])).toBe(true);
    expect(await countsIn(api, 'q', 's')).toEqual([2, 2]);
  });

  test.for([1, 10])('M3: more values in a request than a cache of %i holds', async (cacheSize) => {
    const api = openBroken(new Set(), store);
    await declareStreams(api, 'q', 's');
    const deduplication = { header: 'id', cache_size: cacheSize };
    await declareExchange(api, 'e', { type: 'fanout', deduplication });
    for (const stream of ['q', 's']) await bind(api, ['e', stream]);
    const ids = Array.from({ length: 99 }, (_, at) => at);
    expect((await send(api, 'e', valued(...ids))).status).toBe(200);
    expect(await countsIn(api, 'q', 's')).toEqual([99, 99]);
    const both = told(await send(api, 'e', valued(98, 0)));
    expect(both).toMatchObject({ routed: true, deduplicated: [0] });
    expect(await countsIn(api, 'q', 's')).toEqual([100, 100]);
  });

  test('M1 M4: refused as a whole', async () => {
    const api = openBroken(new Set(), store);
    await fanout(api, 'q');
    const ids = Array.from({ length: 100 }, (_, at) => `${at}`);
    expect(await publish(api, ...ids)).toMatchObject({
      status: 413,
      code: 'too_many_messages',
      limit: 99,
      actual: 100,
    });
    expect(await publish(api, ...ids.slice(1))).toMatchObject({ outcomes: { q: 'stored' } });
    const bad = { messages: [{ text: 'x', headers: { id: 'x', 'x-cache-ttl': 'soon' } }] };
    expect(told(await send(api, 'e', bad))).toMatchObject({
      status: 400,
      field: 'messages[0].headers.x-cache-ttl',
    });
    expect(await countsIn(api, 'q')).toEqual([99]);
  });
});

test('M1 X10: the setting is shown and compared, whole', async () => {
  const api = openBroken(new Set(), 'embedded');
  const declare = (deduplication: unknown, rest: object = {}) =>
    declareExchange(api, 'e', { type: 'fanout', deduplication, ...rest });
  expect(await declare({})).toMatchObject({
    status: 201,
    deduplication: { header: 'x-deduplication-header', cache_size: 128, cache_ttl: null },
  });
  expect(await declare({ cache_size: 128 })).toMatchObject({ status: 200 });
  expect(await declare({ cache_size: 7 })).toMatchObject({
    status: 409,
    field: 'deduplication.cache_size',
    expected: 7,
    actual: 128,
  });
  expect(await declare(null)).toMatchObject({ status: 409, field: 'deduplication' });
  expect(await declare({ cache_size: 0 })).toMatchObject({
    status: 400,
    field: 'deduplication.cache_size',
  });
  expect(await declare({ size: 1 })).toMatchObject({ status: 400, field: 'deduplication.size' });
  expect(await declare({}, { internal: true })).toMatchObject({
    status: 400,
    field: 'deduplication',
  });
});
