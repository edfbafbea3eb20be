/** Every code that can occur, each as a whole problem, and nothing of the inside in any of them. */
import { expect } from 'vitest';
import { StoreError } from '../../lib/ports/store-error.ts';
import { ERROR_CODES, type ErrorCode } from '../../lib/wire/error-codes.ts';
import type { Api, CallOptions } from '../support/api.ts';
import { inProcess } from '../support/api-test.ts';
import { createApiOn, createBrokenApi } from '../support/faulty-api.ts';
import { createStream, numbered, publish, STREAM } from '../support/publish-steps.ts';

const test = inProcess('faults in the store');

const INSIDE = '/var/lib/varve/log.db: SQLITE_IOERR in runs, at Object.step (lib/embedded/x.ts:7)';
const MESSAGES = `${STREAM}/messages`;

const UNKNOWN_ID = '0'.repeat(44);

interface Occurrence {
  readonly code: ErrorCode;
  readonly line: string;
  readonly call?: CallOptions;
  /** The members beside those that every problem has. */
  readonly more?: object;
  readonly api?: () => Api;
  readonly sideEffects?: 'none' | 'possible';
}

const broken = (error: Error, method: 'commit' | 'readChunks') => () =>
  createBrokenApi(error, [method]);
const failing = (kind: 'unavailable' | 'timeout', sideEffects: 'none' | 'possible') =>
  broken(new StoreError(INSIDE, { kind, sideEffects }), 'commit');

/** On a stream with four messages, of which the first two are gone, and a publisher at epoch 5. */
const OCCURRENCES: readonly Occurrence[] = [
  { code: 'invalid_request', line: `GET ${MESSAGES}?limit=0`, more: { field: 'limit' } },
  { code: 'invalid_offset', line: `GET ${MESSAGES}?from=x`, more: { field: 'from' } },
  { code: 'invalid_name', line: 'PUT /v1/streams/amq.x', more: { field: 'stream' } },
  {
    code: 'invalid_setting',
    line: 'PUT /v1/streams/t',
    call: { body: { segment_max_age: '5' } },
    more: { field: 'segment_max_age' },
  },
  {
    code: 'delayed_not_found',
    line: `GET /v1/delayed/${UNKNOWN_ID}`,
    more: { delayed: UNKNOWN_ID },
  },
  {
    code: 'too_many_delayed',
    line: `POST ${MESSAGES}`,
    call: { body: { messages: Array.from({ length: 100 }, () => ({ text: 'a', delay_ms: 5 })) } },
    more: { limit: 99, actual: 100 },
  },
  { code: 'exchange_not_found', line: 'GET /v1/exchanges/x', more: { exchange: 'x' } },
  { code: 'forbidden', line: 'DELETE /v1/exchanges/amq.default' },
  {
    code: 'internal_exchange',
    line: 'GET /v1/exchanges/amq.delayed-x',
    more: { exchange: 'amq.delayed-x' },
  },
  {
    code: 'setting_not_supported',
    line: 'POST /v1/exchanges/e/bindings',
    call: { body: { destination_type: 'queue', destination: 'q' } },
    more: { field: 'destination_type queue' },
  },
  {
    code: 'no_stored_offset',
    line: 'GET /v1/streams/s/consumers/c',
    more: { consumer: 'c' },
  },
  {
    code: 'consumer_not_found',
    line: 'DELETE /v1/streams/s/consumers/c',
    more: { consumer: 'c' },
  },
  {
    code: 'foreign_origin',
    line: 'GET /v1/streams',
    call: { headers: { origin: 'http://evil.example' } },
  },
  { code: 'not_found', line: 'GET /v1/nothing' },
  { code: 'stream_not_found', line: 'GET /v1/streams/t', more: { stream: 't' } },
  { code: 'publisher_not_found', line: `GET ${STREAM}/publishers/q`, more: { publisher: 'q' } },
  {
    code: 'method_not_allowed',
    line: `PUT ${MESSAGES}`,
    more: { allow: 'POST, GET, HEAD, OPTIONS' },
  },
  {
    code: 'not_acceptable',
    line: `GET ${MESSAGES}`,
    call: { headers: { accept: 'image/png' } },
    more: { field: 'Accept' },
  },
  {
    code: 'settings_mismatch',
    line: `PUT ${STREAM}`,
    call: { body: { segment_max_bytes: 7 } },
    more: { field: 'segment_max_bytes', expected: 7, actual: 67_108_864 },
  },
  {
    code: 'publisher_fenced',
    line: `POST ${MESSAGES}?publisher=p&publishing_id=9&epoch=4`,
    call: { body: 'a' },
    more: { epoch: 5 },
  },
  {
    code: 'stream_recreated',
    line: `GET ${MESSAGES}?if_stream_id=other`,
    more: { expected: 'other', actual: expect.stringMatching(/^[0-9a-f]{32}$/) },
  },
  {
    code: 'offset_trimmed',
    line: `GET ${MESSAGES}?from=1&on_gap=error`,
    more: { first_available: 2, missing: 1 },
  },
  {
    code: 'offset_mismatch',
    line: `POST ${MESSAGES}?expected_offset=9`,
    call: { body: 'a' },
    more: { next: 4, expected: 9, actual: 4 },
  },
  { code: 'fenced', line: `POST ${MESSAGES}?fencing_token=b`, call: { body: 'a' } },
  {
    code: 'message_too_large',
    line: `POST ${MESSAGES}`,
    call: { body: new Uint8Array(1_048_577) },
    more: { field: 'the message', limit: 1_048_576, actual: 1_048_577 },
  },
  {
    code: 'request_too_large',
    line: `POST ${MESSAGES}`,
    call: { body: new Uint8Array(4_194_305) },
    more: { limit: 4_194_304, actual: 4_194_305 },
  },
  {
    code: 'too_many_messages',
    line: `POST ${MESSAGES}`,
    call: { body: { messages: numbered(10_001) } },
    more: { limit: 10_000, actual: 10_001 },
  },
  {
    code: 'uri_too_long',
    line: `GET ${MESSAGES}?${'x'.repeat(20_000)}`,
    more: { limit: 16_384, actual: expect.any(Number) },
  },
  {
    code: 'unsupported_media_type',
    line: 'PUT /v1/streams/t',
    call: { body: '{}', headers: { 'content-type': 'text/plain' } },
    more: { field: 'Content-Type' },
  },
  {
    code: 'offset_past_tail',
    line: `GET ${MESSAGES}?from=9&on_future=error`,
    more: { next: 4 },
  },
  {
    code: 'internal',
    line: `GET ${MESSAGES}`,
    api: broken(new TypeError(INSIDE), 'readChunks'),
  },
  {
    code: 'corrupt_data',
    line: `GET ${MESSAGES}`,
    api: broken(
      new StoreError('chunk at 2: checksum differs', { kind: 'corrupt', sideEffects: 'none' }),
      'readChunks',
    ),
  },
  {
    code: 'unavailable',
    line: `POST ${MESSAGES}`,
    call: { body: 'a' },
    api: failing('unavailable', 'none'),
  },
  {
    code: 'store_timeout',
    line: `POST ${MESSAGES}`,
    call: { body: 'a' },
    api: failing('timeout', 'possible'),
    sideEffects: 'possible',
  },
];

test.each(OCCURRENCES)('P7: $code is told as a whole problem', async (occurrence) => {
  const { code, line, call, more = {}, sideEffects = 'none' } = occurrence;
  const api = occurrence.api?.() ?? createApiOn((log) => log);
  await createStream(api);
  await publish(api, numbered(4), { publisher: 'p', publishing_id: 1, epoch: 5 });
  await api.call(`POST ${STREAM}/trim`, { body: { before: 2 } });
  await api.call('PUT /v1/exchanges/e', { body: { type: 'topic' } });
  const headers = { ...call?.headers, 'x-request-id': 'request-7' };
  const answer = await api.call(line, { ...call, headers });

  const { status, retryable, title } = ERROR_CODES[code];
  const problem = answer.json();
  expect(problem).toEqual({
    type: `urn:varve:error:${code}`,
    title,
    status,
    detail: expect.stringMatching(/^.{5,}$/),
    instance: new URL(line.split(' ')[1] ?? '', 'http://x').pathname,
    code,
    message: problem['detail'],
    retryable,
    side_effects: sideEffects,
    request_id: 'request-7',
    ...more,
  });
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(answer.headers.get('x-request-id')).toBe('request-7');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('retry-after')).toBe(status === 503 ? '1' : null);
  expect(answer.text).not.toMatch(/\/var\/|SQLITE|\.ts\b|\bat \w+\.|Zod|node:|TypeError/);
});

/** Headers that are too large never become a request: they are answered before the application. */
const ELSEWHERE: readonly ErrorCode[] = ['headers_too_large'];
const NOT_BUILT: readonly ErrorCode[] = [
  'invalid_filter',
  'key_required',
  'unauthenticated',
  'queue_not_found',
  'group_not_found',
  'policy_not_found',
  'super_stream_not_found',
  'no_route',
  'not_supported',
  'claim_lost',
  'queue_full',
  'too_many_destinations',
  'name_taken',
  'too_many_claims',
  'rate_limited',
];

test('the catalogue has no code that is neither told here nor of a rule to come', () => {
  const known = [...OCCURRENCES.map(({ code }) => code), ...ELSEWHERE, ...NOT_BUILT];

  expect([...known].sort()).toEqual(Object.keys(ERROR_CODES).sort());
});
