/** What no HTTP client sends: broken requests, paths with steps, bodies that end in the middle. */
import { expect } from 'vitest';
import { test } from '../support/api-test.ts';
import { createStream, nextOffset, numbered, publish, STREAM } from '../support/publish-steps.ts';
import { requestHead, startRawHttp } from '../support/raw-http.ts';

const NO_BODY = { host: '127.0.0.1', 'content-length': '0' };
const problem = (status: number, code: string) => ({
  type: `urn:varve:error:${code}`,
  title: expect.any(String),
  status,
  detail: expect.any(String),
  instance: expect.any(String),
  code,
  message: expect.any(String),
  retryable: false,
  side_effects: 'none',
  request_id: expect.stringMatching(/^[0-9a-f]{32}$/),
});

test.for([
  ['no HTTP at all', 'hello\r\n\r\n', 400, 'invalid_request'],
  ['a header without a colon', 'GET / HTTP/1.1\r\nhost 127.0.0.1\r\n\r\n', 400, 'invalid_request'],
  ['a backslash in the path', requestHead('GET /v1\\streams', NO_BODY), 400, 'invalid_request'],
  [
    'two lengths',
    requestHead('GET /v1/streams', { ...NO_BODY, 'Content-Length': '1' }),
    400,
    'invalid_request',
  ],
  [
    'headers of 200 kB',
    requestHead('GET /v1/streams', { ...NO_BODY, x: 'x'.repeat(200_000) }),
    431,
    'headers_too_large',
  ],
  [
    'a URL of 100 kB',
    requestHead(`GET /v1/streams?${'x'.repeat(100_000)}`, NO_BODY),
    414,
    'uri_too_long',
  ],
] as const)(
  'a broken request is answered with a problem: %s',
  async ([, sent, status, code], { api }) => {
    await using http = await startRawHttp(api);
    const answer = await http.exchange(sent);

    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    const { limit: _, actual: _actual, ...members } = answer.json();
    expect(members).toEqual(problem(status, code));
    expect(answer.headers.get('x-request-id')).toBe(members['request_id']);
  },
);

test.for([
  'PUT /v1/streams/%2E',
  'PUT /v1/streams/%2e%2E',
  'PUT /v1/streams/..',
  'DELETE /v1/streams/x/%2E%2E/s',
  'POST /v1/streams/s/publishers/%2E%2E/purge',
  'POST /v1/streams/./s/purge',
  'POST /v1/streams/s/publishers/../purge?x=1',
])('P9: a path step is refused before it can name something else: %s', async (line, { api }) => {
  await createStream(api);
  await publish(api, numbered(3));
  await using http = await startRawHttp(api);
  const answer = await http.exchange(requestHead(line, NO_BODY));

  expect(answer.json()).toEqual({ ...problem(400, 'invalid_name'), field: 'path' });
  expect((await api.call(`GET ${STREAM}`)).json()).toMatchObject({ first: 0, next: 3 });
  expect((await api.call('GET /v1/streams')).json()).toMatchObject({ items: [{ name: 's' }] });
});

test.for(['...', '.a', 'a.', 'a%2F..', '..a%2F', 'a%2F..%2Fb'])(
  'P9: dots that are no path step are part of a name: %s',
  async (path, { api }) => {
    await using http = await startRawHttp(api);
    const answer = await http.exchange(requestHead(`PUT /v1/streams/${path}`, NO_BODY));

    expect(answer.status).toBe(201);
    expect(answer.json()).toMatchObject({ name: decodeURIComponent(path) });
  },
);

const MESSAGES = JSON.stringify({ messages: numbered(3) });
const TYPE = { host: '127.0.0.1', 'content-type': 'application/json' };

test.for([
  [
    'shorter than its length',
    requestHead(`POST ${STREAM}/messages`, {
      ...TYPE,
      'content-length': `${MESSAGES.length + 1}`,
    }) + MESSAGES,
  ],
  [
    'chunked, without its last chunk',
    requestHead(`POST ${STREAM}/messages`, { ...TYPE, 'transfer-encoding': 'chunked' }) +
      `${MESSAGES.length.toString(16)}\r\n${MESSAGES}\r\n`,
  ],
] as const)('P1: of a publish that breaks off nothing is stored: %s', async ([, sent], { api }) => {
  await createStream(api);
  const http = await startRawHttp(api);
  await http.breakOff(sent);
  // An ended server has let every request under way finish.
  await http[Symbol.asyncDispose]();

  expect(await nextOffset(api)).toBe(0);
});

test('P1: a publish that comes whole in chunks is stored', async ({ api }) => {
  await createStream(api);
  await using http = await startRawHttp(api);
  const head = requestHead(`POST ${STREAM}/messages`, { ...TYPE, 'transfer-encoding': 'chunked' });
  const chunk = `${MESSAGES.length.toString(16)}\r\n${MESSAGES}\r\n`;

  expect((await http.exchange(`${head}${chunk}0\r\n\r\n`)).status).toBe(200);
  expect(await nextOffset(api)).toBe(3);
});
