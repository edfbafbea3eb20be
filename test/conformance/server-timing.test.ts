/** `Server-Timing`: how long an answer waited for the store, and how long it took. */
import { describe, expect } from 'vitest';
import { ROUTES } from '../../lib/http/app.ts';
import { asksStore } from '../../lib/http/openapi/operation.ts';
import type { Answer, LocalApi } from '../support/api.ts';
import { inProcess, test } from '../support/api-test.ts';
import { namedPath } from '../support/described-answer.ts';
import { createApiOn, createFaultyApi } from '../support/faulty-api.ts';
import { listen } from '../support/listen.ts';
import { settle } from '../support/manual-clock.ts';
import { createStream, publish, STREAM, texts } from '../support/publish-steps.ts';
import { exchange, requestText } from '../support/raw-exchange.ts';

const localTest = inProcess('its hand on the clock');

const ASKING = [
  `PUT ${STREAM}`,
  `POST ${STREAM}/messages`,
  `GET ${STREAM}/messages`,
  `HEAD ${STREAM}/messages`,
  `GET ${STREAM}/messages?as=ndjson`,
  `GET ${STREAM}/messages?as=text`,
  `GET ${STREAM}/messages?as=binary`,
  `GET ${STREAM}/messages?as=cloudevents`,
  `GET ${STREAM}/messages?as=sse&limit=1`,
  `POST ${STREAM}/read`,
  `GET ${STREAM}/offsets`,
  `GET ${STREAM}`,
  'GET /v1/streams',
  `GET ${STREAM}/publishers`,
  `GET ${STREAM}/fencing-token`,
  `POST ${STREAM}/purge`,
  'GET /health/ready',
  'GET /v1/overview',
  'GET /v1/streams/missing',
  `GET ${STREAM}/messages?unknown=1`,
  `DELETE ${STREAM}`,
];
const NOT_ASKING = [
  'GET /health/live',
  'GET /metrics',
  'GET /v1/whoami',
  'GET /v1/openapi.json',
  'GET /nothing',
  'DELETE /v1/streams',
  'OPTIONS /v1/streams',
];

/** Whatever is asked of the store, so that no port of it is forgotten. */
const GETS = ROUTES.filter(({ method, operation }) => method === 'GET' && asksStore(operation)).map(
  ({ path }) => `GET ${namedPath(path)}`,
);

const TIMES = /^store;dur=[0-9]+\.[0-9]{3}, total;dur=[0-9]+\.[0-9]{3}$/;
const timing = ({ headers }: Answer) => headers.get('server-timing');
const body = (line: string) => (line === `POST ${STREAM}/messages` ? { body: 'a' } : {});

test.for([...ASKING, ...GETS])('is on the answer to %s', async (line, { api }) => {
  await createStream(api);
  await publish(api, texts('a'));

  expect(timing(await api.call(line, body(line)))).toMatch(TIMES);
});

test.for(NOT_ASKING)(
  'is not on the answer to %s: the store was not asked',
  async (line, { api }) => {
    expect(timing(await api.call(line))).toBeNull();
  },
);

test('is on a refusal, and on a 304', async ({ api }) => {
  await createStream(api);
  const fenced = await api.call(`POST ${STREAM}/messages?fencing_token=a`, { body: 'a' });
  const unchanged = await api.call(`GET ${STREAM}`, { headers: { 'if-none-match': '*' } });

  expect([fenced.status, unchanged.status]).toEqual([412, 304]);
  expect([timing(fenced), timing(unchanged)]).toEqual([
    expect.stringMatching(TIMES),
    expect.stringMatching(TIMES),
  ]);
});

localTest('tells the waiting for the store from the waiting for a message', async () => {
  const api: LocalApi = createApiOn((log) => ({
    ...log,
    tail: async (stream) => {
      await api.clock.advance(2);
      return log.tail(stream);
    },
  }));
  await createStream(api);
  const waiting = api.call(`GET ${STREAM}/messages?wait=20`);
  while (api.clock.waiting() === 0) await settle();
  await api.clock.advance(20_000);

  // Once to find the stream, once for the page, and once more when the time was over.
  expect(timing(await waiting)).toBe('store;dur=4.000, total;dur=20004.000');
});

describe('requests under way together', () => {
  localTest('are each told their own time, the queue of appends in it', async () => {
    const { api, store } = createFaultyApi();
    await createStream(api);
    const release = store.holdNext('commit');
    const first = api.call(`POST ${STREAM}/messages`, { body: 'a' });
    await settle();
    await api.clock.advance(30);
    const second = api.call(`POST ${STREAM}/messages`, { body: 'b' });
    const read = await api.call(`GET ${STREAM}/messages`);
    await api.clock.advance(12);
    release();

    expect(timing(await first)).toBe('store;dur=42.000, total;dur=42.000');
    expect(timing(await second)).toBe('store;dur=12.000, total;dur=12.000');
    expect(timing(read)).toBe('store;dur=0.000, total;dur=0.000');
  });
});

localTest.for([[], ['x-unheard-of: 1']])(
  'is the same on the short way of a publish and on the long one: %s',
  async (extra) => {
    const { api, store } = createFaultyApi();
    await createStream(api);
    await using server = await listen(api);
    const release = store.holdNext('commit');
    const headers = ['content-length: 1', ...extra];
    const answer = exchange(server.port, requestText(`POST ${STREAM}/messages`, headers, 'x'));
    while (store.calls('commit') === 0) await settle();
    await api.clock.advance(7);
    release();

    expect((await answer).head.toLowerCase()).toContain(
      'server-timing: store;dur=7.000, total;dur=7.000\r\n',
    );
  },
);
