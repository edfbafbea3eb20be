/** `ETag` and `If-None-Match` of what is told of the log: 304 while it is the same, byte for byte. */
import { describe, expect } from 'vitest';
import type { Api } from '../support/api.ts';
import { test } from '../support/api-test.ts';
import { createStream, publish, STREAM, texts } from '../support/publish-steps.ts';

const publishAs = (api: Api, name: string, id: number) =>
  publish(api, texts('a'), { publisher: name, publishing_id: id });

/** Each with a change that must show. */
const ENTITIES = [
  [STREAM, (api: Api) => publish(api, texts('a'))],
  [`${STREAM}/fencing-token`, (api: Api) => setToken(api, 'b')],
  [`${STREAM}/publishers`, (api: Api) => publishAs(api, 'q', 1)],
  [`${STREAM}/publishers/p`, (api: Api) => publishAs(api, 'p', 2)],
  ['/v1/streams', (api: Api) => api.call('PUT /v1/streams/t')],
  ['/v1/streams?limit=1', (api: Api) => api.call('PUT /v1/streams/a')],
] as const;

function setToken(api: Api, token: string) {
  return api.call(`PUT ${STREAM}/fencing-token`, { body: { fencing_token: token } });
}

async function prepare(api: Api) {
  await createStream(api);
  await publishAs(api, 'p', 1);
  await setToken(api, 'a');
}

describe.each(ENTITIES)('%s', (path, change) => {
  const ask = (api: Api, tags: string, method = 'GET') =>
    api.call(`${method} ${path}`, { headers: { 'if-none-match': tags } });

  test('is 304 without a body to one that has it', async ({ api }) => {
    await prepare(api);
    const first = await api.call(`GET ${path}`);
    const etag = first.headers.get('etag') ?? '';

    expect(etag).toMatch(/^"[!#-~]{22}"$/);
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    for (const tags of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const again = await ask(api, tags, method);

        expect([tags, again.status, again.text]).toEqual([tags, 304, '']);
        expect(again.headers.get('etag')).toBe(etag);
        expect(again.headers.get('cache-control')).toBe('private, no-cache');
        expect(again.headers.get('content-type')).toBeNull();
      }
    }
  });

  test('is given whole, with another tag, once it has changed', async ({ api }) => {
    await prepare(api);
    const before = (await api.call(`GET ${path}`)).headers.get('etag') ?? '';
    await change(api);
    const after = await ask(api, before);

    expect(after.status).toBe(200);
    expect(after.json()).toEqual((await api.call(`GET ${path}`)).json());
    expect(after.headers.get('etag')).not.toBe(before);
  });

  test('has its tag on HEAD too', async ({ api }) => {
    await prepare(api);
    const get = await api.call(`GET ${path}`);
    const head = await api.call(`HEAD ${path}`);

    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.get('etag')).toBe(get.headers.get('etag'));
  });
});

test.for([
  ['messages', `GET ${STREAM}/messages`],
  ['a position', `GET ${STREAM}/offsets`],
  ['a change', `PATCH ${STREAM}`],
  ['what is missing', 'GET /v1/streams/missing'],
  ['metrics', 'GET /metrics'],
] as const)('%s has no tag, and is never kept', async ([, line], { api }) => {
  await prepare(api);
  const headers = { 'if-none-match': '*' };
  const answer = await api.call(line, { headers, ...(line.startsWith('PATCH') && { body: {} }) });

  expect(answer.status).not.toBe(304);
  expect(answer.headers.get('etag')).toBeNull();
  expect(answer.headers.get('cache-control')).toBe('no-store');
});
