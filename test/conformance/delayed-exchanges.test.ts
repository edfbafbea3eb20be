/** Exchanges that hold messages until their time, and route them then. */
import { describe, expect } from 'vitest';
import { START_MS } from '../support/api.ts';
import { inProcess } from '../support/api-test.ts';
import { heldIn, listHeld, passMs } from '../support/delayed-steps.ts';
import { told } from '../support/publish-steps.ts';
import {
  bind,
  countsIn,
  declareExchange,
  declareStreams,
  messagesIn,
  outcomesOf,
  send,
  unbind,
} from '../support/routing-steps.ts';

const test = inProcess('its hand on the clock');

const HOLDING = { type: 'fanout', delayed: true };

describe('accepted', () => {
  test.for([
    [1, 1],
    [5_000, 5_000],
    ['5000', 5_000],
    [4_294_967_295, 4_294_967_295],
    [4_294_967_296, 4_294_967_296],
    [5_184_000_000, 5_184_000_000],
    [315_360_000_000, 315_360_000_000],
  ])('L3: x-delay %j is held %i ms', async ([value, ms], { api }) => {
    await declareExchange(api, 'e', HOLDING);
    const answer = await send(api, 'e', { headers: { 'x-delay': value } });
    expect(heldIn(answer)).toMatchObject([{ index: 0, due: START_MS + Number(ms) }]);
  });

  test.for([undefined, 0, -5, '0'])('L3: x-delay %j goes at once', async (value, { api }) => {
    await declareStreams(api, 'q');
    await declareExchange(api, 'e', HOLDING);
    await bind(api, ['e', 'q']);
    const headers = value === undefined ? { a: 1 } : { 'x-delay': value };
    const answer = await send(api, 'e', { headers });
    expect(outcomesOf(answer)).toMatchObject({ outcomes: { q: 'stored' } });
    expect(heldIn(answer)).toEqual([]);
    expect(await messagesIn(api, 'q')).toMatchObject([{ headers }]);
  });

  test.for([
    'abc',
    '',
    '5000 ',
    '5e3',
    '٥٠٠٠',
    1.5,
    '1.5',
    '-5',
    true,
    null,
    [],
    {},
    1e300,
    315_360_000_001,
  ])('L3: x-delay %j is refused, and nothing is held', async (value, { api }) => {
    await declareStreams(api, 'q');
    await declareExchange(api, 'e', HOLDING);
    await bind(api, ['e', 'q']);
    const delayed = (delay: unknown) => ({ text: 'm', headers: { 'x-delay': delay } });
    const messages = [delayed(1_000), delayed(value), delayed(2_000), { text: 'now' }];
    expect(told(await send(api, 'e', { messages }))).toMatchObject({
      status: 400,
      field: 'messages[1].headers.x-delay',
      side_effects: 'none',
    });
    expect(await listHeld(api)).toEqual([]);
    expect(await countsIn(api, 'q')).toEqual([0]);
  });

  test('L3: a maximum is named', async ({ api }) => {
    await declareExchange(api, 'e', HOLDING);
    const answer = await send(api, 'e', { headers: { 'x-delay': 315_360_000_001 } });
    expect(answer.text).toContain('315360000000');
  });

  test('L2: by a member too, but not by both', async ({ api }) => {
    await declareExchange(api, 'e', HOLDING);
    expect(heldIn(await send(api, 'e', { delay_ms: 7 }))).toMatchObject([{ due: START_MS + 7 }]);
    const header = { headers: { 'x-delay': 1_000 } };
    for (const member of [{ delay_ms: 1_000 }, { deliver_at: START_MS + 1_000 }]) {
      const both = await send(api, 'e', { ...header, ...member });
      expect(told(both)).toMatchObject({ status: 400, field: 'messages[0].headers.x-delay' });
    }
    expect(await listHeld(api)).toHaveLength(1);
  });

  test('L2 L3: an exchange that is not delayed knows the header as any other', async ({ api }) => {
    await declareStreams(api, 'q');
    await declareExchange(api, 'e', { type: 'fanout' });
    await bind(api, ['e', 'q']);
    for (const value of [5_000, 'abc']) await send(api, 'e', { headers: { 'x-delay': value } });
    expect(await messagesIn(api, 'q')).toMatchObject([
      { headers: { 'x-delay': 5_000 } },
      { headers: { 'x-delay': 'abc' } },
    ]);
    const refused = await send(api, 'e', { delay_ms: 5 });
    expect(told(refused)).toMatchObject({ status: 400, field: 'messages[0].delay_ms' });
    const unnamed = await send(api, 'amq.default', { routing_key: 'q', delay_ms: 5 });
    expect(told(unnamed)).toMatchObject({ status: 400, field: 'messages[0].delay_ms' });
    expect(await countsIn(api, 'q')).toEqual([2]);
  });

  test('L6: without a binding, and told apart from what goes nowhere', async ({ api }) => {
    await declareExchange(api, 'e', HOLDING);
    const answer = await send(api, 'e', {
      messages: [{ text: 'now' }, { text: 'late', delay_ms: 1_000 }],
    });
    expect(told(answer)).toEqual({
      status: 200,
      routed: true,
      destinations: [
        {
          exchange: 'e',
          exchange_id: expect.any(String),
          outcome: 'held',
          stored: 0,
          duplicates: 0,
        },
      ],
      unrouted: 1,
      held: [{ index: 1, id: expect.any(String), due: START_MS + 1_000 }],
    });
  });

  test('L13: 99 of a request, and any number beside them', async ({ api }) => {
    await declareStreams(api, 'q');
    await declareExchange(api, 'e', HOLDING);
    await bind(api, ['e', 'q']);
    const late = Array.from({ length: 99 }, () => ({ text: 'm', delay_ms: 1_000 }));
    const now = Array.from({ length: 400 }, () => ({ text: 'm' }));
    const answer = await send(api, 'e', { messages: [...now, ...late] });
    expect(heldIn(answer).map(({ index }) => index)).toEqual(late.map((_, at) => 400 + at));
    expect(await countsIn(api, 'q')).toEqual([400]);
    const tooMany = await send(api, 'e', { messages: [...late, ...late.slice(0, 1), ...now] });
    expect(told(tooMany)).toMatchObject({ status: 413, code: 'too_many_delayed', limit: 99 });
    expect(await countsIn(api, 'q')).toEqual([400]);
  });
});

describe('released', () => {
  test('L7 L8: by the bindings of its time, without the header, with its own place', async ({
    api,
  }) => {
    await declareStreams(api, 'q1', 'q2', 'ae');
    await declareExchange(api, 'ae', { type: 'fanout' });
    await bind(api, ['ae', 'ae']);
    await declareExchange(api, 'e', { ...HOLDING, alternate_exchange: 'ae' });
    const { name } = await bind(api, ['e', 'q1']);
    const headers = { 'x-delay': 1_000, a: 1 };
    await send(api, 'e', { text: 'late', routing_key: 'k', headers });
    await unbind(api, 'e', name);
    await bind(api, ['e', 'q2']);
    await passMs(api, 1_000);
    expect(await countsIn(api, 'q1', 'ae')).toEqual([0, 0]);
    expect(await messagesIn(api, 'q2')).toEqual([
      {
        offset: 0,
        timestamp: START_MS + 1_000,
        text: 'late',
        routing_key: 'k',
        headers: { a: 1 },
        properties: { ingested_at: START_MS },
      },
    ]);
  });

  test('L7: unroutable by then: to the alternate exchange, else dropped and counted', async ({
    api,
  }) => {
    await declareStreams(api, 'q');
    await declareExchange(api, 'ae', { type: 'fanout' });
    await bind(api, ['ae', 'q']);
    await declareExchange(api, 'e', { ...HOLDING, alternate_exchange: 'ae' });
    await declareExchange(api, 'f', HOLDING);
    for (const exchange of ['e', 'f']) await send(api, exchange, { delay_ms: 1_000 });
    expect(await countsIn(api, 'q')).toEqual([0]);
    await passMs(api, 1_000);
    expect(await countsIn(api, 'q')).toEqual([1]);
    const { text } = await api.call('GET /metrics');
    expect(text).toContain('varve_dropped_total{reason="unroutable"} 1\n');
  });

  test('L8: held once on its way, by the first exchange that holds', async ({ api }) => {
    await declareStreams(api, 'q');
    await declareExchange(api, 'first', { type: 'fanout' });
    await declareExchange(api, 'second', HOLDING);
    await declareExchange(api, 'third', HOLDING);
    await bind(api, ['first', 'second'], { type: 'exchange' });
    await bind(api, ['second', 'third'], { type: 'exchange' });
    await bind(api, ['third', 'q']);
    const answer = await send(api, 'first', { headers: { 'x-delay': 1_000 } });
    expect(told(answer)).toMatchObject({
      routed: true,
      destinations: [{ exchange: 'second', outcome: 'held' }],
      held: [{ index: 0 }],
    });
    await passMs(api, 1_000);
    expect(await listHeld(api)).toEqual([]);
    expect(await messagesIn(api, 'q')).toMatchObject([{ timestamp: START_MS + 1_000 }]);
  });

  test('L4: in the order in which they are due', async ({ api }) => {
    await declareStreams(api, 'q');
    await declareExchange(api, 'e', HOLDING);
    await bind(api, ['e', 'q']);
    const sendAfter = (ms: number) => send(api, 'e', { text: String(ms), delay_ms: ms });
    for (const ms of [9_000, 6_000, 3_000]) await sendAfter(ms);
    await passMs(api, 5_000);
    await sendAfter(1_500);
    for (const ms of [999, 1, 499, 1, 2_499]) await passMs(api, ms);
    expect((await messagesIn(api, 'q')).map(({ text }) => text)).toEqual(['3000', '6000', '1500']);
    await passMs(api, 1);
    expect(await countsIn(api, 'q')).toEqual([4]);
  });

  test('L9: goes with its exchange', async ({ api }) => {
    await declareStreams(api, 'q');
    await declareExchange(api, 'e', HOLDING);
    await bind(api, ['e', 'q']);
    for (let at = 0; at < 3; at++) await send(api, 'e', { delay_ms: 1_000 });
    expect(await listHeld(api, '?exchange=e')).toHaveLength(3);
    await api.call('DELETE /v1/exchanges/e');
    const empty = { items: [], count: 0 };
    expect(told(await api.call('GET /v1/delayed?exchange=e&count=true'))).toMatchObject(empty);
    expect(told(await api.call('GET /v1/delayed?count=true'))).toMatchObject(empty);
    await declareExchange(api, 'e', HOLDING);
    await bind(api, ['e', 'q']);
    await passMs(api, 1_000);
    expect(await countsIn(api, 'q')).toEqual([0]);
  });

  test('X9 L9: also one that goes with its last binding', async ({ api }) => {
    await declareStreams(api, 'q');
    await declareExchange(api, 'e', { ...HOLDING, auto_delete: true });
    const { name } = await bind(api, ['e', 'q']);
    await send(api, 'e', { delay_ms: 1_000 });
    await unbind(api, 'e', name);
    expect(await listHeld(api)).toEqual([]);
    expect(told(await send(api, 'e', {}))).toMatchObject({ status: 404 });
  });

  test('D13: a publisher is heard where the message is held', async ({ api }) => {
    await declareStreams(api, 'q');
    await declareExchange(api, 'e', HOLDING);
    await bind(api, ['e', 'q']);
    const named = { messages: [{ text: 'a', delay_ms: 1_000 }], publisher: 'p', publishing_id: 1 };
    expect(heldIn(await send(api, 'e', named))).toHaveLength(1);
    const again = {
      routed: true,
      destinations: [{ exchange: 'e', outcome: 'duplicate', duplicates: 1 }],
      held: [],
    };
    expect(told(await send(api, 'e', named))).toMatchObject(again);
    await passMs(api, 1_000);
    expect(told(await send(api, 'e', named))).toMatchObject(again);
    await passMs(api, 1_000);
    expect(await countsIn(api, 'q')).toEqual([1]);
  });

  test('L12: a stream that is bound and goes before', async ({ api }) => {
    await declareStreams(api, 'q', 'r');
    await declareExchange(api, 'e', HOLDING);
    for (const stream of ['q', 'r']) await bind(api, ['e', stream]);
    await send(api, 'e', { delay_ms: 1_000 });
    await api.call('DELETE /v1/streams/q');
    await passMs(api, 1_000);
    expect(await countsIn(api, 'r')).toEqual([1]);
  });
});
