import { describe, expect, test } from 'vitest';
import { connect } from '../../lib/client/connect.ts';
import { createTransport, streamPath } from '../../lib/client/transport.ts';
import { createManualTimer } from '../support/client-timers.ts';
import { settle } from '../support/manual-clock.ts';

function transportOf(fetch: typeof globalThis.fetch) {
  const timer = createManualTimer();
  const headers = () => ({ authorization: 'Bearer t' });
  const options = { url: 'http://h/base', headers, timeoutMs: 1_000, timer, fetch };
  return { timer, transport: createTransport(options) };
}

const { signal } = new AbortController();
const get = { method: 'GET', path: '/v1/x', signal } as const;
const post = { method: 'POST', path: '/v1/x', signal } as const;

describe('a name in a path', () => {
  test.each([
    ['s', '/v1/streams/s/messages'],
    ['a b/ü?#%', '/v1/streams/a%20b%2F%C3%BC%3F%23%25/messages'],
    ['...', '/v1/streams/.../messages'],
  ])('P9: %s is encoded', (name, path) => {
    expect(streamPath(name, 'messages')).toBe(path);
  });

  test.each(['', '.', '..', '\ud800'])('P9: %j is refused, for a URL would lose it', (name) => {
    expect(() => streamPath(name)).toThrow(expect.objectContaining({ code: 'invalid_name' }));
  });
});

test('a request carries its query, its headers and those of the connection', async () => {
  const calls: unknown[] = [];
  const { transport } = transportOf(async (input, init) => {
    calls.push([input, init?.method, init?.headers]);
    return new Response('ok');
  });
  const query = { a: '1 &', b: undefined, c: 0, d: true };
  await transport.exchange({ ...get, query, headers: { accept: 'x' } });

  expect(calls).toEqual([
    ['http://h/base/v1/x?a=1+%26&c=0&d=true', 'GET', { authorization: 'Bearer t', accept: 'x' }],
  ]);
});

describe('a failure says what it is', () => {
  const problem = {
    code: 'unavailable',
    message: 'later',
    retryable: true,
    side_effects: 'none',
    request_id: 'r',
  };

  test.each<[what: string, answer: Response, error: object]>([
    [
      'as a problem',
      Response.json(problem, { status: 503, headers: { 'retry-after': '7' } }),
      {
        code: 'unavailable',
        message: 'later',
        status: 503,
        retryable: true,
        sideEffects: 'none',
        retryAfterMs: 7_000,
        details: { request_id: 'r' },
      },
    ],
    [
      'by a code of a newer server',
      Response.json({ code: 'new', message: 'm' }, { status: 400 }),
      { code: 'new', retryable: false, sideEffects: 'possible' },
    ],
    [
      'by a gateway',
      new Response('<html>', { status: 502 }),
      { code: 'bad_gateway', retryable: true },
    ],
    ['by a front', new Response('[]', { status: 403 }), { code: 'bad_gateway', retryable: false }],
    [
      'with a date to come back at',
      Response.json(problem, { status: 503, headers: { 'retry-after': 'Mon, 30 Nov 2026' } }),
      { retryAfterMs: undefined },
    ],
  ])('%s', async (_what, answer, error) => {
    const { transport } = transportOf(async () => answer);

    await expect(transport.exchange(post)).rejects.toMatchObject({ name: 'ClientError', ...error });
  });

  test.each<[what: string, cause: unknown, sideEffects: string]>([
    ['refused', { code: 'ECONNREFUSED' }, 'none'],
    ['not found', { code: 'ENOTFOUND' }, 'none'],
    ['reset', { code: 'ECONNRESET' }, 'possible'],
    ['unclear', undefined, 'possible'],
  ])('P7: a connection that is %s', async (_what, code, sideEffects) => {
    const cause = Object.assign(new Error('inner'), code);
    const { transport } = transportOf(() => Promise.reject(new TypeError('failed', { cause })));
    const told = { code: 'connection_failed', retryable: true, status: undefined };

    await expect(transport.exchange(post)).rejects.toMatchObject({ ...told, sideEffects });
    await expect(transport.exchange(get)).rejects.toMatchObject({ ...told, sideEffects: 'none' });
  });
});

describe('an answer that does not come', () => {
  test.each(['exchange', 'open'] as const)('P7: is given up in time: %s', async (kind) => {
    const signals: (AbortSignal | null | undefined)[] = [];
    const { transport, timer } = transportOf((_input, init) => {
      signals.push(init?.signal);
      return new Promise(() => undefined);
    });
    const answer = transport[kind]({ ...post, waitMs: 500 }).catch((error: unknown) => error);
    await settle();
    expect(timer.waiting()).toEqual([1_500]);
    timer.fire(1_500);

    expect(await answer).toMatchObject({ code: 'connection_failed', sideEffects: 'possible' });
    expect(signals[0]?.aborted).toBe(true);
  });

  test('is not waited for by a caller who went away', async () => {
    const life = new AbortController();
    const { transport, timer } = transportOf(() => new Promise(() => undefined));
    const answer = transport.exchange({ ...get, signal: life.signal });
    life.abort(new Error('gone'));

    await expect(answer).rejects.toThrow('gone');
    expect(timer.waiting()).toEqual([]);
  });
});

test('an address is told from what is none', async () => {
  expect(() => connect({ url: 'localhost' })).toThrow(TypeError);
  const calls: unknown[] = [];
  const client = connect({
    url: 'http://h/base/',
    headers: async () => ({ authorization: 't' }),
    fetch: async (input, init) => {
      calls.push([input, Object(init?.headers).authorization]);
      return Response.json({ code: 'stream_not_found' }, { status: 404 });
    },
  });
  await expect(client.read({ stream: 's' }).next()).rejects.toThrow();

  expect(calls).toEqual([[expect.stringMatching(/^http:\/\/h\/base\/v1\/streams\/s\//), 't']]);
});
