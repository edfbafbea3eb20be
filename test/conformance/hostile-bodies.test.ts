/** Bodies that mean harm: no UTF-8, nesting without end, JSON and compressed bytes that grow when they are read. */
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import type { Api } from '../support/api.ts';
import { test } from '../support/api-test.ts';
import { createStream, nextOffset, readTexts, STREAM, told } from '../support/publish-steps.ts';

const MIB = 1024 * 1024;
const ENVELOPE = 'application/json';
const LINES = 'application/x-ndjson';
const OBJECTS = 'application/vnd.varve.messages+ndjson';
const FRAMES = 'application/vnd.varve.messages';
const EVENT = 'application/cloudevents+json';
const EVENTS = 'application/cloudevents-batch+json';

type Body = string | Uint8Array;

function send(api: Api, body: Body, headers: { readonly [name: string]: string }) {
  return api.call(`POST ${STREAM}/messages`, { body, headers });
}

const publish = (api: Api, type: string, body: Body) => send(api, body, { 'content-type': type });

/** That it is refused so, with nothing stored, and that the next one is not. */
async function expectRefused(api: Api, answer: unknown, refusal: object): Promise<void> {
  expect(answer).toMatchObject({ ...refusal, side_effects: 'none' });
  expect(await nextOffset(api)).toBe(0);
  expect((await api.call(`POST ${STREAM}/messages`, { body: 'after' })).status).toBe(200);
  expect(await readTexts(api)).toEqual(['after']);
}

const invalid = (field: string) => ({ status: 400, code: 'invalid_request', field });
const tooLarge = (field: string) => ({ status: 413, code: 'message_too_large', field });

const broken = (text: string) => Buffer.from(text.replace('?', '\xff'), 'latin1');

test.for([
  [ENVELOPE, '{"messages":[{"text":"?"}]}', 'the body'],
  [LINES, '"a"\n"?"\n', 'line 2'],
  [OBJECTS, '{"text":"a"}\n{"key":"?","text":"a"}\n', 'line 2'],
  [EVENT, '{"specversion":"1.0","id":"?","source":"s","type":"t"}', 'the body'],
  [EVENTS, '[{"specversion":"1.0","id":"?","source":"s","type":"t"}]', 'the body'],
] as const)('P10: a body that is no UTF-8 is refused: %s', async ([type, text, field], { api }) => {
  await createStream(api);
  const answer = told(await publish(api, type, broken(text)));

  await expectRefused(api, answer, invalid(field));
});

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('nesting', () => {
  test('P10: of half a million levels is stored and read in every format', async ({ api }) => {
    await createStream(api);
    const json = nested(500_000);
    const answer = await publish(api, ENVELOPE, `{"messages":[{"json":${json}}]}`);
    expect(answer.status).toBe(200);

    for (const query of ['', '?as=ndjson', '?as=sse&limit=1', '?as=text', '?as=cloudevents']) {
      const read = await api.call(`GET ${STREAM}/messages${query}`);
      expect({ query, status: read.status, has: read.text.includes(json) }).toEqual({
        query,
        status: 200,
        has: true,
      });
    }
  });

  const deep = '['.repeat(1_000_000);

  test.for([
    ['without an end', ENVELOPE, `{"messages":${deep}`, invalid('the body')],
    ['of the body', ENVELOPE, nested(1_000_000), invalid('the body')],
    ['of objects', ENVELOPE, '{"a":'.repeat(500_000), invalid('the body')],
    ['of a message', ENVELOPE, `{"messages":[${nested(1_000_000)}]}`, invalid('messages[0]')],
    [
      'of a JSON body',
      ENVELOPE,
      `{"messages":[{"json":${nested(1_000_000)}}]}`,
      tooLarge('messages[0]'),
    ],
    [
      'of a key',
      ENVELOPE,
      `{"messages":[{"text":"a","key":${nested(1_000_000)}}]}`,
      invalid('messages[0].key'),
    ],
    [
      'of headers',
      ENVELOPE,
      `{"messages":[{"text":"a","headers":{"a":${nested(1_000_000)}}}]}`,
      tooLarge('messages[0].headers'),
    ],
    [
      'of headers near their limit',
      ENVELOPE,
      `{"messages":[{"text":"a","headers":{"a":${nested(100_000)}}}]}`,
      tooLarge('messages[0].headers'),
    ],
    [
      'of a header that is checked',
      ENVELOPE,
      `{"messages":[{"text":"a","headers":{"CC":${nested(30_000)}}}]}`,
      invalid('messages[0].headers.CC'),
    ],
    [
      'of a property',
      ENVELOPE,
      `{"messages":[{"text":"a","properties":{"type":${nested(1_000_000)}}}]}`,
      invalid('messages[0].properties.type'),
    ],
    [
      'of an option',
      ENVELOPE,
      `{"messages":[],"publisher":${nested(1_000_000)}}`,
      invalid('publisher'),
    ],
    ['of a line', LINES, deep, invalid('line 1')],
    ['of an event', EVENT, `{"specversion":${nested(1_000_000)}}`, invalid('event.specversion')],
    ['of events', EVENTS, nested(1_000_000), invalid('events[0]')],
  ] as const)('P10: is refused: %s', async ([, type, body, refusal], { api }) => {
    await createStream(api);
    const answer = told(await publish(api, type, body));

    await expectRefused(api, answer, refusal);
  });
});

const list = (item: string) => `[${`${item},`.repeat(299_999)}${item}]`;
const EMPTY = list('[]');
const object = (member: (index: number) => string) =>
  Array.from({ length: 300_000 }, (_, index) => member(index)).join(',');
const message = (member: string) => `{"messages":[{"text":"a",${member}}]}`;
const event = (member: string) =>
  `{"specversion":"1.0","id":"1","source":"s","type":"t",${member}}`;
const tooMany = { status: 413, code: 'too_many_messages', limit: 10_000 };

describe('300 000 values', () => {
  test.for([
    ['as messages', ENVELOPE, `{"messages":${EMPTY}}`, { ...tooMany, actual: 300_000 }],
    ['as lines', LINES, '1\n'.repeat(300_000), tooMany],
    ['as events', EVENTS, EMPTY, { ...tooMany, actual: 300_000 }],
    ['as frames of none', FRAMES, 'V\u0001\u0000\u0000\u0000'.repeat(300_000), invalid('messages')],
    ['as an option', ENVELOPE, `{"messages":[],"publisher":${EMPTY}}`, invalid('publisher')],
    ['as a key', ENVELOPE, message(`"key":${EMPTY}`), invalid('messages[0].key')],
    ['in a header', ENVELOPE, message(`"headers":{"a":${EMPTY}}`), tooLarge('messages[0].headers')],
    [
      'as properties',
      ENVELOPE,
      message(`"properties":${EMPTY}`),
      invalid('messages[0].properties'),
    ],
    [
      'as a property',
      ENVELOPE,
      message(`"properties":{"type":${EMPTY}}`),
      invalid('messages[0].properties.type'),
    ],
    ['as members', ENVELOPE, `{${object((n) => `"m${n}":1`)}}`, invalid('m0')],
    [
      'as members of a message',
      ENVELOPE,
      message(object((n) => `"m${n}":1`)),
      invalid('messages[0].m0'),
    ],
    [
      'as members of headers',
      ENVELOPE,
      message(`"headers":{${object((n) => `"m${n}":1`)}}`),
      tooLarge('messages[0].headers'),
    ],
    [
      'as properties of their own',
      ENVELOPE,
      message(`"properties":{${object((n) => `"m${n}":1`)}}`),
      invalid('messages[0].properties.m0'),
    ],
    [
      'as attributes of an event',
      EVENT,
      event(object((n) => `"m${n}":1`)),
      { status: 413, code: 'message_too_large', limit: 65_536 },
    ],
    ['as an attribute', EVENT, event(`"a":${EMPTY}`), invalid('event.a')],
  ] as const)('P6 P10: are refused: %s', async ([, type, body, refusal], { api }) => {
    await createStream(api);
    const answer = told(await publish(api, type, body));

    await expectRefused(api, answer, refusal);
  });

  test.for([
    ['in a JSON body', ENVELOPE, `{"messages":[{"json":${EMPTY}}]}`],
    ['in an offset that is ignored', ENVELOPE, message(`"offset":${EMPTY}`)],
    [
      'as messages, given again',
      ENVELOPE,
      `{${'"messages":[],'.repeat(250_000)}"messages":[{"text":"a"}]}`,
    ],
    ['as a key, given again', ENVELOPE, message(object(() => '"key":"k"'))],
    [
      'as a property, given again',
      ENVELOPE,
      message(`"properties":{${object(() => '"type":"t"')}}`),
    ],
    ['in the data of an event', EVENT, event(`"data":${EMPTY}`)],
    ['as an attribute that is none', EVENT, event(object(() => '"a":null'))],
  ] as const)('P10: are one message: %s', async ([, type, body], { api }) => {
    await createStream(api);

    expect(told(await publish(api, type, body))).toMatchObject({ status: 200, stored: 1 });
    expect((await api.call(`GET ${STREAM}/messages`)).status).toBe(200);
  });
});

describe('a body that publishes nothing', () => {
  const controls = [
    'PUT /v1/streams/t',
    `PATCH ${STREAM}`,
    `POST ${STREAM}/trim`,
    `POST ${STREAM}/purge`,
    `POST ${STREAM}/read`,
    `PUT ${STREAM}/fencing-token`,
  ];
  const LIMIT = 65_536;
  const over = { status: 413, code: 'request_too_large', limit: LIMIT, side_effects: 'none' };

  test.for(
    controls.flatMap(
      (line) =>
        [
          [line, 'spaces', `{}${' '.repeat(LIMIT - 1)}`, undefined, LIMIT + 1],
          [line, 'empty arrays', `{"a":${EMPTY}}`, undefined, `{"a":${EMPTY}}`.length],
          [line, 'a bomb of gzip', gzipSync(Buffer.alloc(64 * MIB)), 'gzip', LIMIT + 1],
          [line, 'a bomb of zstd', zstdCompressSync(Buffer.alloc(64 * MIB)), 'zstd', LIMIT + 1],
        ] as const,
    ),
  )('P6: has at most 64 KiB: %s with %s', async ([line, , body, encoding, actual], { api }) => {
    await createStream(api);
    const headers = { ...(encoding && { 'content-encoding': encoding }) };

    expect(told(await api.call(line, { body, headers }))).toMatchObject({ ...over, actual });
    expect((await api.call('GET /v1/streams')).json()).toMatchObject({ items: [{ name: 's' }] });
  });

  test('P6: may have 64 KiB', async ({ api }) => {
    const settings = '{"segment_max_bytes":7}';
    const body = settings.padEnd(LIMIT);

    expect((await api.call(`PUT ${STREAM}`, { body })).json()).toMatchObject({
      settings: { segment_max_bytes: 7 },
    });
    expect(
      (
        await api.call('PUT /v1/streams/t', {
          body: gzipSync(body),
          headers: { 'content-encoding': 'gzip' },
        })
      ).status,
    ).toBe(201);
  });

  test('is refused however deep it is', async ({ api }) => {
    await createStream(api);
    for (const body of [nested(30_000), `{"from":${nested(30_000)}}`, '{"a":'.repeat(10_000)]) {
      expect(told(await api.call(`POST ${STREAM}/read`, { body }))).toMatchObject({ status: 400 });
    }
  });
});
