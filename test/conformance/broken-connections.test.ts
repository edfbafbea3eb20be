/** What no HTTP client sends: broken requests, paths with steps, bodies that end in the middle. */
import { expect } from 'vitest';
import { inProcess } from '../support/api-test.ts';
import { listen } from '../support/listen.ts';
import { createStream, nextOffset, numbered, publish, STREAM } from '../support/publish-steps.ts';
import { exchange, openSocket, requestText } from '../support/raw-exchange.ts';

const test = inProcess('a server of its own');

const EMPTY = 'content-length: 0';
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
  ['a backslash in the path', requestText('GET /v1\\streams'), 400, 'invalid_request'],
  [
    'two lengths',
    requestText('GET /v1/streams', [EMPTY, 'content-length: 1']),
    400,
    'invalid_request',
  ],
  [
    'headers of 200 kB',
    requestText('GET /v1/streams', [`x: ${'x'.repeat(200_000)}`]),
    431,
    'headers_too_large',
  ],
  ['a URL of 100 kB', requestText(`GET /v1/streams?${'x'.repeat(100_000)}`), 414, 'uri_too_long'],
] as const)(
  'a broken request is answered with a problem: %s',
  async ([, sent, status, code], { api }) => {
    await using server = await listen(api);
    const answer = await exchange(server.port, sent);

    expect(answer.status).toBe(status);
    expect(answer.head).toMatch(/^content-type: application\/problem\+json\r$/im);
    const { limit: _, actual: _actual, ...members } = JSON.parse(answer.body);
    expect(members).toEqual(problem(status, code));
    expect(answer.head).toContain(`x-request-id: ${members.request_id}\r\n`);
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
  await using server = await listen(api);
  const answer = await exchange(server.port, requestText(line, [EMPTY]));

  expect(JSON.parse(answer.body)).toEqual({ ...problem(400, 'invalid_name'), field: 'path' });
  expect((await api.call(`GET ${STREAM}`)).json()).toMatchObject({ first: 0, next: 3 });
  expect((await api.call('GET /v1/streams')).json()).toMatchObject({ items: [{ name: 's' }] });
});

test.for(['...', '.a', 'a.', 'a%2F..', '..a%2F', 'a%2F..%2Fb'])(
  'P9: dots that are no path step are part of a name: %s',
  async (path, { api }) => {
    await using server = await listen(api);
    const answer = await exchange(server.port, requestText(`PUT /v1/streams/${path}`, [EMPTY]));

    expect(answer.status).toBe(201);
    expect(JSON.parse(answer.body)).toMatchObject({ name: decodeURIComponent(path) });
  },
);

const MESSAGES = JSON.stringify({ messages: numbered(3) });
const CHUNK = `${MESSAGES.length.toString(16)}\r\n${MESSAGES}\r\n`;

const publishText = (header: string, body: string) =>
  requestText(`POST ${STREAM}/messages`, ['content-type: application/json', header], body);

test.for([
  ['shorter than its length', publishText(`content-length: ${MESSAGES.length + 1}`, MESSAGES)],
  ['chunked, without its last chunk', publishText('transfer-encoding: chunked', CHUNK)],
] as const)('P1: of a publish that breaks off nothing is stored: %s', async ([, sent], { api }) => {
  await createStream(api);
  const server = await listen(api);
  const socket = await openSocket(server.port);
  await new Promise((resolve) => socket.write(sent, resolve));
  socket.destroy();
  await server[Symbol.asyncDispose]();

  expect(await nextOffset(api)).toBe(0);
});

test('P1: a publish that comes whole in chunks is stored', async ({ api }) => {
  await createStream(api);
  await using server = await listen(api);
  const sent = publishText('transfer-encoding: chunked', `${CHUNK}0\r\n\r\n`);

  expect((await exchange(server.port, sent)).status).toBe(200);
  expect(await nextOffset(api)).toBe(3);
});
