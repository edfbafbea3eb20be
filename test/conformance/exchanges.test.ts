/** Exchanges: declared, shown, listed, deleted; the one without a name; those that go by themselves. */
import { describe, expect } from 'vitest';
import { test } from '../support/api-test.ts';
import { told } from '../support/publish-steps.ts';
import {
  bind,
  boundTo,
  countsIn,
  declareExchange,
  declareStreams,
  exchangePath,
  outcomesOf,
  send,
  takers,
  unbind,
} from '../support/routing-steps.ts';

describe('a declaration', () => {
  test('X10: is answered as it was made, and the same again changes nothing', async ({ api }) => {
    const body = { type: 'headers', alternate_exchange: 'ae', arguments: { 'x-match': 'any' } };
    const members = {
      name: 'e/1',
      type: 'headers',
      delayed: false,
      delayed_type: null,
      alternate_exchange: 'ae',
      internal: false,
      auto_delete: false,
      arguments: { 'x-match': 'any' },
      deduplication: null,
      exchange_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      created_at: api.timeNow(),
    };
    const first = await declareExchange(api, 'e/1', body);
    expect(first).toEqual({ ...members, status: 201 });
    expect(await declareExchange(api, 'e/1', body)).toEqual({ ...first, status: 200 });
    expect(told(await api.call('GET /v1/exchanges/e%2F1'))).toEqual({ ...first, status: 200 });
  });

  test.for([
    [{}, 'invalid_request', 'type'],
    [{ type: 'foo' }, 'invalid_setting', 'type'],
    [{ type: 'x-delayed-message' }, 'invalid_request', 'delayed_type'],
    [{ type: 'topic', delayed: 1 }, 'invalid_setting', 'delayed'],
    [{ type: 'topic', deduplication: true }, 'invalid_setting', 'deduplication'],
    [[], 'invalid_request', 'the body'],
    [{ type: 'topic', foo: 1 }, 'invalid_request', 'foo'],
  ] as const)('X10: %j is refused, and nothing declared', async ([body, code, field], { api }) => {
    expect(await declareExchange(api, 'e', body)).toMatchObject({ status: 400, code, field });
    expect(told(await api.call('GET /v1/exchanges/e'))).toMatchObject({
      status: 404,
      code: 'exchange_not_found',
    });
  });

  test('X10: of another type is a mismatch', async ({ api }) => {
    await declareExchange(api, 'e', { type: 'topic' });
    expect(await declareExchange(api, 'e', { type: 'fanout' })).toMatchObject({
      status: 409,
      code: 'settings_mismatch',
      field: 'type',
      expected: 'fanout',
      actual: 'topic',
    });
  });

  test('X10: names are those of streams, in a namespace of their own', async ({ api }) => {
    await declareStreams(api, 'e');
    expect(await declareExchange(api, 'e', { type: 'topic' })).toMatchObject({ status: 201 });
    for (const name of ['amq.topic', 'varve.x', 'a'.repeat(256)]) {
      expect(await declareExchange(api, name, { type: 'topic' })).toMatchObject({
        status: 400,
        code: 'invalid_name',
      });
    }
  });
});

test('X10: a list has pages, and a deleted exchange is gone', async ({ api }) => {
  for (const name of ['b', 'a', 'ab']) await declareExchange(api, name, { type: 'direct' });
  const list = async (query: string) => {
    const { items, has_more }: { items?: { name: string }[]; has_more?: unknown } = (
      await api.call(`GET /v1/exchanges${query}`)
    ).json();
    return [items?.map(({ name }) => name), has_more];
  };
  expect(await list('')).toEqual([['a', 'ab', 'b'], false]);
  expect(await list('?limit=2')).toEqual([['a', 'ab'], true]);
  expect(await list('?start_after=ab')).toEqual([['b'], false]);
  expect(await list('?prefix=a')).toEqual([['a', 'ab'], false]);

  expect((await api.call('DELETE /v1/exchanges/a')).status).toBe(204);
  expect(await list('')).toEqual([['ab', 'b'], false]);
  expect(told(await api.call('DELETE /v1/exchanges/a'))).toMatchObject({
    status: 404,
    code: 'exchange_not_found',
  });
  expect((await api.call('DELETE /v1/exchanges/a?if_exists=true')).status).toBe(204);
});

describe('the exchange without a name', () => {
  test('X5: routes by the names of streams', async ({ api }) => {
    await declareStreams(api, 'q', 'r/1');
    expect(await takers(api, 'amq.default', { routing_key: 'q' })).toEqual(['q']);
    const both = { routing_key: 'r/1', headers: { CC: ['q', 'nobody', '', 'amq.x'] } };
    expect(await takers(api, 'amq.default', both)).toEqual(['q', 'r/1']);
    expect(await countsIn(api, 'q', 'r/1')).toEqual([2, 1]);
  });

  test('X5: to a name that there is not it routes nothing', async ({ api }) => {
    const answer = await send(api, 'amq.default', { routing_key: 'q' });
    expect(told(answer)).toEqual({
      status: 200,
      routed: false,
      destinations: [],
      unrouted: 1,
      held: [],
    });
    expect((await api.call('GET /v1/streams/q')).status).toBe(404);
  });

  test('X5: is shown, and neither declared, bound, unbound nor deleted', async ({ api }) => {
    await declareStreams(api, 'q');
    await declareExchange(api, 'e', { type: 'fanout' });
    const path = exchangePath('amq.default');
    expect(told(await api.call(`GET ${path}`))).toMatchObject({ status: 200, type: 'direct' });
    const refused = { status: 403, code: 'forbidden' };
    expect(await declareExchange(api, 'amq.default', { type: 'direct' })).toMatchObject(refused);
    expect(await bind(api, ['amq.default', 'q'])).toMatchObject(refused);
    expect(await bind(api, ['e', 'amq.default'], { type: 'exchange' })).toMatchObject(refused);
    expect(told(await api.call(`DELETE ${path}/bindings/stream/q/q`))).toMatchObject(refused);
    expect(told(await api.call(`DELETE ${path}`))).toMatchObject(refused);
  });
});

describe('an exchange that is deleted by itself', () => {
  const isThere = async (api: Parameters<typeof boundTo>[0], name: string) =>
    (await api.call(`GET ${exchangePath(name)}`)).status === 200;

  test('X9: stays without bindings, and goes with the last one', async ({ api }) => {
    await declareStreams(api, 'q');
    await declareExchange(api, 'e', { type: 'direct', auto_delete: true });
    expect(await isThere(api, 'e')).toBe(true);

    const [a, b] = [await bind(api, ['e', 'q'], { key: 'a' }), await bind(api, ['e', 'q'])];
    expect(await unbind(api, 'e', a['name'])).toBe(204);
    expect(await isThere(api, 'e')).toBe(true);
    expect(await unbind(api, 'e', 'stream/q/other')).toBe(204);
    expect(await isThere(api, 'e')).toBe(true);
    expect(await unbind(api, 'e', b['name'])).toBe(204);
    expect(await isThere(api, 'e')).toBe(false);
  });

  test('X9: takes those with it whose last binding led to it', async ({ api }) => {
    await declareStreams(api, 'q');
    for (const name of ['e1', 'e2', 'e3']) {
      await declareExchange(api, name, { type: 'fanout', auto_delete: name !== 'e1' });
    }
    await bind(api, ['e1', 'e2'], { type: 'exchange' });
    await bind(api, ['e2', 'e3'], { type: 'exchange' });
    const { name } = await bind(api, ['e3', 'q']);
    await unbind(api, 'e3', name);

    expect(await isThere(api, 'e3')).toBe(false);
    expect(await isThere(api, 'e2')).toBe(false);
    expect(await isThere(api, 'e1')).toBe(true);
    expect(await boundTo(api, 'e1')).toEqual([]);
  });
});

test('X9: an internal exchange takes messages from others only', async ({ api }) => {
  await declareStreams(api, 'q');
  await declareExchange(api, 'inside', { type: 'fanout', internal: true });
  await declareExchange(api, 'e', { type: 'fanout' });
  await bind(api, ['inside', 'q']);
  await bind(api, ['e', 'inside'], { type: 'exchange' });

  expect(told(await send(api, 'inside', {}))).toMatchObject({
    status: 403,
    code: 'internal_exchange',
  });
  expect(await countsIn(api, 'q')).toEqual([0]);
  expect(outcomesOf(await send(api, 'e', {})).outcomes).toEqual({ q: 'stored' });
});
