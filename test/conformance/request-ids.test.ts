/** `X-Request-Id`, and what else is on every answer. */
import { describe, expect } from 'vitest';
import { inProcess, test } from '../support/api-test.ts';
import { createBrokenApi } from '../support/faulty-api.ts';
import { createStream, STREAM } from '../support/publish-steps.ts';

const localTest = inProcess('a look behind the API');

const MADE = /^[0-9a-f]{32}$/;
const LINES = [
  'GET /v1/streams',
  `PUT ${STREAM}`,
  `POST ${STREAM}/messages`,
  `GET ${STREAM}/messages`,
  `GET ${STREAM}/messages?as=ndjson`,
  `GET ${STREAM}/messages?as=text`,
  `GET ${STREAM}/messages?as=binary`,
  'GET /v1/streams/missing',
  'GET /nothing',
  'DELETE /v1/streams',
  'OPTIONS /v1/streams',
  'GET /health/live',
  'GET /metrics',
  'GET /v1/overview',
];

describe('a request id', () => {
  test.for(LINES)('comes back as it was given: %s', async (line, { api }) => {
    await createStream(api);
    const given = `a-${'!~'.repeat(63)}`;
    const answer = await api.call(line, { headers: { 'x-request-id': given } });

    expect(answer.headers.get('x-request-id')).toBe(given);
    if (answer.status >= 400) expect(answer.json()['request_id']).toBe(given);
  });

  test.for([
    ['10 kB', 'a'.repeat(10_000)],
    ['129 characters', 'a'.repeat(129)],
    ['a space', 'a b'],
    ['a tab', 'a\tb'],
    ['a letter that is not ASCII', 'ä'],
    ['nothing', ''],
  ] as const)(
    'is replaced when it could not stand in a log line: %s',
    async ([, given], { api }) => {
      const headers = { 'x-request-id': given };
      const answer = await api.call('GET /v1/streams/missing', { headers });

      expect(answer.headers.get('x-request-id')).toMatch(MADE);
      expect(answer.json()['request_id']).toBe(answer.headers.get('x-request-id'));
    },
  );

  test('is made when there is none, another one each time', async ({ api }) => {
    const ids = await Promise.all(
      [1, 2, 3].map(async () => (await api.call('GET /v1/streams')).headers.get('x-request-id')),
    );

    expect(ids.map((id) => MADE.test(id ?? ''))).toEqual([true, true, true]);
    expect(new Set(ids).size).toBe(3);
  });

  localTest('is in the log line of a failure', async () => {
    const error = new Error('broken');
    const api = createBrokenApi(error, ['tail']);
    const headers = { 'x-request-id': 'request-7' };
    const answer = await api.call(`GET ${STREAM}/messages`, { headers });

    expect(answer.json()).toMatchObject({ code: 'internal', request_id: 'request-7' });
    expect(api.errors).toEqual([
      {
        event: 'request_failed',
        request_id: 'request-7',
        method: 'GET',
        code: 'internal',
        side_effects: 'none',
        error,
      },
    ]);
  });

  localTest(
    'of a refusal leaves no log line: it is the client that is at fault',
    async ({ api }) => {
      await api.call('GET /v1/streams/missing');
      await api.call(`PUT ${STREAM}`, { body: '{' });

      expect(api.errors).toEqual([]);
    },
  );
});

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`;

describe('a trace', () => {
  test.for(LINES)('is passed on as it came: %s', async (line, { api }) => {
    await createStream(api);
    const { headers } = await api.call(line, { headers: { traceparent: TRACEPARENT } });

    expect(headers.get('traceparent')).toBe(TRACEPARENT);
  });

  test('is as if there was none when it is not valid', async ({ api }) => {
    const { status, headers } = await api.call('GET /v1/streams', {
      headers: { traceparent: `${TRACEPARENT}-x` },
    });

    expect([status, headers.get('traceparent')]).toEqual([200, null]);
  });

  localTest('is in the log line of a failure', async () => {
    const error = new Error('broken');
    const api = createBrokenApi(error, ['tail', 'commit']);
    const headers = { 'x-request-id': 'r', traceparent: TRACEPARENT };
    await api.call(`GET ${STREAM}/messages`, { headers });
    await api.call(`POST ${STREAM}/messages`, { headers, body: 'a' });
    const fields = { event: 'request_failed', request_id: 'r', trace_id: TRACE, code: 'internal' };

    expect(api.errors).toEqual([
      { ...fields, method: 'GET', side_effects: 'none', error },
      { ...fields, method: 'POST', side_effects: 'possible', error },
    ]);
  });
});

/** These may be kept, if they are asked about each time: entity-tags.test.ts. */
const KEPT = ['GET /v1/streams'];

test.for(LINES)(
  'every answer is to be read as its type, by its own pages, and not to be cached: %s',
  async (line, { api }) => {
    await createStream(api);
    const { headers } = await api.call(line);

    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('cache-control')).toBe(
      KEPT.includes(line) ? 'private, no-cache' : 'no-store',
    );
  },
);
