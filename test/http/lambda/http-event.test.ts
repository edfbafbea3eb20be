/** What Lambda hands over, as the request that it was. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type HttpEvent, requestOf } from '../../../lib/http/lambda/http-event.ts';
import { decodedPath } from '../../support/lambda-event.ts';

const EVENT: HttpEvent = {
  rawPath: '/v1/streams',
  rawQueryString: '',
  headers: { host: 'abc.lambda-url.eu-west-1.on.aws' },
  requestContext: { domainName: 'abc.lambda-url.eu-west-1.on.aws', http: { method: 'GET' } },
};
const OPTIONS = { requestId: 'invocation-1', signal: new AbortController().signal };

function requestFrom(change: Partial<HttpEvent>, method = 'GET') {
  const requestContext = { ...EVENT.requestContext, http: { method } };
  return requestOf({ ...EVENT, requestContext, ...change }, OPTIONS);
}

describe('a path', () => {
  test.each([
    ['/v1/streams/a%2Fb', '/v1/streams/a%2Fb'],
    ['/v1/streams/a%252Fb', '/v1/streams/a%252Fb'],
    ['/v1/streams/%2E%2E', '/v1/streams/%2E%2E'],
    ['/v1/streams/..', '/v1/streams/..'],
    ['/v1/streams/%ZZ', '/v1/streams/%ZZ'],
    ['/v1/streams/a b', '/v1/streams/a%20b'],
    ['/v1/streams/a?b#c', '/v1/streams/a%3Fb%23c'],
    ['/v1/streams/a\\b', '/v1/streams/a%5Cb'],
    ['/v1/streams/ä🜁', '/v1/streams/%C3%A4%F0%9F%9C%81'],
    ['/v1/streams/\ud800', '/v1/streams/%EF%BF%BD'],
  ])('is told as it was sent, what stands decoded in it encoded again: %j', (rawPath, target) => {
    expect(requestFrom({ rawPath }).target).toBe(target);
  });

  test('P9: that was decoded on its way still holds the name, but for / and ?', () => {
    const name = fc.string({ unit: 'binary', minLength: 1 }).filter((text) => !/[/?]/.test(text));
    fc.assert(
      fc.property(name, (text) => {
        const rawPath = decodedPath(`/v1/streams/${encodeURIComponent(text)}`);
        const { target } = requestFrom({ rawPath });

        expect(decodeURIComponent(target.slice('/v1/streams/'.length))).toBe(text);
      }),
    );
  });
});

test('a query goes on as it was sent', () => {
  const rawQueryString = 'a=%20&a=2&b=%2B+#c';

  expect(new URL(requestFrom({ rawQueryString }).request.url).search).toBe('?a=%20&a=2&b=%2B+%23c');
});

test.each([
  ['ä', false],
  [Buffer.from([0, 255, 128]).toString('base64'), true],
])('a body is its bytes: %s', async (body, isBase64Encoded) => {
  const { request } = requestFrom({ body, isBase64Encoded }, 'POST');
  const bytes = Buffer.from(await request.arrayBuffer());

  expect(bytes).toEqual(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'));
});

test('a length is that of the body, not of what the front received', () => {
  const headers = { 'content-length': '99' };
  const sent = { headers, body: 'YQ==', isBase64Encoded: true };

  expect(requestFrom(sent, 'POST').request.headers.get('content-length')).toBe('1');
  expect(requestFrom({ headers }, 'POST').request.headers.get('content-length')).toBe('0');
});

test.each([
  ['no UTF-8', { 'content-length': '1' }, '\ufffd'],
  ['compressed', { 'content-encoding': 'gzip' }, '\u001f\ufffd'],
])('P10: a body that was taken for text, and is %s, is not read', async (_kind, headers, body) => {
  const { request } = requestFrom({ headers, body, isBase64Encoded: false }, 'POST');

  await expect(request.arrayBuffer()).rejects.toMatchObject({ code: 'unsupported_media_type' });
});

test.each([
  [{ 'content-length': '3' }, '\ufffd', false],
  [{ 'content-length': '1', 'content-encoding': 'identity' }, 'a', false],
  [{ 'content-length': '9', 'content-encoding': 'gzip' }, 'YQ==', true],
])('P10: one that is as it was sent is read: %j', async (headers, body, isBase64Encoded) => {
  const { request } = requestFrom({ headers, body, isBase64Encoded }, 'POST');

  expect(Buffer.from(await request.arrayBuffer())).toEqual(
    Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'),
  );
});

test.each(['GET', 'HEAD'])('the body of a %s is left aside', (method) => {
  expect(requestFrom({ body: 'a' }, method).request.body).toBe(null);
});

test.each([
  ['plain', 'plain'],
  // Text that its bytes are, and the bytes as characters: both are the same two bytes.
  ['ü', 'Ã¼'],
  ['Ã¼', 'Ã¼'],
  ['日', 'æ\u0097¥'],
])('a header has a character for each byte that was sent: %s', (given, kept) => {
  expect(
    requestFrom({ headers: { 'varve-header-a': given } }).request.headers.get('varve-header-a'),
  ).toBe(kept);
});

test('the id is that of the caller, or of the invocation', () => {
  const own = requestFrom({ headers: { 'x-request-id': 'mine' } }).request;

  expect(own.headers.get('x-request-id')).toBe('mine');
  expect(requestFrom({}).request.headers.get('x-request-id')).toBe('invocation-1');
});

test.each([
  ['abc.example', undefined, 'https://abc.example'],
  ['127.0.0.1:80', 'http', 'http://127.0.0.1'],
  ['127.0.0.1.lambda-url.1', undefined, 'https://localhost'],
  ['', undefined, 'https://localhost'],
])('the origin is the domain of the front, if it is one: %j', (domainName, scheme, origin) => {
  const requestContext = { ...EVENT.requestContext, domainName };
  const headers = { 'x-forwarded-proto': scheme };

  expect(new URL(requestFrom({ requestContext, headers }).request.url).origin).toBe(origin);
});

test('what no server takes is none', () => {
  expect(() => requestFrom({}, 'TRACE')).toThrow(TypeError);
});
