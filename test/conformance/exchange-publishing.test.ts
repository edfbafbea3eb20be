/** Publishing through an exchange: who gets it, what is told, what a repeat does. */
import { describe, expect } from 'vitest';
import { inProcess, test } from '../support/api-test.ts';
import { told } from '../support/publish-steps.ts';
import {
  bind,
  countsIn,
  declareExchange,
  declareStreams,
  fanout,
  messagesIn,
  outcomesOf,
  send,
  takers,
  unbind,
  withOptions,
} from '../support/routing-steps.ts';

// Behind an address may be several processes, and each counts what it dropped.
const localTest = inProcess('a look behind the API');

const names = (count: number) => Array.from({ length: count }, (_, at) => `q${at}`);

describe('what is told', () => {
  test('X7 X8: every destination, and where it stands there', async ({ api }) => {
    await fanout(api, 's', 't');
    await api.call('POST /v1/streams/t/messages', { body: 'before' });
    const stored = (stream: string, start: number) => ({
      stream,
      outcome: 'stored',
      start,
      end: start + 2,
      tail: start + 2,
      stored: 2,
      duplicates: 0,
      timestamp: api.timeNow(),
      stream_id: expect.any(String),
    });
    expect(told(await send(api, 'e', { messages: [{ text: 'a' }, { text: 'b' }] }))).toEqual({
      status: 200,
      routed: true,
      destinations: [stored('s', 0), stored('t', 1)],
      unrouted: 0,
      held: [],
    });
  });

  test('X7: nothing is bound for it', async ({ api }) => {
    await declareStreams(api, 'q');
    await declareExchange(api, 'e', { type: 'direct' });
    await bind(api, ['e', 'q'], { key: 'k' });
    const nothing = { routed: false, destinations: [], unrouted: 1 };
    expect(told(await send(api, 'e', { routing_key: 'x' }))).toMatchObject(nothing);
    expect(told(await send(api, 'e', {}))).toMatchObject(nothing);
    expect(await countsIn(api, 'q')).toEqual([0]);
  });

  localTest('X7: what nothing is bound for is counted', async ({ api }) => {
    await declareExchange(api, 'e', { type: 'direct' });
    await send(api, 'e', { routing_key: 'x' });
    await send(api, 'e', {});
    const { text } = await api.call('GET /metrics');
    expect(text).toContain('varve_dropped_total{reason="unroutable"} 2\n');
  });

  test('X7: a binding counts from its answer on, and its removal', async ({ api }) => {
    await declareStreams(api, 'q');
    await declareExchange(api, 'e', { type: 'direct' });
    for (let round = 0; round < 20; round++) {
      const { name } = await bind(api, ['e', 'q'], { key: 'k' });
      expect(await takers(api, 'e', { routing_key: 'k' })).toEqual(['q']);
      await unbind(api, 'e', name);
      expect(await takers(api, 'e', { routing_key: 'k' })).toEqual([]);
    }
  });

  test('X7: messages of one request go their own ways, in their order', async ({ api }) => {
    await declareStreams(api, 'a', 'b', 'all');
    await declareExchange(api, 'e', { type: 'topic' });
    for (const [stream, key] of [
      ['a', 'a.*'],
      ['b', 'b.*'],
      ['all', '#'],
    ] as const) {
      await bind(api, ['e', stream], { key });
    }
    const sent = ['a.1', 'b.1', 'a.2', 'c.1', 'b.2'].map((key) => ({
      text: key,
      routing_key: key,
    }));
    await send(api, 'e', { messages: sent });
    const textsIn = async (stream: string) =>
      (await messagesIn(api, stream)).map(({ text }) => text);
    expect(await textsIn('a')).toEqual(['a.1', 'a.2']);
    expect(await textsIn('b')).toEqual(['b.1', 'b.2']);
    expect(await textsIn('all')).toEqual(sent.map(({ text }) => text));
  });
});

describe('ways', () => {
  test('X2: a loop ends, with one copy for a stream', async ({ api }) => {
    await declareStreams(api, 'q');
    const ring = ['e1', 'e2', 'e3'];
    for (const name of ring) await declareExchange(api, name, { type: 'fanout' });
    for (const [at, name] of ring.entries()) {
      await bind(api, [name, ring[(at + 1) % 3] ?? ''], { type: 'exchange' });
      await bind(api, [name, 'q']);
    }
    expect(await takers(api, 'e1', {})).toEqual(['q']);
    expect(await countsIn(api, 'q')).toEqual([1]);
  });

  test('X3 X4: the alternate takes what neither key nor copies reach', async ({ api }) => {
    await declareStreams(api, 'q', 'lost');
    await declareExchange(api, 'ae', { type: 'fanout' });
    await declareExchange(api, 'e', { type: 'direct', alternate_exchange: 'ae' });
    await bind(api, ['ae', 'lost']);
    await bind(api, ['e', 'q'], { key: 'k' });
    const to = (routing_key: string, ...CC: string[]) =>
      takers(api, 'e', { routing_key, ...(CC.length > 0 && { headers: { CC } }) });
    expect(await to('x', 'k')).toEqual(['q']);
    expect(await to('x', 'y', 'k')).toEqual(['q']);
    expect(await to('x', 'y')).toEqual(['lost']);
    expect(await to('x')).toEqual(['lost']);
    expect(await countsIn(api, 'q', 'lost')).toEqual([2, 2]);
  });

  test.for([5, ['a'], null])('X1: a hashed header of %j', async (tenant, { api }) => {
    await declareStreams(api, 'q');
    await declareExchange(api, 'e', {
      type: 'x-consistent-hash',
      arguments: { hash_on: 'tenant' },
    });
    await bind(api, ['e', 'q'], { key: '1' });
    const sent = [{ text: 'a' }, { text: 'b', headers: { tenant } }];
    expect(told(await send(api, 'e', { messages: sent }))).toMatchObject({
      status: 400,
      field: 'messages[1].headers.tenant',
    });
    expect(await countsIn(api, 'q')).toEqual([0]);
  });

  test('X1 X6: what is unbound and bound again is hashed to as before', async ({ api }) => {
    const queues = ['q1', 'q2', 'q3'];
    await declareStreams(api, ...queues);
    await declareExchange(api, 'e', { type: 'x-consistent-hash' });
    for (const queue of queues) await bind(api, ['e', queue], { key: '1' });
    const keys = names(60);
    const spread = async () => {
      const takenBy: string[] = [];
      for (const key of keys) {
        const [taker = ''] = await takers(api, 'e', { routing_key: key });
        takenBy.push(taker);
      }
      return takenBy;
    };
    const first = await spread();
    expect(new Set(first)).toEqual(new Set(queues));
    expect(await spread()).toEqual(first);
    await unbind(api, 'e', 'stream/q3/1');
    const without = await spread();
    first.forEach((taker, at) => {
      if (taker !== 'q3') expect(without[at]).toBe(taker);
    });
    await bind(api, ['e', 'q3'], { key: '1' });
    expect(await spread()).toEqual(first);
  });
});

describe('limits', () => {
  test('X11: a hundred streams all get it, one more and none does', async ({ api }) => {
    await fanout(api, ...names(100));
    await bind(api, ['e', 'q0'], { key: 'again' });
    expect(Object.keys(outcomesOf(await send(api, 'e', {})).outcomes)).toHaveLength(100);
    expect(await countsIn(api, 'q0', 'q99')).toEqual([1, 1]);

    await declareStreams(api, 'one-more');
    await bind(api, ['e', 'one-more']);
    expect(told(await send(api, 'e', {}))).toMatchObject({
      status: 409,
      code: 'too_many_destinations',
      limit: 100,
      side_effects: 'none',
    });
    expect(await countsIn(api, 'q0', 'one-more')).toEqual([1, 0]);
  });

  test.for(['expected_offset', 'fencing_token', 'create'])(
    'X8: %s is of a publish to one stream',
    async (name, { api }) => {
      await fanout(api, 'q');
      const value = { expected_offset: 0, fencing_token: 'a', create: true }[name];
      expect(told(await send(api, 'e', withOptions({ [name]: value })))).toMatchObject({
        status: 400,
        field: name,
      });
      const query = `POST /v1/exchanges/e/messages?${name}=${value}`;
      expect(told(await api.call(query, { body: 'a' }))).toMatchObject({
        status: 400,
        field: name,
      });
      expect(await countsIn(api, 'q')).toEqual([0]);
    },
  );

  test('P11: that the exchange is missing goes before what is wrong', async ({ api }) => {
    const missing = { status: 404, code: 'exchange_not_found' };
    expect(told(await send(api, 'x', {}))).toMatchObject(missing);
    expect(told(await send(api, 'x', { headers: { CC: 1 } }))).toMatchObject(missing);
    expect(told(await api.call('POST /v1/exchanges/x/messages?foo=1'))).toMatchObject(missing);
  });
});
