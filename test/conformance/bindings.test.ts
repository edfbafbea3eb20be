/** Bindings: what is one, how it is named, and what goes with it. */
import { describe, expect } from 'vitest';
import { test } from '../support/api-test.ts';
import { told } from '../support/publish-steps.ts';
import {
  bind,
  boundTo,
  declareExchange,
  declareStreams,
  exchangePath,
  takers,
  unbind,
} from '../support/routing-steps.ts';

describe('one and the same', () => {
  test('X6: bound twice it is one binding', async ({ api }) => {
    await declareStreams(api, 'q');
    await declareExchange(api, 'e', { type: 'headers' });
    const first = await bind(api, ['e', 'q'], { key: 'k', args: { a: 1, b: 2 } });
    expect(first).toEqual({
      status: 201,
      name: expect.stringMatching(/^stream\/q\/k~[\w-]{22}$/),
      source: 'e',
      destination_type: 'stream',
      destination: 'q',
      routing_key: 'k',
      arguments: { a: 1, b: 2 },
      properties_key: expect.stringMatching(/^k~[\w-]{22}$/),
    });
    const again = await bind(api, ['e', 'q'], { key: 'k', args: { b: 2, a: 1 } });
    expect(again).toEqual({ ...first, status: 200 });
    expect(await boundTo(api, 'e')).toEqual([first['name']]);
  });

  test('X6: with other arguments it is another one', async ({ api }) => {
    await declareStreams(api, 'q');
    await declareExchange(api, 'e', { type: 'headers' });
    const one = await bind(api, ['e', 'q'], { args: { a: 1 } });
    const other = await bind(api, ['e', 'q'], { args: { a: '1' } });
    expect(await unbind(api, 'e', other['name'])).toBe(204);
    expect(await boundTo(api, 'e')).toEqual([one['name']]);
  });

  test('X6: numbers of arguments keep their digits', async ({ api }) => {
    await declareStreams(api, 'q');
    await declareExchange(api, 'e', { type: 'headers' });
    const body =
      '{"destination_type":"stream","destination":"q","arguments":{"a":1.50,"b":12345678901234567890.5}}';
    const headers = { 'content-type': 'application/json' };
    const answer = await api.call('POST /v1/exchanges/e/bindings', { body, headers });
    expect(answer.status).toBe(201);
    const listed = await api.call('GET /v1/exchanges/e/bindings');
    for (const { text } of [answer, listed]) {
      expect(text).toContain('"arguments":{"a":1.50,"b":12345678901234567890.5}');
    }
    const message = '{"messages":[{"text":"m","headers":{"b":12345678901234567890.5,"a":1.50}}]}';
    const sent = await api.call('POST /v1/exchanges/e/messages', { body: message, headers });
    expect(told(sent)).toMatchObject({ routed: true });
  });

  test.for([
    [{}, '~'],
    [{ key: 'k' }, 'k'],
    [{ key: 'a~b' }, 'a%7Eb'],
    [{ key: '~' }, '%7E'],
    [{ key: '.' }, '%2E'],
    [{ key: 'eu/*.#' }, 'eu/*.#'],
  ] as const)(
    'X6: %j has the properties key %j, by which it is removed',
    async ([wanted, key], { api }) => {
      await declareStreams(api, 'q');
      await declareExchange(api, 'e', { type: 'topic' });
      expect(await bind(api, ['e', 'q'], wanted)).toMatchObject({ properties_key: key });
      expect(await unbind(api, 'e', `stream/q/${encodeURIComponent(key)}`)).toBe(204);
      expect(await boundTo(api, 'e')).toEqual([]);
    },
  );

  test('X6: bindings of several destinations by one key are apart', async ({ api }) => {
    await declareStreams(api, 'q1', 'q2');
    await declareExchange(api, 'e', { type: 'direct' });
    await declareExchange(api, 'q1', { type: 'fanout' });
    for (const name of ['q1', 'q2']) await bind(api, ['e', name], { key: 'k' });
    await bind(api, ['e', 'q1'], { key: 'k', type: 'exchange' });

    expect(await unbind(api, 'e', 'queue/q1/k')).toBe(204);
    expect(await boundTo(api, 'e')).toEqual(['exchange/q1/k', 'stream/q1/k', 'stream/q2/k']);
    expect(await unbind(api, 'e', 'stream/q1/k')).toBe(204);
    expect(await boundTo(api, 'e')).toEqual(['exchange/q1/k', 'stream/q2/k']);
  });

  test('X6: a list has pages', async ({ api }) => {
    await declareStreams(api, 'q');
    await declareExchange(api, 'e', { type: 'direct' });
    for (const key of ['a', 'b', 'c']) await bind(api, ['e', 'q'], { key });
    const page = (await api.call('GET /v1/exchanges/e/bindings?limit=2')).json();
    expect(page).toMatchObject({ has_more: true, items: [{ routing_key: 'a' }, {}] });
    const next = (await api.call('GET /v1/exchanges/e/bindings?start_after=stream/q/b')).json();
    expect(next).toMatchObject({ has_more: false, items: [{ routing_key: 'c' }] });
  });
});

describe('refused', () => {
  test('X6: to or from what is not there', async ({ api }) => {
    await declareStreams(api, 'q');
    await declareExchange(api, 'e', { type: 'direct' });
    const noExchange = { status: 404, code: 'exchange_not_found' };
    expect(await bind(api, ['x', 'q'])).toMatchObject(noExchange);
    expect(await bind(api, ['e', 'x'], { type: 'exchange' })).toMatchObject(noExchange);
    expect(await bind(api, ['e', 'x'])).toMatchObject({ status: 404, code: 'stream_not_found' });
    expect(told(await api.call('DELETE /v1/exchanges/x/bindings/stream/q/k'))).toMatchObject(
      noExchange,
    );
    expect(told(await api.call('GET /v1/exchanges/x/bindings'))).toMatchObject(noExchange);
    expect(await unbind(api, 'e', 'stream/x/k')).toBe(204);
  });

  test('X6: queues, which are not built', async ({ api }) => {
    await declareExchange(api, 'e', { type: 'direct' });
    expect(await bind(api, ['e', 'q'], { type: 'queue' })).toMatchObject({
      status: 400,
      code: 'setting_not_supported',
      field: 'destination_type queue',
    });
  });

  test.for(['', 'abc', '0', '-1', '1.5', '1001', ' 1', '1 '])(
    'X1: weight %j',
    async (key, { api }) => {
      await declareStreams(api, 'q');
      await declareExchange(api, 'e', { type: 'x-consistent-hash' });
      expect(await bind(api, ['e', 'q'], { key })).toMatchObject({
        status: 400,
        code: 'invalid_request',
        field: 'routing_key',
      });
      expect(await boundTo(api, 'e')).toEqual([]);
    },
  );

  test('X1: x-match both', async ({ api }) => {
    await declareStreams(api, 'q');
    await declareExchange(api, 'e', { type: 'headers' });
    expect(await bind(api, ['e', 'q'], { args: { 'x-match': 'both' } })).toMatchObject({
      status: 400,
      field: 'arguments.x-match',
    });
    expect(await boundTo(api, 'e')).toEqual([]);
  });

  test.for([
    [{ destination_type: 'topic', destination: 'q' }, 'destination_type'],
    [{ destination_type: 'stream' }, 'destination'],
    [{ destination_type: 'stream', destination: 'q', key: 'k' }, 'key'],
    [{ destination_type: 'stream', destination: 'q', routing_key: 5 }, 'routing_key'],
    [{ destination_type: 'stream', destination: 'q', routing_key: 'é'.repeat(128) }, 'routing_key'],
    [{ destination_type: 'stream', destination: 'q', arguments: [] }, 'arguments'],
  ] as const)('X6: %j', async ([body, field], { api }) => {
    await declareStreams(api, 'q');
    await declareExchange(api, 'e', { type: 'direct' });
    const answer = await api.call(`POST ${exchangePath('e')}/bindings`, { body });
    expect(told(answer)).toMatchObject({ status: 400, code: 'invalid_request', field });
  });
});

describe('gone with', () => {
  test('X2 T13: a stream that is deleted, and not back with its name', async ({ api }) => {
    await declareStreams(api, 'q', 'r');
    await declareExchange(api, 'e', { type: 'fanout' });
    await bind(api, ['e', 'q']);
    await bind(api, ['e', 'r']);
    expect((await api.call('DELETE /v1/streams/q')).status).toBe(204);
    await declareStreams(api, 'q');

    expect(await boundTo(api, 'e')).toEqual(['stream/r/~']);
    expect(await takers(api, 'e', {})).toEqual(['r']);
    expect(await bind(api, ['e', 'q'])).toMatchObject({ status: 201 });
    expect(await takers(api, 'e', {})).toEqual(['q', 'r']);
  });

  test('X2 T13: an exchange at either end', async ({ api }) => {
    await declareStreams(api, 'q');
    for (const name of ['e', 'f']) await declareExchange(api, name, { type: 'fanout' });
    await bind(api, ['e', 'f'], { type: 'exchange' });
    await bind(api, ['f', 'q']);
    expect(await takers(api, 'e', {})).toEqual(['q']);

    await api.call('DELETE /v1/exchanges/f');
    expect(await boundTo(api, 'e')).toEqual([]);
    await declareExchange(api, 'f', { type: 'fanout' });
    expect(await boundTo(api, 'f')).toEqual([]);
    expect(await takers(api, 'e', {})).toEqual([]);
    await bind(api, ['f', 'q']);
    expect(await takers(api, 'e', {})).toEqual([]);
    expect(await takers(api, 'f', {})).toEqual(['q']);
  });
});
