/** Requests that are not quite right are refused by name, so that no typo is taken for a default. */
import { describe, expect } from 'vitest';
import { test } from '../support/api-test.ts';
import {
  createStream,
  nextOffset,
  numbered,
  publish,
  STREAM,
  told,
} from '../support/publish-steps.ts';

const json = { 'content-type': 'application/json' };

describe('a body', () => {
  const rows = [
    ['broken JSON', '{"messages":[', 'the body'],
    ['an array', '[{"text":"a"}]', 'the body'],
    ['a string', '"a"', 'the body'],
    ['null', 'null', 'the body'],
    ['nothing', '', 'the body'],
    ['no UTF-8', Uint8Array.of(0x22, 0xff, 0x22), 'the body'],
    ['a byte order mark', '\ufeff{"messages":[{"text":"a"}]}', 'the body'],
    ['no messages', '{}', 'messages'],
    ['messages that are none', '{"messages":{"text":"a"}}', 'messages'],
    ['a message that is none', '{"messages":["a"]}', 'messages[0]'],
    ['an unknown member', '{"messages":[{"text":"a"}],"mesages":[]}', 'mesages'],
    [
      'an unknown member of a message',
      '{"messages":[{"text":"a","ofset":1}]}',
      'messages[0].ofset',
    ],
    ['a prototype', '{"messages":[{"text":"a","__proto__":1}]}', 'messages[0].__proto__'],
    ['a prototype beside the messages', '{"messages":[{"text":"a"}],"__proto__":1}', '__proto__'],
    ['a key that is no string', '{"messages":[{"text":"a","key":1}]}', 'messages[0].key'],
    [
      'a routing key that is null',
      '{"messages":[{"text":"a","routing_key":null}]}',
      'messages[0].routing_key',
    ],
    ['headers that are none', '{"messages":[{"text":"a","headers":[]}]}', 'messages[0].headers'],
    [
      'properties that are none',
      '{"messages":[{"text":"a","properties":"a"}]}',
      'messages[0].properties',
    ],
    [
      'an unknown property',
      '{"messages":[{"text":"a","properties":{"id":"1"}}]}',
      'messages[0].properties.id',
    ],
    [
      'a property of another type',
      '{"messages":[{"text":"a","properties":{"type":1}}]}',
      'messages[0].properties.type',
    ],
    [
      'an expiration that is no number',
      '{"messages":[{"text":"a","properties":{"expiration":"1s"}}]}',
      'messages[0].properties.expiration',
    ],
    [
      'a filter value that is no string',
      '{"messages":[{"text":"a","headers":{"x-stream-filter-value":1}}]}',
      'messages[0].headers.x-stream-filter-value',
    ],
    [
      'CC that is no array',
      '{"messages":[{"text":"a","headers":{"CC":"a"}}]}',
      'messages[0].headers.CC',
    ],
    [
      'BCC of numbers',
      '{"messages":[{"text":"a","headers":{"BCC":[1]}}]}',
      'messages[0].headers.BCC',
    ],
    [
      'a content type that is none',
      '{"messages":[{"text":"a","content_type":"text"}]}',
      'messages[0].content_type',
    ],
    [
      'a content type with a line end',
      '{"messages":[{"text":"a","content_type":"a/b\\r\\nx: y"}]}',
      'messages[0].content_type',
    ],
  ] as const;

  test.for(rows)(
    'P10: of a publish is refused with its field named: %s',
    async ([, body, field], { api }) => {
      await createStream(api);
      const answer = await api.call(`POST ${STREAM}/messages`, { body, headers: json });

      expect(told(answer)).toMatchObject({ status: 400, code: 'invalid_request' });
      expect(answer.json()['field']).toBe(field);
      expect(await nextOffset(api)).toBe(0);
    },
  );

  test.for([
    ['broken JSON', '{', 400, 'the body'],
    ['an array', '[]', 400, 'the body'],
    ['an unknown member', '{"segment_max_byte":1}', 400, 'segment_max_byte'],
    ['a prototype', '{"__proto__":1}', 400, '__proto__'],
    ['too many bytes', `{"x":"${'x'.repeat(4_194_304)}"}`, 413, undefined],
  ] as const)(
    'of a declaration is refused with its field named: %s',
    async ([, body, status, field], { api }) => {
      const answer = await api.call(`PUT ${STREAM}`, { body, headers: json });

      expect(answer.status).toBe(status);
      expect(answer.json()['field']).toBe(field);
      expect((await api.call(`GET ${STREAM}`)).status).toBe(404);
    },
  );

  test.for(['text/plain', 'application/x-ndjson', 'application/jsonp', 'image/png'])(
    'of a declaration is not taken as %s',
    async (type, { api }) => {
      const headers = { 'content-type': type };

      expect(told(await api.call(`PUT ${STREAM}`, { body: '{}', headers }))).toMatchObject({
        status: 415,
        code: 'unsupported_media_type',
        field: 'Content-Type',
      });
    },
  );

  test.for([
    '',
    'application/json',
    'APPLICATION/JSON; charset=utf-8',
    'application/x-www-form-urlencoded',
  ])('of a declaration is JSON as "%s"', async (type, { api }) => {
    const headers = type === '' ? {} : { 'content-type': type };
    const body = '{"segment_max_bytes":7}';

    expect((await api.call(`PUT ${STREAM}`, { body, headers })).json()).toMatchObject({
      settings: { segment_max_bytes: 7 },
    });
  });

  test('P5: of a fencing token is text, and its characters are counted', async ({ api }) => {
    await createStream(api);
    const put = (token: string) =>
      api.call(`PUT ${STREAM}/fencing-token`, { body: { fencing_token: token } });

    expect((await put('🜁'.repeat(255))).status).toBe(201);
    for (const token of ['', '🜁'.repeat(256), 'a\ud800']) {
      expect(told(await put(token))).toMatchObject({ status: 400, field: 'fencing_token' });
    }
  });

  test('is refused where there is to be none', async ({ api }) => {
    await createStream(api);
    await publish(api, numbered(1));

    expect(told(await api.call(`POST ${STREAM}/purge`, { body: { before: 1 } }))).toMatchObject({
      status: 400,
      field: 'before',
    });
    expect((await api.call(`POST ${STREAM}/purge`, { body: {} })).status).toBe(200);
  });

  test('P10: with an unknown member is told of raw=true, which takes anything', async ({ api }) => {
    await createStream(api);
    const answer = await api.call(`POST ${STREAM}/messages`, { body: { magnitude: 5.1 } });

    expect(told(answer)).toMatchObject({
      status: 400,
      field: 'magnitude',
      detail: expect.stringContaining('?raw=true'),
    });
  });
});

describe('a parameter', () => {
  const rows = [
    'GET /v1/streams',
    `GET ${STREAM}`,
    `PUT ${STREAM}`,
    `PATCH ${STREAM}`,
    `DELETE ${STREAM}`,
    `POST ${STREAM}/messages`,
    `GET ${STREAM}/messages`,
    `POST ${STREAM}/read`,
    `GET ${STREAM}/offsets`,
    `POST ${STREAM}/trim`,
    `POST ${STREAM}/purge`,
    `GET ${STREAM}/fencing-token`,
    `PUT ${STREAM}/fencing-token`,
    `DELETE ${STREAM}/fencing-token`,
    `GET ${STREAM}/publishers`,
    `GET ${STREAM}/publishers/p`,
    'GET /v1/openapi.json',
    'GET /v1/docs',
  ];

  test.for(
    rows.flatMap((line) =>
      ['limits', '__proto__', 'constructor'].map((name) => [line, name] as const),
    ),
  )('that is unknown is refused by name: %s ?%s', async ([line, name], { api }) => {
    await createStream(api);
    await publish(api, numbered(1), { publisher: 'p', publishing_id: 1 });
    const body = line.startsWith('GET') ? {} : { body: '{}' };

    expect(told(await api.call(`${line}?${name}=1`, body))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      field: name,
    });
    expect((await api.call(`GET ${STREAM}`)).json()).toMatchObject({ first: 0, next: 1 });
  });

  test.for([
    ['GET /v1/streams?limit=1&limit=1', 'limit'],
    [`GET ${STREAM}/messages?from=1&from=2`, 'from'],
    [`GET ${STREAM}/messages?from=1&%66rom=2`, 'from'],
    [`GET ${STREAM}/messages?body=%FF`, 'body'],
    [`GET ${STREAM}/messages?body=text`, 'body'],
    [`GET ${STREAM}/messages?follow=yes`, 'follow'],
    [`GET ${STREAM}/messages?on_gap=stop`, 'on_gap'],
    [`GET ${STREAM}/messages?as=xml`, 'as'],
    [`DELETE ${STREAM}?if_exists=1`, 'if_exists'],
    [`DELETE ${STREAM}?if_exists=TRUE`, 'if_exists'],
    [`DELETE ${STREAM}?if_exists`, 'if_exists'],
  ] as const)('that is wrong is refused by name: %s', async ([line, field], { api }) => {
    await createStream(api);

    expect(told(await api.call(line))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      field,
    });
    expect((await api.call(`GET ${STREAM}`)).status).toBe(200);
  });

  test('raw takes true and false alone', async ({ api }) => {
    await createStream(api);
    const answer = await api.call(`POST ${STREAM}/messages?raw=yes`, { body: 'a' });

    expect(told(answer)).toMatchObject({ status: 400, field: 'raw' });
    expect(await nextOffset(api)).toBe(0);
  });
});
