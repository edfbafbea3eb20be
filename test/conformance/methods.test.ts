/** Paths and methods: what there is, what is told where there is nothing, and repeating a request. */
import { describe, expect } from 'vitest';
import { steadyHeaders } from '../support/api.ts';
import { test } from '../support/api-test.ts';
import { createStream, numbered, publish, STREAM, told } from '../support/publish-steps.ts';

const ALLOWED = [
  ['/v1/streams', 'GET, HEAD, OPTIONS'],
  [STREAM, 'PUT, GET, PATCH, DELETE, HEAD, OPTIONS'],
  [`${STREAM}/messages`, 'POST, GET, HEAD, OPTIONS'],
  [`${STREAM}/read`, 'POST, OPTIONS'],
  [`${STREAM}/offsets`, 'GET, HEAD, OPTIONS'],
  [`${STREAM}/trim`, 'POST, OPTIONS'],
  [`${STREAM}/purge`, 'POST, OPTIONS'],
  [`${STREAM}/fencing-token`, 'GET, PUT, DELETE, HEAD, OPTIONS'],
  [`${STREAM}/publishers`, 'GET, HEAD, OPTIONS'],
  [`${STREAM}/publishers/p`, 'GET, HEAD, OPTIONS'],
  [`${STREAM}/consumers`, 'GET, HEAD, OPTIONS'],
  [`${STREAM}/consumers/c`, 'GET, PUT, DELETE, HEAD, OPTIONS'],
  [`${STREAM}/consumers/c/ack`, 'POST, OPTIONS'],
  ['/health/live', 'GET, HEAD, OPTIONS'],
  ['/health/ready', 'GET, HEAD, OPTIONS'],
  ['/metrics', 'GET, HEAD, OPTIONS'],
  ['/v1/overview', 'GET, HEAD, OPTIONS'],
  ['/v1/whoami', 'GET, HEAD, OPTIONS'],
  ['/v1/openapi.json', 'GET, HEAD, OPTIONS'],
  ['/v1/docs', 'GET, HEAD, OPTIONS'],
] as const;

describe('a path that there is', () => {
  test.for(ALLOWED)(
    'takes other methods with 405 and what it allows: %s',
    async ([path, allow], { api }) => {
      const methods = ['GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE', 'PROPFIND'];
      for (const method of methods.filter((name) => !allow.split(', ').includes(name))) {
        const answer = await api.call(`${method} ${path}`);

        expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, allow]);
        if (method === 'HEAD') expect(answer.text).toBe('');
        else expect(answer.json()).toMatchObject({ code: 'method_not_allowed', allow });
      }
    },
  );

  test.for(ALLOWED)('answers OPTIONS: %s', async ([path, allow], { api }) => {
    const answer = await api.call(`OPTIONS ${path}`);

    expect([answer.status, answer.text, answer.headers.get('allow')]).toEqual([204, '', allow]);
  });

  test.for(ALLOWED.filter(([, allow]) => allow.includes('HEAD')))(
    'answers HEAD as GET without the body: %s',
    async ([path], { api }) => {
      await createStream(api);
      await publish(api, numbered(3), { publisher: 'p', publishing_id: 1 });
      await api.call(`PUT ${STREAM}/consumers/c`, { body: { next: 1 } });
      const headers = { 'x-request-id': 'a' };
      const get = await api.call(`GET ${path}`, { headers });
      const head = await api.call(`HEAD ${path}`, { headers });

      expect(get.status).toBe(200);
      expect([head.status, head.text]).toEqual([200, '']);
      expect(steadyHeaders(head)).toEqual(steadyHeaders(get));
    },
  );

  test('answers HEAD of what is missing without a body too', async ({ api }) => {
    const head = await api.call(`HEAD ${STREAM}`);

    expect([head.status, head.text]).toEqual([404, '']);
    expect(head.headers.get('content-type')).toBe('application/problem+json');
  });
});

test.for([
  '/',
  '/v1',
  '/v2/streams',
  '/v1/stream',
  `${STREAM}/nothing`,
  `${STREAM}/messages/1`,
  `${STREAM}/`,
  '/v1/streams/a/b',
])('a path that there is not is 404: %s', async (path, { api }) => {
  for (const method of ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'PROPFIND']) {
    expect(told(await api.call(`${method} ${path}`))).toMatchObject({
      status: 404,
      code: 'not_found',
    });
  }
});

describe('repeating a request', () => {
  test('T17: PUT creates, then confirms, and tells what differs', async ({ api }) => {
    const put = (body: object) => api.call(`PUT ${STREAM}`, { body });

    expect((await put({ segment_max_age: '24h' })).status).toBe(201);
    expect((await put({ segment_max_age: '1D' })).status).toBe(200);
    expect(told(await put({ segment_max_age: '1h' }))).toMatchObject({
      status: 409,
      code: 'settings_mismatch',
      field: 'segment_max_age',
      expected: '1h',
      actual: '1D',
    });
    expect((await api.call(`GET ${STREAM}`)).json()['settings']).toEqual({ segment_max_age: '1D' });
  });

  test('T13: DELETE of what is missing is 404, unless it need not exist', async ({ api }) => {
    expect(told(await api.call(`DELETE ${STREAM}`))).toMatchObject({
      status: 404,
      code: 'stream_not_found',
    });
    expect((await api.call(`DELETE ${STREAM}?if_exists=true`)).status).toBe(204);
    expect((await api.call(`DELETE ${STREAM}?if_exists=false`)).status).toBe(404);
    await createStream(api);
    expect((await api.call(`DELETE ${STREAM}?if_exists=true`)).status).toBe(204);
    expect((await api.call(`GET ${STREAM}`)).status).toBe(404);
  });
});
