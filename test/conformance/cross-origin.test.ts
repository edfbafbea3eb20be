/** `--cors-origin`: which pages of other origins are let in, and what they may read. */
import { describe, expect } from 'vitest';
import { inProcess } from '../support/api-test.ts';
import { document } from '../support/described-answer.ts';
import { listen } from '../support/listen.ts';
import { createStream, nextOffset, STREAM, told } from '../support/publish-steps.ts';
import { exchange, requestText } from '../support/raw-exchange.ts';

const test = inProcess('options of its own');

const APP = 'https://app.example';
const DEV = 'http://localhost:5173';
const LINES = [
  `GET ${STREAM}`,
  `GET ${STREAM}/messages`,
  `GET ${STREAM}/messages?as=binary`,
  `GET ${STREAM}/messages?as=sse&limit=0`,
  'GET /v1/streams/missing',
  'GET /nothing',
  'DELETE /v1/streams',
  'OPTIONS /v1/streams',
  'GET /v1/docs',
  'GET /metrics',
];
const CORS = /^(?:access-control-|vary$)/;

const corsHeaders = (headers: Headers) =>
  Object.fromEntries([...headers].filter(([name]) => CORS.test(name)));

/** `Vary` as a set, since what an answer depends on itself stands there too. */
const varies = (headers: Headers) => (headers.get('vary') ?? '').split(', ');

describe('with listed origins', () => {
  test.override({ apiOptions: { corsOrigins: [APP, DEV] } });

  test.for(LINES)(
    'A6: a listed page may read the answer, a problem too: %s',
    async (line, { api }) => {
      await createStream(api);
      for (const origin of [APP, DEV]) {
        const { status, headers } = await api.call(line, { headers: { origin } });

        expect(status).not.toBe(403);
        expect(headers.get('access-control-allow-origin')).toBe(origin);
        expect(headers.get('access-control-expose-headers')).toContain('Varve-Next');
        expect(headers.has('access-control-allow-credentials')).toBe(false);
        expect(varies(headers)).toContain('Origin');
      }
    },
  );

  test('A6: what else an answer depends on is told too', async ({ api }) => {
    await createStream(api);
    const { headers } = await api.call(`GET ${STREAM}/messages`, { headers: { origin: APP } });

    expect(headers.get('vary')).toBe('Origin, Accept, Accept-Encoding, Authorization');
  });

  test('A6: a listed page may publish', async ({ api }) => {
    await createStream(api);
    const answer = await api.call(`POST ${STREAM}/messages`, {
      body: 'a',
      headers: { origin: APP },
    });

    expect([answer.status, await nextOffset(api)]).toEqual([200, 1]);
  });

  test.for([
    'https://evil.example',
    'https://app.example.evil.example',
    'https://app.example:8443',
    'http://app.example',
    'https://sub.app.example',
    'http://localhost:5174',
    'null',
    '',
    '*',
    `${APP}, ${DEV}`,
  ])('A6: any other is turned away as before: "%s"', async (origin, { api }) => {
    await createStream(api);
    const headers = { origin };
    const answer = await api.call(`POST ${STREAM}/messages`, { body: 'a', headers });
    const preflight = await api.call(`OPTIONS ${STREAM}/messages`, {
      headers: { origin, 'access-control-request-method': 'POST' },
    });

    expect(told(answer)).toMatchObject({ status: 403, code: 'foreign_origin' });
    expect(preflight.status).toBe(403);
    expect(corsHeaders(answer.headers)).toEqual({ vary: 'Origin' });
    expect(corsHeaders(preflight.headers)).toEqual({ vary: 'Origin' });
    expect(await nextOffset(api)).toBe(0);
  });

  test('A6: a listed origin does not make up for a foreign host', async ({ api }) => {
    const headers = { host: 'evil.example', origin: APP };

    expect((await api.call('GET /v1/streams', { headers })).status).toBe(403);
  });

  test('A6: a browser that asks beforehand is told the methods and headers', async ({ api }) => {
    const answer = await api.call(`OPTIONS ${STREAM}/messages`, {
      headers: {
        origin: APP,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,varve-header-a',
      },
    });

    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(answer.headers.get('allow')).toBe('POST, GET, HEAD, OPTIONS');
    expect(corsHeaders(answer.headers)).toEqual({
      'access-control-allow-origin': APP,
      'access-control-allow-methods': 'POST, GET, HEAD, OPTIONS',
      'access-control-allow-headers': 'content-type,varve-header-a',
      'access-control-expose-headers': expect.any(String),
      'access-control-max-age': '7200',
      vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    });
  });

  test.for(['', 'a b', 'a\u00e4', 'a,,b', ',a'])(
    'A6: names of headers that are none are not allowed: "%s"',
    async (names, { api }) => {
      const answer = await api.call(`OPTIONS ${STREAM}/messages`, {
        headers: {
          origin: APP,
          'access-control-request-method': 'POST',
          'access-control-request-headers': names,
        },
      });

      expect(answer.status).toBe(204);
      expect(answer.headers.has('access-control-allow-headers')).toBe(false);
    },
  );

  test('A6: a page of the internet may call a service of this network, if it asks', async ({
    api,
  }) => {
    const ask = async (asked: Record<string, string>) => {
      const headers = { origin: APP, 'access-control-request-method': 'GET', ...asked };
      const answer = await api.call('OPTIONS /v1/streams', { headers });
      return answer.headers.get('access-control-allow-private-network');
    };

    expect(await ask({ 'access-control-request-private-network': 'true' })).toBe('true');
    expect(await ask({})).toBeNull();
  });

  test('A6: OPTIONS that asks for nothing allows nothing', async ({ api }) => {
    const answer = await api.call('OPTIONS /v1/streams', { headers: { origin: APP } });

    expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expect(answer.headers.has('access-control-allow-methods')).toBe(false);
  });

  test('A6: every header that is described can be read by a listed page', async ({ api }) => {
    const { headers } = await api.call('GET /v1/streams', { headers: { origin: APP } });
    const exposed = (headers.get('access-control-expose-headers') ?? '').split(', ');

    expect(exposed).toEqual(expect.arrayContaining(Object.keys(document.components.headers)));
  });

  test.for([[], ['x-unheard-of: 1']])(
    'A6: an answer to no page says what it depends on, on both ways of a publish: %s',
    async (extra, { api }) => {
      await createStream(api);
      await using server = await listen(api);
      const headers = ['content-length: 1', ...extra];
      const { status, head } = await exchange(
        server.port,
        requestText(`POST ${STREAM}/messages`, headers, 'x'),
      );

      expect(status).toBe(200);
      expect(head.toLowerCase()).toContain('\r\nvary: origin\r\n');
      expect(head.toLowerCase()).not.toContain('access-control-');
    },
  );
});

describe('with any origin', () => {
  test.override({ apiOptions: { corsOrigins: ['*'], insecure: true } });

  test.for(LINES)('A6: every page may read the answer: %s', async (line, { api }) => {
    await createStream(api);
    const { headers } = await api.call(line, { headers: { origin: 'https://any.example' } });

    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(varies(headers)).not.toContain('Origin');
  });
});

describe('without any', () => {
  test.for(LINES)('A6: nothing is told of it: %s', async (line, { api }) => {
    await createStream(api);
    const headers = { host: 'localhost', origin: 'http://localhost' };
    const answer = await api.call(line, { headers });

    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-'))).toEqual([]);
    expect(varies(answer.headers)).not.toContain('Origin');
  });
});

describe('with --insecure alone', () => {
  test.override({ apiOptions: { insecure: true } });

  test('A6: pages are let in, but may not read', async ({ api }) => {
    const headers = { origin: APP };
    const answer = await api.call('GET /v1/streams', { headers });

    expect(answer.status).toBe(200);
    expect(corsHeaders(answer.headers)).toEqual({});
  });
});
