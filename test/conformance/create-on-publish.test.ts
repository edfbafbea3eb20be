/** `create=true`: a stream that comes into being with its first stored message. */
import { describe, expect } from 'vitest';
import type { Api } from '../support/api.ts';
import { test } from '../support/api-test.ts';
import {
  createStream,
  nextOffset,
  numbered,
  publish,
  readTexts,
  STREAM,
  told,
} from '../support/publish-steps.ts';

const create = (api: Api, options: object = {}, messages: readonly object[] = numbered(1)) =>
  api.call(`POST ${STREAM}/messages?create=true`, { body: { messages, ...options } });

const streams = async (api: Api) => (await api.call('GET /v1/streams')).json()['items'];

test('P12: without it a missing stream is missing', async ({ api }) => {
  expect(told(await publish(api, numbered(1)))).toMatchObject({
    status: 404,
    code: 'stream_not_found',
    stream: 's',
    retryable: false,
    side_effects: 'none',
  });
  const refused = await api.call(`POST ${STREAM}/messages?create=false`, { body: 'a' });
  expect(refused.status).toBe(404);
  expect(await streams(api)).toEqual([]);
});

test('P12: creates the stream as a declaration without settings does', async ({ api }) => {
  expect(told(await create(api))).toMatchObject({ status: 200, start: 0, end: 1 });
  const described = (await api.call(`GET ${STREAM}`)).json();
  expect(described['settings']).toEqual({});

  expect((await api.call(`PUT ${STREAM}`, { body: {} })).status).toBe(200);
  await api.call(`DELETE ${STREAM}`);
  const declared = (await api.call(`PUT ${STREAM}`, { body: {} })).json();
  expect(declared['effective_settings']).toEqual(described['effective_settings']);
});

test('P12: of a stream that exists changes nothing but its messages', async ({ api }) => {
  await createStream(api, { segment_max_bytes: 7 });

  expect(told(await create(api))).toMatchObject({ status: 200, start: 0 });
  expect((await api.call(`GET ${STREAM}`)).json()['settings']).toEqual({ segment_max_bytes: 7 });
});

test('P12: 50 at once make one stream', async ({ api }) => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => create(api, {}, [{ text: String(index) }])),
  );
  const ids = new Set(answers.map((answer) => answer.json()['stream_id']));

  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(ids.size).toBe(1);
  expect(await streams(api)).toMatchObject([{ name: 's' }]);
  expect(new Set(await readTexts(api)).size).toBe(50);
});

test('P12 P4: is stored with expected_offset 0, and with a publisher', async ({ api }) => {
  const named = { expected_offset: 0, publisher: 'p', publishing_id: 7 };

  expect(told(await create(api, named))).toMatchObject({ status: 200, start: 0 });
  expect((await api.call(`GET ${STREAM}/publishers/p`)).json()).toMatchObject({ publishing_id: 7 });
});

describe('a refused publish', () => {
  test.for([
    ['a broken message', {}, [{}], 400],
    ['no message', {}, [], 400],
    ['a delay that is none', {}, [{ text: 'a', delay_ms: 'soon' }], 400],
    ['a message too large', {}, [{ text: 'x'.repeat(1_048_577) }], 413],
    ['another offset', { expected_offset: 1 }, numbered(1), 412],
    ['a token', { fencing_token: 'a' }, numbered(1), 412],
    ['an id without a publisher', { publishing_id: 1 }, numbered(1), 400],
  ] as const)('P12: creates nothing: %s', async ([, options, messages, status], { api }) => {
    expect((await create(api, options, messages)).status).toBe(status);
    expect(await streams(api)).toEqual([]);
  });

  test.for(['yes', '1', 'TRUE', ''])('P12: create=%s is no boolean', async (value, { api }) => {
    const answer = await api.call(`POST ${STREAM}/messages?create=${value}`, { body: 'a' });

    expect(told(answer)).toMatchObject({ status: 400, code: 'invalid_request', field: 'create' });
    expect(await streams(api)).toEqual([]);
  });
});

test('P12: whoever was refused leaves the next one an empty stream', async ({ api }) => {
  await create(api, { expected_offset: 1 });
  await create(api);

  expect(await nextOffset(api)).toBe(1);
});
