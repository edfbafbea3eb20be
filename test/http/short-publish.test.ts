/** The short way of a publish and the long one must not be told apart by their answers. */
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StoreError } from '../../lib/ports/store-error.ts';
import { type Api, createApi } from '../support/api.ts';
import { createFaultyApi } from '../support/faulty-api.ts';
import { type Listening, listen } from '../support/listen.ts';
import { exchange, openSocket, requestText } from '../support/raw-exchange.ts';

/** Means nothing to a publish, and is not known to the short way. */
const LONG_WAY = 'x-unheard-of: 1';
const TYPES = [
  [],
  ['content-type: text/plain'],
  ['content-type: text/plain; charset=utf-8'],
  ['content-type: application/octet-stream'],
  ['content-type: application/x-www-form-urlencoded'],
];

let ways: { readonly api: Api; readonly server: Listening; readonly extra: readonly string[] }[];

beforeAll(async () => {
  ways = await Promise.all(
    [[], [LONG_WAY]].map(async (extra) => {
      const api = createApi();
      await api.call('PUT /v1/streams/s');
      return { api, server: await listen(api), extra };
    }),
  );
});

afterAll(async () => {
  for (const { api, server } of ways) {
    await server[Symbol.asyncDispose]();
    await api.close();
  }
});

/** What differs between two servers in any case: the ids they draw, and the time of day. */
function comparable({ head, body }: { readonly head: string; readonly body: string }) {
  return {
    head: head
      .toLowerCase()
      .replace(/date: .*/, 'date')
      .split('\r\n')
      .sort(),
    body: body.replace(/"stream_id":"[0-9a-f]{32}"/, '"stream_id":"…"'),
  };
}

async function both(line: string, headers: readonly string[], body: string) {
  const sized = [...headers, `content-length: ${Buffer.byteLength(body)}`, 'x-request-id: r-1'];
  const answers = await Promise.all(
    ways.map(({ server, extra }) =>
      exchange(server.port, requestText(line, [...sized, ...extra], body)),
    ),
  );
  const reads = await Promise.all(ways.map(({ api }) => api.call('GET /v1/streams/s/messages')));
  return { answers, shown: answers.map(comparable), reads: reads.map(({ text }) => text) };
}

describe('P1: a message published the short way', () => {
  test.for(TYPES)('is answered and stored as the long way does: %s', async (headers) => {
    for (const body of ['', 'x', 'grün\r\n\u0000', 'y'.repeat(64 * 1024)]) {
      const { answers, shown, reads } = await both('POST /v1/streams/s/messages', headers, body);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(shown[0]).toEqual(shown[1]);
      expect(comparable({ head: '', body: reads[0] ?? '' })).toEqual(
        comparable({ head: '', body: reads[1] ?? '' }),
      );
    }
  });

  test.for([
    ['POST /v1/streams/missing/messages', []],
    ['POST /v1/streams/amq.x/messages?create=true', []],
    ['POST /v1/streams/s/messages?create=yes', []],
    ['POST /v1/streams/s/messages?raw=true', []],
    ['POST /v1/streams/s/messages', ['content-type: application/json']],
    ['POST /v1/streams/s/messages', ['content-type: text']],
    ['POST /v1/streams/s/messages', ['content-encoding: br']],
    ['POST /v1/streams/s/messages', ['varve-header-a: 1']],
    ['POST /v1/streams/s/messages', ['ce-specversion: 1.0']],
    ['POST /v1/streams/s/messages', ['origin: https://example.com']],
    ['POST /v1/streams/s/messages', ['content-type: a/b', 'content-type: c/d']],
    [`POST /v1/streams/${'n'.repeat(256)}/messages?create=true`, []],
    ['POST /v1/streams/%2E%2E/messages', []],
    ['PUT /v1/streams/s/messages', []],
  ] as const)('P11: %s %s is answered as the long way does', async ([line, headers]) => {
    const { shown, reads } = await both(line, headers, 'body');

    expect(shown[0]).toEqual(shown[1]);
    expect(reads[0]?.length).toBe(reads[1]?.length);
  });

  test('P12: creates a missing stream when told to', async () => {
    const { answers, shown } = await both('POST /v1/streams/new/messages?create=true', [], 'x');

    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(shown[0]).toEqual(shown[1]);
  });

  test('P7: says of a failing store what the long way says', async () => {
    const texts = await Promise.all(
      [[], [LONG_WAY]].map(async (extra) => {
        const { api, store } = createFaultyApi();
        await api.call('PUT /v1/streams/s');
        store.failNext(
          'before',
          new StoreError('full', { kind: 'unavailable', sideEffects: 'none' }),
        );
        await using server = await listen(api);
        const headers = ['content-length: 1', 'x-request-id: r-2', ...extra];
        return await exchange(
          server.port,
          requestText('POST /v1/streams/s/messages', headers, 'x'),
        );
      }),
    );
    expect(texts.map(({ status }) => status)).toEqual([503, 503]);
    const [short, long] = texts.map(comparable);
    expect(short).toEqual(long);
  });

  test('A6: is refused when it was sent to a foreign host', async () => {
    const [{ server } = { server: undefined }] = ways;
    const text =
      'POST /v1/streams/s/messages HTTP/1.1\r\nhost: example.com\r\nconnection: close\r\ncontent-length: 1\r\n\r\nx';

    expect((await exchange(server?.port ?? 0, text)).status).toBe(403);
  });

  test('P1: is not stored when its body breaks off', async () => {
    const api = createApi();
    await api.call('PUT /v1/streams/s');
    await using server = await listen(api);
    const socket = await openSocket(server.port);
    socket.write(
      'POST /v1/streams/s/messages HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 9\r\n\r\nhalf',
    );
    socket.end();
    await once(socket.resume(), 'close');

    expect((await api.call('GET /v1/streams/s')).json()).toMatchObject({ next: 0 });
  });
});
