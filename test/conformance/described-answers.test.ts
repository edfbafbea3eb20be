/**
 * Answers as they are and as the description of the API has them: for every operation each status that
 * it can answer, once, with all headers and members.
 */
import { expect } from 'vitest';
import { ROUTES } from '../../lib/http/app.ts';
import type { CallOptions } from '../support/api.ts';
import { inProcess } from '../support/api-test.ts';
import { EXAMPLE_ID, holdExample } from '../support/delayed-steps.ts';
import { describeAnswer, document, namedPath, responseOf } from '../support/described-answer.ts';
import { createApiOn, storeFor } from '../support/faulty-api.ts';
import { createStream, numbered, publish, STREAM } from '../support/publish-steps.ts';

const test = inProcess('faults in the store');

const MESSAGES = `${STREAM}/messages`;
const TOO_LONG = new Uint8Array(4_194_305);
const XML = { headers: { 'content-type': 'application/xml' }, body: '<a/>' };
const ALL_MEMBERS = {
  json: { a: 1 },
  key: 'k',
  routing_key: 'r',
  headers: { a: [1] },
  properties: { message_id: 'm', priority: 1, expiration: '5' },
  content_type: 'application/geo+json',
};

const EXCHANGE = '/v1/exchanges/e';
const BINDING = { destination_type: 'stream', destination: 's', routing_key: 'k' };
const BOUND = `${EXCHANGE}/bindings`;
/** One more than may be routed to. */
const COPIES = { CC: Array.from({ length: 1_001 }, (_, at) => `k${at}`) };

/** One more than a request may have. */
const LATE = { text: 'a', delay_ms: 5 };
const HUNDRED_LATE = Array.from({ length: 100 }, () => LATE);

interface Request {
  readonly line: string;
  readonly call?: CallOptions | undefined;
}

/** On a stream with six messages, of which the first two are gone, and a publisher at epoch 5. */
const REQUESTS: readonly Request[] = (
  [
    [`POST ${MESSAGES}`, { body: { messages: [{ text: 'a' }] } }],
    [`POST ${MESSAGES}?publisher=p&publishing_id=4&epoch=5`, { body: 'a repeat' }],
    [`POST ${MESSAGES}?publisher=p&publishing_id=2&epoch=5`, { body: 'a repeat of an older one' }],
    [`POST ${MESSAGES}?limit=1`, { body: 'a' }],
    [`POST ${MESSAGES}?delay_ms=1`, { body: 'a' }],
    ['POST /v1/streams/amq.x/messages', { body: 'a' }],
    ['POST /v1/streams/t/messages', { body: 'a' }],
    [`POST ${MESSAGES}?publisher=p&publishing_id=9&epoch=4`, { body: 'a' }],
    [`POST ${MESSAGES}?expected_offset=0`, { body: 'a' }],
    [`POST ${MESSAGES}?fencing_token=b`, { body: 'a' }],
    [`POST ${MESSAGES}`, { body: TOO_LONG }],
    [`POST ${MESSAGES}`, { body: new Uint8Array(1_048_577) }],
    [`POST ${MESSAGES}`, { body: { messages: numbered(10_001) } }],
    [`POST ${MESSAGES}`, { body: 'a', headers: { 'content-encoding': 'br' } }],

    [`GET ${MESSAGES}`],
    [`HEAD ${MESSAGES}`],
    [`GET ${MESSAGES}?from=1`],
    [`GET ${MESSAGES}?from=99&body=base64`],
    [`GET ${MESSAGES}?as=ndjson`],
    [`GET ${MESSAGES}?as=text`],
    [`GET ${MESSAGES}?as=binary`],
    [`GET ${MESSAGES}?as=cloudevents`],
    [`GET ${MESSAGES}?as=sse&limit=1`],
    [`GET ${MESSAGES}?from=x`],
    [`GET ${MESSAGES}?filter=a`],
    [`GET ${MESSAGES}?consumer=c&commit=2`],
    ['GET /v1/streams/t/messages'],
    [`GET ${MESSAGES}`, { headers: { accept: 'image/png' } }],
    [`GET ${MESSAGES}?if_stream_id=other`],
    [`GET ${MESSAGES}?from=1&on_gap=error`],
    [`GET ${MESSAGES}?from=99&on_future=error`],
    [`GET ${MESSAGES}?from=2&limit=1`, { headers: { 'if-none-match': '*' } }],

    [`POST ${STREAM}/read`, { body: {} }],
    [`POST ${STREAM}/read`, { body: { as: 'ndjson' } }],
    [`POST ${STREAM}/read`, { body: { as: 'text' } }],
    [`POST ${STREAM}/read`, { body: { as: 'binary' } }],
    [`POST ${STREAM}/read`, { body: { as: 'cloudevents' } }],
    [`POST ${STREAM}/read`, { body: { as: 'sse', limit: 1 } }],
    [`POST ${STREAM}/read`, { body: { from: true } }],
    ['POST /v1/streams/t/read'],
    [`POST ${STREAM}/read`, { headers: { accept: 'image/png' } }],
    [`POST ${STREAM}/read`, { body: { if_stream_id: 'other' } }],
    [`POST ${STREAM}/read`, { body: { from: 1, on_gap: 'error' } }],
    [`POST ${STREAM}/read`, { body: { from: 99, on_future: 'error' } }],
    [`POST ${STREAM}/read`, { body: TOO_LONG }],
    [`POST ${STREAM}/read`, XML],

    [`GET ${STREAM}/offsets`],
    [`GET ${STREAM}/offsets?from=1`],
    [`GET ${STREAM}/offsets?from=99`],
    [`GET ${STREAM}/offsets?from=x`],
    ['GET /v1/streams/t/offsets'],
    [`GET ${STREAM}/offsets?if_stream_id=other`],
    [`GET ${STREAM}/offsets?from=1&on_gap=error`],
    [`GET ${STREAM}/offsets?from=99&on_future=error`],

    ['GET /v1/streams'],
    ['PUT /v1/streams/new', { body: { segment_max_bytes: 7, segment_max_age: '1h' } }],
    [`PUT ${STREAM}`],
    [`PUT ${STREAM}`, { body: { segment_max_bytes: 0 } }],
    [`PUT ${STREAM}`, { body: { deduplication: 1 } }],
    [`PUT ${STREAM}`, { body: { segment_max_bytes: 7 } }],
    [`PUT ${STREAM}`, { body: TOO_LONG }],
    [`PUT ${STREAM}`, XML],
    [`GET ${STREAM}`],
    ['GET /v1/streams/t'],
    [`PATCH ${STREAM}`, { body: { segment_max_bytes: 7 } }],
    [`PATCH ${STREAM}`, { body: { segment_max_bytes: 'x' } }],
    ['PATCH /v1/streams/t', { body: {} }],
    [`PATCH ${STREAM}`, { body: TOO_LONG }],
    [`PATCH ${STREAM}`, XML],
    [`DELETE ${STREAM}?if_exists=1`],
    ['DELETE /v1/streams/t'],
    [`DELETE ${STREAM}`],

    [`POST ${STREAM}/read-plan`],
    [`POST ${STREAM}/read-plan`, { body: { from: 99, max_bytes: 1 } }],
    [`POST ${STREAM}/read-plan`, { body: { from: 'x' } }],
    [`POST ${STREAM}/read-plan`, { body: { from: 0, on_gap: 'error' } }],
    [`POST ${STREAM}/read-plan`, { body: { from: 99, on_future: 'error' } }],
    [`POST ${STREAM}/read-plan`, { body: { if_stream_id: 'other' } }],
    [`POST ${STREAM}/read-plan`, { body: TOO_LONG }],
    [`POST ${STREAM}/read-plan`, XML],
    ['POST /v1/streams/t/read-plan'],

    ['GET /v1/streams/t/segments'],
    [`POST ${STREAM}/trim`, { body: { before: 3 } }],
    [`POST ${STREAM}/trim`, { body: { before: 99 } }],
    ['POST /v1/streams/t/trim', { body: { before: 3 } }],
    [`POST ${STREAM}/trim`, { body: TOO_LONG }],
    [`POST ${STREAM}/trim`, XML],
    [`POST ${STREAM}/purge`],
    [`POST ${STREAM}/purge`, { body: { before: 3 } }],
    ['POST /v1/streams/t/purge'],
    [`POST ${STREAM}/purge`, { body: TOO_LONG }],
    [`POST ${STREAM}/purge`, XML],
    [`GET ${STREAM}/fencing-token`],
    ['GET /v1/streams/t/fencing-token'],
    [`PUT ${STREAM}/fencing-token`, { body: { fencing_token: 'a' } }],
    [`PUT ${STREAM}/fencing-token`, { body: { fencing_token: '' } }],
    ['PUT /v1/streams/t/fencing-token', { body: { fencing_token: 'a' } }],
    [`PUT ${STREAM}/fencing-token`, { body: TOO_LONG }],
    [`PUT ${STREAM}/fencing-token`, XML],
    [`DELETE ${STREAM}/fencing-token`],
    [`DELETE ${STREAM}/fencing-token?a=1`],
    ['DELETE /v1/streams/t/fencing-token'],

    [`GET ${STREAM}/publishers`],
    ['GET /v1/streams/t/publishers'],
    [`GET ${STREAM}/publishers/p`],
    [`GET ${STREAM}/publishers/q`],

    [`GET ${STREAM}/consumers`],
    ['GET /v1/streams/t/consumers'],
    [`GET ${STREAM}/consumers/d`],
    [`GET ${STREAM}/consumers/amq.x`],
    [`PUT ${STREAM}/consumers/c`, { body: { next: 3 } }],
    [`PUT ${STREAM}/consumers/c`, { body: { next: 99 } }],
    ['PUT /v1/streams/t/consumers/c', { body: { next: 3 } }],
    [`PUT ${STREAM}/consumers/c`, { body: TOO_LONG }],
    [`PUT ${STREAM}/consumers/c`, XML],
    [`POST ${STREAM}/consumers/c/ack`, { body: { through: 3 } }],
    [`POST ${STREAM}/consumers/c/ack`, { body: { through: 99 } }],
    ['POST /v1/streams/t/consumers/c/ack', { body: { through: 3 } }],
    [`POST ${STREAM}/consumers/c/ack`, { body: TOO_LONG }],
    [`POST ${STREAM}/consumers/c/ack`, XML],
    [`DELETE ${STREAM}/consumers/c`],
    [`DELETE ${STREAM}/consumers/d`],
    [`DELETE ${STREAM}/consumers/c?if_exists=1`],

    [`PUT ${EXCHANGE}`, { body: { type: 'topic' } }],
    ['PUT /v1/exchanges/f', { body: { type: 'headers', arguments: { 'x-match': 'any' } } }],
    [`PUT ${EXCHANGE}`, { body: { type: 'foo' } }],
    [`PUT ${EXCHANGE}`, { body: { type: 'topic', internal: true } }],
    ['PUT /v1/exchanges/amq.default', { body: { type: 'topic' } }],
    [`PUT ${EXCHANGE}`, { body: TOO_LONG }],
    [`PUT ${EXCHANGE}`, XML],
    ['GET /v1/exchanges/f'],
    ['GET /v1/exchanges/amq.default'],
    [`DELETE ${EXCHANGE}`],
    [`DELETE ${EXCHANGE}?if_exists=1`],
    ['DELETE /v1/exchanges/f'],
    ['GET /v1/exchanges/f/bindings'],
    [`POST ${BOUND}`, { body: BINDING }],
    [`POST ${BOUND}`, { body: { ...BINDING, routing_key: 'l', arguments: { a: [1] } } }],
    [`POST ${BOUND}`, { body: { ...BINDING, destination: 't' } }],
    [`POST ${BOUND}`, { body: { ...BINDING, destination_type: 'queue' } }],
    ['POST /v1/exchanges/amq.default/bindings', { body: BINDING }],
    [`POST ${BOUND}`, { body: TOO_LONG }],
    [`POST ${BOUND}`, XML],
    [`DELETE ${BOUND}/stream/s/k`],
    [`DELETE ${BOUND}/topic/s/k`],
    ['DELETE /v1/exchanges/f/bindings/stream/s/k'],
    [`POST ${EXCHANGE}/messages`, { body: { messages: [{ text: 'a', routing_key: 'k' }] } }],
    [`POST ${EXCHANGE}/messages`, { body: { messages: [{ text: 'a', headers: COPIES }] } }],
    ['POST /v1/exchanges/internal/messages', { body: 'a' }],
    ['POST /v1/exchanges/f/messages', { body: 'a' }],
    [`POST ${EXCHANGE}/messages`, { body: TOO_LONG }],
    [`POST ${EXCHANGE}/messages`, { body: 'a', headers: { 'content-encoding': 'br' } }],
    ['POST /v1/exchanges/holding/messages', { body: { messages: [LATE] } }],
    ['POST /v1/exchanges/holding/messages', { body: { messages: HUNDRED_LATE } }],
    [`POST ${MESSAGES}`, { body: { messages: [LATE] } }],
    [`POST ${MESSAGES}`, { body: { messages: HUNDRED_LATE } }],

    ['GET /v1/delayed?count=true'],
    [`GET /v1/delayed/${'0'.repeat(44)}`],
    [`DELETE /v1/delayed/${EXAMPLE_ID}`],
    [`DELETE /v1/delayed/${EXAMPLE_ID}?a=1`],
    [`DELETE /v1/delayed/${'0'.repeat(44)}`],
  ] satisfies readonly (readonly [line: string, call?: CallOptions])[]
).map(([line, call]) => ({ line, call }));

/** What is asked of every GET alike: the thing itself, with a parameter that is not known, and whether anything has changed. */
const OF_EVERY_GET = ROUTES.filter(({ method }) => method === 'GET').flatMap(({ path }) => {
  const line = `GET ${namedPath(path)}`;
  return [
    { line, call: undefined },
    { line: `${line}?a=1`, call: undefined },
    { line, call: { headers: { 'if-none-match': '*' } } },
  ];
});

async function preparedApi(line = '') {
  const api = createApiOn((log) => log, storeFor(line));
  await createStream(api, { segment_max_bytes: 4 });
  await publish(api, numbered(4), { publisher: 'p', publishing_id: 1, epoch: 5 });
  await publish(api, [ALL_MEMBERS, { base64: '/w==' }]);
  await api.call(`PUT ${STREAM}/consumers/c`, { body: { next: 1 } });
  await api.call(`POST ${STREAM}/trim`, { body: { before: 2 } });
  await api.call(`PUT ${EXCHANGE}`, { body: { type: 'topic' } });
  await api.call('PUT /v1/exchanges/internal', { body: { type: 'topic', internal: true } });
  await api.call('PUT /v1/exchanges/holding', { body: { type: 'topic', delayed: true } });
  await api.call(`POST ${EXCHANGE}/bindings`, { body: BINDING });
  await holdExample(api, 's');
  return api;
}

test.each([...REQUESTS, ...OF_EVERY_GET])(
  '$line is answered as described',
  async ({ line, call }) => {
    const api = await preparedApi(line);
    const answer = await api.call(line, call);

    expect(describeAnswer(line, answer).faults).toEqual([]);
  },
);

test('PUT of a fencing token in place of another is answered as described', async () => {
  const api = await preparedApi();
  const line = `PUT ${STREAM}/fencing-token`;
  await api.call(line, { body: { fencing_token: 'a' } });
  const answer = await api.call(line, { body: { fencing_token: 'b' } });

  expect([answer.status, ...describeAnswer(line, answer).faults]).toEqual([200]);
});

test('PUT of a stream that others delete at that moment is answered as described', async () => {
  const api = createApiOn((log) => ({ ...log, tail: () => Promise.resolve(undefined) }));
  const answer = await api.call(`PUT ${STREAM}`);

  expect([answer.status, ...describeAnswer(`PUT ${STREAM}`, answer).faults]).toEqual([404]);
});

test('a publish to more streams than a message may have is answered as described', async () => {
  const api = createApiOn((log) => log);
  const keys = Array.from({ length: 101 }, (_, at) => `s${at}`);
  for (const key of keys) await api.call(`PUT /v1/streams/${key}`);
  const line = 'POST /v1/exchanges/amq.default/messages';
  const answer = await api.call(line, {
    body: { messages: [{ text: 'a', headers: { CC: keys } }] },
  });

  expect([answer.status, ...describeAnswer(line, answer).faults]).toEqual([409]);
});

/** Told for every operation in described-faults.test.ts, or by the server before there is a request. */
const OF_ALL = ['403', '405', '408', '414', '431', '500', '503'];
/** Paths that take any parameter, as probes add some: only a path step makes a request to them wrong. */
const OF_PROBES = /^GET \/(?:health\/\w+|metrics) 400 /;
/** By the tests above. */
const SEEN = [
  'PUT /v1/streams/{stream}/fencing-token 200 application/json',
  'PUT /v1/streams/{stream} 404 application/problem+json',
  'POST /v1/exchanges/{exchange}/messages 409 application/problem+json',
];

test('every other status and type that is described is told by a request here', async () => {
  const seen = new Set(SEEN);
  for (const { line, call } of [...REQUESTS, ...OF_EVERY_GET]) {
    const answer = await (await preparedApi(line)).call(line, call);
    seen.add(describeAnswer(line, answer).name);
  }
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      Object.keys(operation.responses).flatMap((status) => {
        const types = Object.keys(responseOf(operation, Number(status))?.content ?? { '': {} });
        return types.map((type) => ({
          status,
          name: `${method.toUpperCase()} ${path} ${status} ${type}`.trim(),
        }));
      }),
    ),
  );
  const unseen = described.filter(
    ({ status, name }) => !(OF_ALL.includes(status) || OF_PROBES.test(name) || seen.has(name)),
  );

  expect(unseen.map(({ name }) => name)).toEqual([]);
});
