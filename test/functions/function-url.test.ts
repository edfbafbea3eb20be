/** The built API function behind a Function URL: answers as streams, from one instance. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../../lib/http/app.ts';
import { buildDocument } from '../../lib/http/openapi/build-document.ts';
import { createEventReader } from '../support/event-reader.ts';
import { call, jsonOf, serveFunction } from '../support/function-front.ts';
import type { RunningFront } from '../support/lambda-runtime.ts';
import { createLineReader } from '../support/line-reader.ts';

let front: RunningFront;

beforeAll(async () => {
  front = await serveFunction('function-url');
});
afterAll(() => front.close());

/** An own one for each test, with the given messages. */
let streams = 0;
async function streamOf(...bodies: readonly string[]): Promise<string> {
  const stream = `/v1/streams/url-${++streams}`;
  await call(front, `PUT ${stream}`);
  for (const body of bodies) await call(front, `POST ${stream}/messages`, { body });
  return stream;
}

describe('behind a Function URL', () => {
  test('P8: what is published is read', async () => {
    const stream = await streamOf('a', 'ä');
    const page = jsonOf(await call(front, `GET ${stream}/messages`));

    expect(page).toMatchObject({ messages: [{ text: 'a' }, { text: 'ä' }], next: 2 });
  });

  test('P10: bytes go in and out as they are, the binary format too', async () => {
    const stream = await streamOf();
    const body = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256);
    const headers = { 'content-type': 'application/octet-stream' };
    await call(front, `POST ${stream}/messages`, { body, headers });
    const page = jsonOf(await call(front, `GET ${stream}/messages`));
    const binary = await call(front, `GET ${stream}/messages?as=binary`);
    const again = await streamOf();
    const copied = await call(front, `POST ${again}/messages`, {
      body: binary.bytes,
      headers: { 'content-type': 'application/vnd.varve.messages' },
    });

    expect(page).toMatchObject({ messages: [{ base64: Buffer.from(body).toString('base64') }] });
    expect(binary.headers).toMatchObject({
      'content-type': 'application/vnd.varve.messages',
      'content-length': String(binary.bytes.length),
    });
    expect(jsonOf(copied)).toMatchObject({ stored: 1 });
    expect(jsonOf(await call(front, `GET ${again}/messages`))['messages']).toMatchObject([
      { base64: Buffer.from(body).toString('base64') },
    ]);
  });

  test.each([
    ['text/plain', {}, Uint8Array.of(0x61, 0xff)],
    ['application/json', { 'content-encoding': 'gzip' }, gzipSync('{"messages":[{"text":"a"}]}')],
  ])('P10: what its front changes is refused, not stored: %s', async (type, more, body) => {
    const stream = await streamOf();
    const headers = { 'content-type': type, ...more };
    const answer = await call(front, `POST ${stream}/messages`, { body, headers });

    expect(answer.status).toBe(415);
    expect(jsonOf(answer)).toMatchObject({ side_effects: 'none', field: 'Content-Type' });
    expect(jsonOf(await call(front, `GET ${stream}`))).toMatchObject({ next: 0 });
  });

  test('P10: a compressed body of another type is read', async () => {
    const stream = await streamOf();
    const headers = { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' };
    await call(front, `POST ${stream}/messages`, { body: gzipSync('1\n2\n'), headers });

    expect(jsonOf(await call(front, `GET ${stream}`))).toMatchObject({ next: 2 });
  });

  test('a HEAD is a GET without its body', async () => {
    const stream = await streamOf('a');
    for (const format of ['json', 'binary', 'sse']) {
      const head = await call(front, `HEAD ${stream}/messages?as=${format}`);

      expect([head.status, head.bytes.length]).toEqual([200, 0]);
      expect(head.headers).toMatchObject({ 'varve-next': '1' });
    }
  });

  test('answers without a body keep their status and headers', async () => {
    const stream = await streamOf();
    const described = await call(front, `GET ${stream}`);
    const etag = String(described.headers['etag']);
    const unchanged = await call(front, `GET ${stream}`, { headers: { 'if-none-match': etag } });

    expect([unchanged.status, unchanged.headers['etag'], unchanged.bytes.length]).toEqual([
      304,
      etag,
      0,
    ]);
    expect((await call(front, `DELETE ${stream}`)).status).toBe(204);
  });

  test.each(['a%2Fb', 'a%252Fb', 'a%2Fmessages', 'a%3Fb%23c', '%F0%9F%9C%81', 'a+b', 'a%20b'])(
    'P9: a name arrives as it was sent: %s',
    async (sent) => {
      const name = decodeURIComponent(sent);

      expect(jsonOf(await call(front, `PUT /v1/streams/${sent}`))).toMatchObject({ name });
      expect(jsonOf(await call(front, `GET /v1/streams/${sent}`))).toMatchObject({ name });
    },
  );

  test.each(['%2E', '%2e%2E', '..', '.%2e'])(
    'P9: a step of a path is no name: %s',
    async (name) => {
      const answer = await call(front, `PUT /v1/streams/${name}`);

      expect([answer.status, jsonOf(answer)['code']]).toEqual([400, 'invalid_name']);
    },
  );

  test('a path that is no UTF-8 is refused', async () => {
    expect((await call(front, 'PUT /v1/streams/%FF')).status).toBe(400);
    expect((await call(front, 'PUT /v1/streams/%ZZ')).status).toBe(400);
  });

  test('a parameter twice is refused by name', async () => {
    const stream = await streamOf();
    const answer = await call(front, `GET ${stream}/messages?limit=1&limit=2`);

    expect([answer.status, jsonOf(answer)['field']]).toEqual([400, 'limit']);
  });

  test('headers with other letters arrive as they were sent', async () => {
    const stream = await streamOf();
    const headers = { 'varve-header-place': Buffer.from('Zürich').toString('latin1') };
    await call(front, `POST ${stream}/messages`, { body: 'a', headers });

    expect(jsonOf(await call(front, `GET ${stream}/messages`))).toMatchObject({
      messages: [{ headers: { place: 'Zürich' } }],
    });
  });

  test('a fault is a problem with the id of its request', async () => {
    const answer = await call(front, 'GET /v1/streams/missing', {
      headers: { 'x-request-id': 'mine' },
    });

    expect(answer.headers).toMatchObject({
      'content-type': 'application/problem+json',
      'x-request-id': 'mine',
    });
    expect(jsonOf(answer)).toMatchObject({ code: 'stream_not_found', request_id: 'mine' });
  });

  test('a request without an id has that of its invocation, which the log of the runtime has', async () => {
    const { headers } = await call(front, 'GET /v1/streams');

    expect(headers['x-request-id']).toMatch(/^00000000-0000-4000-8000-[0-9]{12}$/);
  });

  test('the description is served, and made of what is built in', async () => {
    const document = JSON.parse(JSON.stringify(buildDocument(ROUTES)));

    expect(jsonOf(await call(front, 'GET /v1/openapi.json'))).toEqual(document);
    expect((await call(front, 'GET /v1/docs')).text).toContain('<!doctype html>');
  });

  test('A6: a request that nobody has signed is served on this machine alone', async () => {
    const headers = { host: 'abc.lambda-url.eu-west-1.on.aws' };
    const signed = await serveFunction('function-url', {
      iam: { userArn: 'arn:aws:iam::1:user/u' },
    });
    const answers = [
      await call(front, 'GET /v1/streams', { headers }),
      await call(signed, 'GET /v1/streams', { headers }),
    ];
    await signed.close();

    expect(answers.map(({ status }) => status)).toEqual([403, 200]);
  });
});

describe('what goes on, behind a Function URL', () => {
  test('LR1: a wait is answered as soon as there is a message', async () => {
    const stream = await streamOf();
    const [waited] = await Promise.all([
      call(front, `GET ${stream}/messages?wait=20`),
      call(front, `POST ${stream}/messages`, { body: 'a' }),
    ]);

    expect(jsonOf(waited)).toMatchObject({ messages: [{ text: 'a' }], next: 1 });
  });

  test('LR1: a wait for nothing ends when its function may wait no longer', async () => {
    const stream = await streamOf('a');
    const began = performance.now();
    const page = jsonOf(await call(front, `GET ${stream}/messages?from=next&wait=20`));

    expect(page).toMatchObject({ messages: [], next: 1, poll_after_ms: 0 });
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  test('LR3: events come one by one, and [DONE] when a function may follow no longer', async () => {
    const stream = await streamOf('a');
    const events = createEventReader(await fetch(`${front.url}${stream}/messages?as=sse`));

    expect(await events.take(2)).toMatchObject([{ event: 'batch' }, { event: 'ping' }]);
    await call(front, `POST ${stream}/messages`, { body: 'b' });
    expect(await events.next()).toMatchObject({
      event: 'batch',
      data: { messages: [{ text: 'b' }] },
    });
    expect((await events.rest()).at(-1)).toEqual({ id: '1,2,2', data: '[DONE]' });
  });

  test('LR3: the head of what is followed comes before its first message', async () => {
    const stream = await streamOf();
    const response = await fetch(`${front.url}${stream}/messages?as=text&follow=true`);
    const lines = createLineReader(response);
    await call(front, `POST ${stream}/messages`, { body: 'a' });

    expect(response.headers.get('varve-next')).toBe('0');
    expect(await lines.line()).toBe('a');
    expect(await lines.line()).toBe(undefined);
  });

  test('LR5: a client that leaves ends the work, where the runtime tells of it', async () => {
    const stream = await streamOf();
    const leaving = new AbortController();
    const { signal } = leaving;
    const events = createEventReader(
      await fetch(`${front.url}${stream}/messages?as=sse`, { signal }),
    );
    await events.next();
    const during = await followers();
    leaving.abort();

    expect(during).toBe(1);
    await expect.poll(followers, { interval: 5, timeout: 500 }).toBe(0);
  });

  test('ends before its function would be ended', async () => {
    const short = await serveFunction('function-url', { timeoutMs: 2_000 });
    const stream = await streamOf();
    const events = createEventReader(await fetch(`${short.url}${stream}/messages?as=sse`));
    const all = await events.rest();
    await short.close();

    expect(all.at(-1)).toMatchObject({ data: '[DONE]' });
  });
});

async function followers(): Promise<number> {
  const { text } = await call(front, 'GET /metrics');
  return Number(/^varve_followers (.*)$/m.exec(text)?.[1]);
}
