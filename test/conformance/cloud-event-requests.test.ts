/** What publishes and reads of CloudEvents take and refuse, beside the events themselves. */
import { describe, expect } from 'vitest';
import type { Api } from '../support/api.ts';
import { inProcess, test } from '../support/api-test.ts';
import { BATCH_TYPE, EVENT_TYPE } from '../support/cloud-events.ts';
import { listen } from '../support/listen.ts';
import { bodyOfSize, type PublishFormat, utf8 } from '../support/publish-formats.ts';
import {
  createStream,
  nextOffset,
  publish,
  readMessages,
  STREAM,
  texts,
  told,
} from '../support/publish-steps.ts';
import { exchange, requestText } from '../support/raw-exchange.ts';
import { trim } from '../support/read-steps.ts';

const localTest = inProcess('a server of its own');

const MIB = 1_048_576;

const EVENT = { specversion: '1.0', id: '1', source: '/s', type: 't' };
const HEADERS = { 'ce-specversion': '1.0', 'ce-id': '1', 'ce-source': '/s', 'ce-type': 't' };

const BATCHES: PublishFormat = {
  name: 'CloudEvents',
  type: BATCH_TYPE,
  place: (index) => `events[${index}]`,
  encode: (bodies) => utf8(JSON.stringify(bodies.map((data) => ({ ...EVENT, data })))),
};

const to = (query = '') => `POST ${STREAM}/messages${query}`;
const sendBatch = (api: Api, body: string | Uint8Array, query = '') =>
  api.call(to(query), { body, headers: { 'content-type': BATCH_TYPE } });

describe('a publish', () => {
  test.for([
    ['structured', { 'content-type': EVENT_TYPE }, JSON.stringify(EVENT)],
    ['batch', { 'content-type': `${BATCH_TYPE}; charset=utf-8` }, JSON.stringify([EVENT])],
    ['binary', { 'content-type': 'application/json', ...HEADERS }, ''],
    [
      'structured, with headers beside it',
      { 'content-type': EVENT_TYPE, 'ce-id': '2' },
      JSON.stringify(EVENT),
    ],
  ] as const)('CE1: takes options as any other: %s', async ([, headers, body], { api }) => {
    const query = '?create=true&publisher=p&publishing_id=7&expected_offset=0';
    const first = await api.call(to(query), { body, headers });
    const again = await api.call(to(query), { body, headers });
    const late = await api.call(to('?expected_offset=0'), { body, headers });

    expect(told(first)).toMatchObject({ status: 200, start: 0, end: 1, stored: 1 });
    expect(told(again)).toMatchObject({ status: 200, start: 0, end: 1, duplicates: 1 });
    expect(told(late)).toMatchObject({ status: 412, code: 'offset_mismatch', next: 1 });
    const headersOf = (await readMessages(api)).map((message) => message['headers']);
    expect(headersOf).toEqual([HEADERS]);
  });

  test('CE1: of a batch is one chunk, all or nothing', async ({ api }) => {
    await createStream(api);
    const broken = [EVENT, { ...EVENT, id: '2' }, EVENT, { ...EVENT, id: undefined }];

    expect(told(await sendBatch(api, JSON.stringify(broken)))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      field: 'events[3].id',
      detail: 'events[3].id is missing: every event has one',
      side_effects: 'none',
    });
    expect(await nextOffset(api)).toBe(0);
    expect(told(await sendBatch(api, JSON.stringify(broken.slice(0, 3))))).toMatchObject({
      start: 0,
      end: 3,
    });
  });

  test.for([
    ['structured', { 'content-type': EVENT_TYPE }, 'event.source'],
    ['batch', { 'content-type': BATCH_TYPE }, 'events[0].source'],
    ['binary', { 'ce-specversion': '1.0', 'ce-id': '1', 'ce-type': 't' }, 'ce-source'],
  ] as const)('CE2: without source is refused: %s', async ([mode, headers, field], { api }) => {
    await createStream(api);
    const event = JSON.stringify({ ...EVENT, source: undefined });
    const body = mode === 'batch' ? `[${event}]` : event;

    expect(told(await api.call(to(), { body, headers }))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      field,
      side_effects: 'none',
    });
    expect(await nextOffset(api)).toBe(0);
  });

  test.for([EVENT_TYPE, BATCH_TYPE])('CE1: as %s has no key of its own', async (type, { api }) => {
    await createStream(api);
    const headers = { 'content-type': type };
    for (const field of ['key', 'routing_key']) {
      const answer = await api.call(to(`?${field}=k`), { body: JSON.stringify(EVENT), headers });
      expect(told(answer)).toMatchObject({ status: 400, code: 'invalid_request', field });
    }
    expect(await nextOffset(api)).toBe(0);
  });

  test('CE5: of a binary event may have its key as a parameter', async ({ api }) => {
    await createStream(api);
    const headers = { ...HEADERS, 'content-type': 'text/plain' };
    const both = { ...headers, 'ce-partitionkey': 'k' };
    await api.call(to('?key=k'), { body: 'a', headers });
    await api.call(to(), { body: 'a', headers: both });
    const [first, second] = await readMessages(api);

    expect(first).toMatchObject({ text: 'a', key: 'k', headers: HEADERS });
    expect(second).toEqual({ ...first, offset: 1, timestamp: api.timeNow() });
    expect(told(await api.call(to('?key=k'), { body: 'a', headers: both }))).toMatchObject({
      status: 400,
      field: 'key',
    });
  });

  test.for(['application/cloudevents+avro', 'application/cloudevents', `${BATCH_TYPE}x`])(
    'CE1: as %s is refused',
    async (type, { api }) => {
      await createStream(api);
      const headers = { 'content-type': type, ...HEADERS };

      expect(told(await api.call(to(), { body: '[]', headers }))).toMatchObject({
        status: 415,
        code: 'unsupported_media_type',
        field: 'Content-Type',
      });
      expect(await nextOffset(api)).toBe(0);
    },
  );

  test.for([EVENT_TYPE, BATCH_TYPE, 'application/cloudevents+avro', 'text/plain'])(
    'CE1: with raw=true is stored as it is: %s',
    async (type, { api }) => {
      await createStream(api);
      const headers = { 'content-type': type, ...HEADERS };
      await api.call(to('?raw=true'), { body: '{"not": "an event"}', headers });
      const [message] = await readMessages(api);

      expect(message).not.toHaveProperty('headers');
      expect((await api.call(`GET ${STREAM}/messages?as=text`)).text).toBe('{"not": "an event"}\n');
      expect((await api.call(`GET ${STREAM}/messages?as=binary`)).text).toContain(type);
    },
  );

  localTest('CE5: over a connection has its headers as they were sent', async ({ api }) => {
    await createStream(api);
    await using server = await listen(api);
    const headers = [
      'CE-SpecVersion: 1.0',
      'ce-id: %22a%20%F0%9F%98%80%22',
      'Ce-Source: /s',
      'ce-type: t',
      'ce-x: \xc3\xa4',
      'content-type: text/plain',
      'content-length: 1',
    ];
    const request = Buffer.from(requestText(`POST ${STREAM}/messages`, headers, 'b'), 'latin1');

    expect(await exchange(server.port, new Uint8Array(request))).toMatchObject({ status: 200 });
    expect((await readMessages(api))[0]?.['headers']).toEqual({
      ...HEADERS,
      'ce-id': '"a \u{1f600}"',
      'ce-x': 'ä',
    });
  });
});

describe('limits', () => {
  test('P6 CE1: an event that is too large is named', async ({ api }) => {
    await createStream(api);
    const answer = await sendBatch(api, BATCHES.encode(['a', 'x'.repeat(MIB), 'b']));

    expect(told(answer)).toMatchObject({
      status: 413,
      code: 'message_too_large',
      field: 'events[1]',
      limit: MIB,
    });
    const attributes = [EVENT, { ...EVENT, x: 'x'.repeat(65_536) }];
    expect(told(await sendBatch(api, JSON.stringify(attributes)))).toMatchObject({
      status: 413,
      code: 'message_too_large',
      field: 'events[1].headers',
      limit: 65_536,
    });
    expect(await nextOffset(api)).toBe(0);
  });

  test('P6 CE1: a batch has at most 10 000 events, and one at least', async ({ api }) => {
    await createStream(api);
    const events = Array.from({ length: 10_000 }, () => 'a');

    expect(told(await sendBatch(api, BATCHES.encode([...events, 'b'])))).toMatchObject({
      status: 413,
      code: 'too_many_messages',
      limit: 10_000,
      actual: 10_001,
    });
    expect(told(await sendBatch(api, '[]'))).toMatchObject({ status: 400, field: 'messages' });
    expect(await nextOffset(api)).toBe(0);
    expect(told(await sendBatch(api, BATCHES.encode(events)))).toMatchObject({ end: 10_000 });
    const page = await api.call(
      `GET ${STREAM}/messages?as=cloudevents&limit=10000&max_bytes=4194304`,
    );
    expect(JSON.parse(page.text)).toHaveLength(10_000);
  });

  test('P6 CE1: a request has at most 4 MiB', async ({ api }) => {
    await createStream(api);
    const [fits, exceeds] = [4 * MIB, 4 * MIB + 1].map((size) => bodyOfSize(BATCHES, size));

    expect([fits?.length, exceeds?.length]).toEqual([4 * MIB, 4 * MIB + 1]);
    expect(told(await sendBatch(api, exceeds ?? ''))).toMatchObject({
      status: 413,
      code: 'request_too_large',
      limit: 4 * MIB,
      actual: 4 * MIB + 1,
    });
    expect(told(await sendBatch(api, fits ?? ''))).toMatchObject({ status: 200, stored: 8 });
  });
});

describe('a read', () => {
  const read = (api: Api, query: string, accept = '*/*') =>
    api.call(`GET ${STREAM}/messages${query}`, { headers: { accept } });

  test('CE4: is chosen by as or by Accept, in either form of a read', async ({ api }) => {
    await createStream(api);
    await publish(api, texts('a', 'b', 'c'));
    const chosen = await read(api, '?as=cloudevents&from=1&limit=1', 'application/json');
    const accepted = await read(api, '?from=1&limit=1', `application/json;q=0.5, ${BATCH_TYPE}`);
    const posted = await api.call(`POST ${STREAM}/read`, {
      body: { from: 1, limit: 1, as: 'cloudevents' },
    });

    expect(chosen.headers.get('content-type')).toBe(BATCH_TYPE);
    expect(JSON.parse(chosen.text)).toMatchObject([{ data: 'b' }]);
    for (const answer of [accepted, posted]) {
      expect(answer.text).toBe(chosen.text);
      expect(answer.headers.get('content-type')).toBe(BATCH_TYPE);
    }
  });

  test('CE4 O15: tells a gap in its headers, and an empty page is an empty array', async ({
    api,
  }) => {
    await createStream(api);
    await publish(api, texts('a', 'b', 'c'));
    await trim(api, 2);
    const page = await read(api, '?as=cloudevents&from=0');
    const rest = await read(api, '?as=cloudevents&from=3');

    expect(JSON.parse(page.headers.get('varve-gap') ?? '')).toEqual({
      requested: 0,
      first_available: 2,
      missing: 2,
    });
    expect(page.headers.get('varve-next')).toBe('3');
    expect(JSON.parse(page.text)).toHaveLength(1);
    expect([rest.text, rest.headers.get('varve-next')]).toEqual(['[]', '3']);
  });

  test('CE4: is of batches alone, and of pages', async ({ api }) => {
    await createStream(api);

    expect(told(await read(api, '', EVENT_TYPE))).toMatchObject({ status: 406, field: 'Accept' });
    expect(told(await read(api, '?as=cloudevents&follow=true'))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      field: 'follow',
    });
  });

  test('CE4: with body=base64 has all data so', async ({ api }) => {
    await createStream(api);
    await publish(api, [{ json: 1 }, { text: 'a' }]);

    expect(JSON.parse((await read(api, '?as=cloudevents&body=base64')).text)).toMatchObject([
      { datacontenttype: 'application/json', data_base64: 'MQ==' },
      { datacontenttype: 'text/plain; charset=utf-8', data_base64: 'YQ==' },
    ]);
  });
});

test('P10 CE4: data comes back verbatim, in the form it was sent in', async ({ api }) => {
  await createStream(api);
  const members = [
    '"data":{ "a" : 1.10 , "a":123456789012345678901234567890 }',
    '"datacontenttype":"application/x","data":"\u{1f701}\u2028\ufeff"',
    '"datacontenttype":"text/plain","data":""',
    '"datacontenttype":"text/plain","data_base64":"YQ=="',
    '"datacontenttype":"application/json","data_base64":"MQ=="',
    '"datacontenttype":"image/png","data_base64":""',
    '"datacontenttype":"image/png"',
  ];
  const required = JSON.stringify(EVENT).slice(0, -1);
  await sendBatch(api, `[${members.map((member) => `${required},${member}}`).join(',')}]`);
  const typed = members.map((member) =>
    member.startsWith('"data"') ? `"datacontenttype":"application/json",${member}` : member,
  );

  expect((await api.call(`GET ${STREAM}/messages?as=cloudevents`)).text).toBe(
    `[${typed.map((member) => `${required},${member}}`).join(',')}]`,
  );
});
