/**
 * Requests that mean harm, as bytes on a socket: paths that climb, bodies with two ends, other protocols,
 * texts that want to be headers. Each has its answer, changes nothing, and the next client is served.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApi, type LocalApi } from '../support/api.ts';
import { type HttpResponse, parseResponses } from '../support/http-responses.ts';
import { type Listening, listen } from '../support/listen.ts';
import { STREAM } from '../support/publish-steps.ts';
import { exchangeBytes } from '../support/raw-exchange.ts';

let api: LocalApi;
let server: Listening;

beforeAll(async () => {
  api = createApi();
  server = await listen(api);
  await api.call(`PUT ${STREAM}`);
  await api.call(`POST ${STREAM}/messages`, { body: 'first' });
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await api.close();
});

async function responsesTo(sent: string): Promise<readonly HttpResponse[]> {
  return parseResponses(await exchangeBytes(server.port, Buffer.from(sent, 'latin1')), false);
}

/** The status and the code of each answer; an answer without a body has no code. */
async function answersTo(sent: string) {
  return (await responsesTo(sent)).map(({ status, body }) => {
    const code: unknown = body === '' ? undefined : JSON.parse(body).code;
    return code === undefined ? { status } : { status, code };
  });
}

async function expectUnchanged(): Promise<void> {
  const page = (await api.call(`GET ${STREAM}/messages?as=text`)).text;
  expect(page).toBe('first\n');
  const { items } = (await api.call('GET /v1/streams')).json();
  expect(items).toEqual([expect.objectContaining({ name: 's' })]);
  expect(api.errors).toEqual([]);
  expect((await responsesTo(ask('GET /health/live'))).map(({ status }) => status)).toEqual([200]);
}

const END = 'connection: close';
const HOST = 'host: 127.0.0.1';

function ask(line: string, headers: readonly string[] = [], body = ''): string {
  return `${[`${line} HTTP/1.1`, HOST, END, ...headers, '', ''].join('\r\n')}${body}`;
}

const publish = (headers: readonly string[], body = '') =>
  ask(`POST ${STREAM}/messages`, headers, body);
const chunked = (...lines: readonly string[]) =>
  publish(['transfer-encoding: chunked'], `${lines.join('\r\n')}\r\n0\r\n\r\n`);

const malformed = { status: 400, code: 'invalid_request' };
const badName = { status: 400, code: 'invalid_name' };
const noRoute = { status: 404, code: 'not_found' };
const noStream = { status: 404, code: 'stream_not_found' };

test.each([
  ['PUT', '/v1/streams/%2e%2e', badName],
  ['DELETE', '/v1/streams/x/../s', badName],
  ['DELETE', '/v1/streams/x/%2E%2e/s', badName],
  ['DELETE', `http://127.0.0.1/v1/streams/x/../s`, badName],
  ['DELETE', '/v1/streams/x/..%2Fs', noRoute],
  ['DELETE', '/v1/streams/..%2Fs', noStream],
  ['PUT', '/v1/streams/a%00b', badName],
  ['PUT', '/v1/streams/a%0D%0Ab', badName],
  ['PUT', '/v1/streams/%FF', malformed],
  ['PUT', '/v1/streams/%C0%AE', malformed],
  ['PUT', '/v1/streams/\xff', malformed],
  ['PUT', '/v1/streams/%', malformed],
  ['PUT', '/v1/streams/a\\b', malformed],
  ['PUT', '/v1\\streams\\s', malformed],
  ['GET', '//v1/streams', noRoute],
  ['GET', '/v1//streams', noRoute],
  ['GET', '//evil.example/v1/streams', noRoute],
  ['GET', '/v1/streams%2Fs', noRoute],
  ['GET', '/v1/streams/s%2Fmessages', noStream],
  ['GET', '/v1/streams/s%3Fas=text', noStream],
  ['PUT', '/v1/streams//', badName],
  ['GET', '*', malformed],
  ['OPTIONS', '*', malformed],
  ['GET', 'v1/streams', malformed],
  ['GET', 'http://evil.example/v1/streams', malformed],
  ['GET', 'http://user@127.0.0.1:1/v1/streams', malformed],
  ['GET', 'ftp://127.0.0.1/v1/streams', malformed],
  ['GET', `/v1/streams?${'x'.repeat(17_000)}`, { status: 414, code: 'uri_too_long' }],
])('P9: a path that is none is refused: %s %s', async (method, target, answer) => {
  expect(await answersTo(ask(`${method} ${target}`, ['content-length: 0']))).toEqual([answer]);
  await expectUnchanged();
});

test.each([
  ['a length beside chunks', ['content-length: 3', 'transfer-encoding: chunked']],
  ['chunks beside a length', ['transfer-encoding: chunked', 'content-length: 3']],
  ['two lengths', ['content-length: 3', 'content-length: 4']],
  ['a length twice', ['content-length: 3', 'content-length: 3']],
  ['a list of lengths', ['content-length: 3, 3']],
  ['a length below zero', ['content-length: -3']],
  ['a length with a plus', ['content-length: +3']],
  ['a length in hex', ['content-length: 0x3']],
  ['a length of nothing', ['content-length: ']],
  ['a length beyond 2^64', ['content-length: 99999999999999999999999']],
  ['a space before the colon', ['transfer-encoding : chunked']],
  ['an unknown coding', ['transfer-encoding: xchunked']],
  ['chunks of chunks', ['transfer-encoding: chunked, chunked']],
  ['a coding behind chunks', ['transfer-encoding: chunked, gzip']],
  ['a folded header', ['x: a', ' content-length: 3']],
  ['a header that begins folded', [' x: a', 'content-length: 3']],
  ['a bare CR', ['x: a\rcontent-length: 3']],
  ['a bare LF', ['x: a\ncontent-length: 3']],
  ['NUL', ['x: a\0b', 'content-length: 3']],
  ['no name', [': x', 'content-length: 3']],
])('P1: a body whose end is in doubt is refused: %s', async (_what, headers) => {
  expect(await answersTo(publish(headers, '3\r\nabc\r\n0\r\n\r\n'))).toEqual([malformed]);
  await expectUnchanged();
});

test.each([
  ['no size', chunked('x', 'abc')],
  ['a size below zero', chunked('-3', 'abc')],
  ['a size beyond 2^64', chunked('fffffffffffffffff', 'abc')],
  ['a size that is too small', chunked('2', 'abc')],
  ['a size with a prefix', chunked('0x3', 'abc')],
  ['line feeds alone', publish(['transfer-encoding: chunked'], '3\nabc\n0\n\n')],
  [
    'line feeds alone in the head',
    `POST ${STREAM}/messages HTTP/1.1\n${HOST}\ncontent-length: 3\n\nabc`,
  ],
])('P1: chunks that are broken are refused: %s', async (_what, sent) => {
  expect(await answersTo(sent)).toEqual([malformed]);
  await expectUnchanged();
});

test('P6: a length that no number holds is not told rounded', async () => {
  const [response] = await responsesTo(publish(['content-length: 1152921504606846977']));

  expect(JSON.parse(response?.body ?? '')).not.toHaveProperty('actual');
  expect(JSON.parse(response?.body ?? '')).toMatchObject({ status: 413, limit: 4_194_304 });
});

test('P10: a body in a transfer coding of its own is refused, not stored as it came', async () => {
  const coded = publish(['transfer-encoding: gzip, chunked'], '3\r\nabc\r\n0\r\n\r\n');

  expect(await answersTo(coded)).toEqual([{ status: 415, code: 'unsupported_media_type' }]);
  await expectUnchanged();
});

test.each([
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['RESP', '*1\r\n$4\r\nPING\r\n'],
  ['AMQP', 'AMQP\x00\x00\x09\x01'],
  ['HTTP/0.9', 'GET /v1/streams\r\n\r\n'],
  ['a version to come', `GET /v1/streams HTTP/9.9\r\n${HOST}\r\n\r\n`],
  ['a method that is none', `BREW /v1/streams HTTP/1.1\r\n${HOST}\r\n\r\n`],
  ['a method in small letters', `get /v1/streams HTTP/1.1\r\n${HOST}\r\n\r\n`],
  ['HTTP/1.0 without a host', 'GET /v1/streams HTTP/1.0\r\n\r\n'],
  ['an empty host', `GET /v1/streams HTTP/1.0\r\nhost:\r\n\r\n`],
  ['a host that is none', `GET /v1/streams HTTP/1.0\r\nhost: 127.0.0.x.1\r\n\r\n`],
  ['a port that is none', `GET /v1/streams HTTP/1.0\r\nhost: 127.0.0.1:99999\r\n\r\n`],
])('another protocol is answered with a problem: %s', async (_what, sent) => {
  expect(await answersTo(sent)).toEqual([malformed]);
  await expectUnchanged();
});

test.each([
  ['HTTP/1.1 without a host', `GET /v1/streams HTTP/1.1\r\n${END}\r\n\r\n`, [{ status: 400 }]],
  ['HTTP/1.0 with a host', `GET ${STREAM} HTTP/1.0\r\n${HOST}\r\n\r\n`, [{ status: 200 }]],
  ['two hosts', ask('GET /v1/streams', [HOST]), [{ status: 403, code: 'foreign_origin' }]],
  ['TRACE', ask('TRACE /v1/streams'), [{ status: 405, code: 'method_not_allowed' }]],
  ['CONNECT', `CONNECT 127.0.0.1:80 HTTP/1.1\r\n${HOST}\r\n\r\n`, []],
  [
    'another expectation',
    publish(['expect: a-miracle', 'content-length: 3'], 'abc'),
    [{ status: 417 }],
  ],
  [
    'a socket of the web',
    `GET ${STREAM} HTTP/1.0\r\n${HOST}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`,
    [{ status: 200 }],
  ],
  [
    'headers of 200 kB',
    ask('GET /v1/streams', [`x: ${'x'.repeat(200_000)}`]),
    [{ status: 431, code: 'headers_too_large' }],
  ],
  [
    '2500 headers',
    ask('GET /v1/streams', Array(2_500).fill('x: 1')),
    [{ status: 431, code: 'headers_too_large' }],
  ],
])('what is asked beside a request is answered: %s', async (_what, sent, answers) => {
  expect(await answersTo(sent)).toEqual(answers);
  await expectUnchanged();
});

test.each([
  [
    'a position',
    `GET ${STREAM}/messages?from=1%0d%0aset-cookie:%20a=b`,
    { status: 400, code: 'invalid_offset' },
  ],
  [
    'a condition',
    `GET ${STREAM}/messages?if_stream_id=%0d%0aset-cookie:%20a=b`,
    { status: 409, code: 'stream_recreated' },
  ],
  ['a stream', 'GET /v1/streams/a%0d%0aset-cookie:%20a=b', badName],
  ['a publisher', `GET ${STREAM}/publishers/a%0d%0aset-cookie:%20a=b`, badName],
  ['a parameter', 'GET /v1/streams?%0d%0aset-cookie:%20a=b', malformed],
  ['a path', 'GET /%0d%0aset-cookie:%20a=b', noRoute],
])('nothing of %s becomes a header', async (_what, line, answer) => {
  const [response] = await responsesTo(
    ask(line, ['x-request-id: a\tb', 'origin: http://127.0.0.1']),
  );

  expect(response?.headers.has('set-cookie')).toBe(false);
  expect(response?.headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/);
  expect({ status: response?.status, code: JSON.parse(response?.body ?? '').code }).toEqual(answer);
});

test('O15: where a read began stands in one header, however it was written', async () => {
  const line = `GET ${STREAM}/messages?as=text&from=ts:2020-02-29T00:00:00.123456%2B01:00`;
  const [response] = await responsesTo(ask(line));

  expect(JSON.parse(response?.headers.get('varve-resolved') ?? '')).toMatchObject({ offset: 0 });
});
