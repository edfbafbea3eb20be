/** What was published comes back: every body byte for byte, in every format that reads have. */
import { describe, expect } from 'vitest';
import { decodeFrames } from '../../lib/wire/frame.ts';
import { decodeRecord } from '../../lib/wire/record.ts';
import { VarintReader } from '../../lib/wire/varint.ts';
import type { Api } from '../support/api.ts';
import { test } from '../support/api-test.ts';
import { encodeBatch, utf8 } from '../support/publish-formats.ts';
import {
  createStream,
  nextOffset,
  publish,
  readMessages,
  STREAM,
  told,
} from '../support/publish-steps.ts';

const MIB = 1_048_576;

/** The one message of the stream as the lines of its object, in each textual format. */
async function objectTexts(api: Api): Promise<Record<'json' | 'ndjson' | 'sse', string>> {
  const json = (await api.call(`GET ${STREAM}/messages?max_bytes=4194304`)).text;
  const lines = (await api.call(`GET ${STREAM}/messages?as=ndjson&max_bytes=4194304`)).text;
  const events = (await api.call(`GET ${STREAM}/messages?as=sse&limit=1`)).text;
  return {
    json: json.slice('{"messages":['.length, json.lastIndexOf('],"next":')),
    ndjson: lines.slice(0, -1),
    sse: /\ndata: \{"messages":\[([^\n]*)\],"next":1,"tail":1\}\n/.exec(events)?.[1] ?? events,
  };
}

/** The bytes of the body of the one message, as the binary format has them. */
async function binaryBody(api: Api): Promise<Uint8Array> {
  const { bytes } = await api.call(`GET ${STREAM}/messages?as=binary&max_bytes=4194304`);
  const [frame] = decodeFrames(bytes);
  return decodeRecord(new VarintReader(frame?.records ?? new Uint8Array())).body;
}

const bytesOf = (text: string) => [...utf8(text)];

describe('a json body', () => {
  test.for([
    '123456789012345678901234567890',
    '1.0',
    '1e2',
    '-0',
    '{"a" : 1,"a":2}',
    '{ "a" : 1.10 , "a":2 }',
    '"\\ud800"',
    '"\\u0000"',
    '"a\\nb\\r\\n"',
    'null',
    'true',
    '[ ]',
    '""',
    '"\u{1f701}\u2028\ufeff"',
    `${'['.repeat(2_000)}${']'.repeat(2_000)}`,
  ])('P10: comes back verbatim: %s', async (json, { api }) => {
    await createStream(api);
    const body = `{"messages":[{"json":${json}}]}`;
    const type = { 'content-type': 'application/json' };
    expect((await api.call(`POST ${STREAM}/messages`, { body, headers: type })).status).toBe(200);

    const object = expect.stringMatching(/^\{"offset":0,"timestamp":[0-9]+,"json":/);
    const texts = await objectTexts(api);
    expect(texts).toEqual({ json: object, ndjson: object, sse: object });
    for (const text of Object.values(texts)) {
      expect(text.slice(text.indexOf('"json":') + '"json":'.length, -1)).toBe(json);
    }
    expect([...(await binaryBody(api))]).toEqual(bytesOf(json));
  });

  test.for([
    ['a line feed', '{"a":\n1}'],
    ['CR only', '[1,\r2]'],
    ['CR LF', '{\r\n}'],
  ] as const)(
    'P10: with %s between its members is base64 where lines end messages',
    async ([, json], { api }) => {
      await createStream(api);
      const body = `{"messages":[{"json":${json}},{"json":1}]}`;
      const type = { 'content-type': 'application/json' };
      await api.call(`POST ${STREAM}/messages`, { body, headers: type });

      const page = await api.call(`GET ${STREAM}/messages`);
      expect(page.text).toContain(`"json":${json}}`);
      const lines = (await api.call(`GET ${STREAM}/messages?as=ndjson`)).text.split('\n');
      const encoded = {
        base64: Buffer.from(json).toString('base64'),
        content_type: 'application/json',
      };
      expect(lines).toHaveLength(3);
      expect(JSON.parse(lines[0] ?? '')).toMatchObject(encoded);
      expect(JSON.parse(lines[1] ?? '')).toMatchObject({ json: 1 });
      const events = (await api.call(`GET ${STREAM}/messages?as=sse&limit=2`)).text;
      const batch: { messages?: unknown } = JSON.parse(
        /^data: (\{"messages.*)$/m.exec(events)?.[1] ?? '',
      );
      expect(batch.messages).toMatchObject([encoded, { json: 1 }]);
    },
  );

  test('P10: of a declared type that is no JSON comes back as text or base64', async ({ api }) => {
    await createStream(api);
    const bytes = Uint8Array.of(0x7b, 0xff);
    const content_type = 'application/json';
    await publish(api, [
      { base64: Buffer.from('{bad').toString('base64'), content_type },
      { base64: Buffer.from(bytes).toString('base64'), content_type },
      { text: '[1]', content_type: 'application/vnd.x+json' },
    ]);

    expect(await readMessages(api)).toMatchObject([
      { offset: 0, text: '{bad', content_type },
      { offset: 1, base64: Buffer.from(bytes).toString('base64'), content_type },
      { offset: 2, json: [1], content_type: 'application/vnd.x+json' },
    ]);
  });
});

describe('a text body', () => {
  test.for([
    ['nothing', ''],
    ['CR LF', 'a\r\nb'],
    ['LF', '\n'],
    ['a byte order mark', '\ufeffx'],
    ['a character of four bytes', '\u{1f701}'],
    ['NUL and quotes', '\u0000"\\'],
    ['line separators of Unicode', '\u2028\u2029'],
  ] as const)('P10: comes back unchanged: %s', async ([, text], { api }) => {
    await createStream(api);
    await publish(api, [{ text }]);
    const member = /[\r\n]/.test(text)
      ? { base64: Buffer.from(text).toString('base64'), content_type: 'text/plain; charset=utf-8' }
      : { text };
    const { json, ndjson, sse } = await objectTexts(api);

    expect(JSON.parse(json)).toEqual({ offset: 0, timestamp: api.timeNow(), text });
    for (const line of [ndjson, sse]) {
      expect(JSON.parse(line)).toEqual({ offset: 0, timestamp: api.timeNow(), ...member });
    }
    expect([...(await binaryBody(api))]).toEqual(bytesOf(text));
  });

  test.for([
    ['text', { text: '\ud800' }, 'messages[0].text'],
    ['key', { text: 'a', key: '\udc00' }, 'messages[0].key'],
    ['routing_key', { text: 'a', routing_key: 'a\ud800' }, 'messages[0].routing_key'],
  ] as const)(
    'P10: half a surrogate pair has no UTF-8 and is refused: %s',
    async ([, message, field], { api }) => {
      await createStream(api);

      expect(told(await publish(api, [message]))).toMatchObject({
        status: 400,
        code: 'invalid_request',
        field,
      });
      expect(await nextOffset(api)).toBe(0);
    },
  );
});

describe('a binary body', () => {
  test.for([
    ['nothing', new Uint8Array()],
    ['NUL', Uint8Array.of(0)],
    ['lone high bytes', Uint8Array.of(0, 0xff, 0x80)],
    ['line ends', Uint8Array.of(0x0d, 0x0a)],
    ['1 MiB', new Uint8Array(MIB).fill(0xff)],
  ] as const)('P10: comes back unchanged: %s', async ([, bytes], { api }) => {
    await createStream(api);
    const base64 = Buffer.from(bytes).toString('base64');
    await publish(api, [{ base64 }]);
    const texts = Object.values(await objectTexts(api));

    expect(texts.map((text) => JSON.parse(text).base64 === base64)).toEqual([true, true, true]);
    expect(Buffer.compare(await binaryBody(api), bytes)).toBe(0);
  });

  test('P10: is what was published raw, in a frame and in JSON alike', async ({ api }) => {
    await createStream(api);
    const body = Uint8Array.of(0, 0xff, 0x80);
    const contentType = 'application/octet-stream';
    const to = `POST ${STREAM}/messages`;
    await publish(api, [{ base64: 'AP+A' }]);
    await api.call(to, { body, headers: { 'content-type': contentType } });
    await api.call(to, {
      body: encodeBatch([{ body, contentType }]),
      headers: { 'content-type': 'application/vnd.varve.messages' },
    });

    const timestamp = api.timeNow();
    expect(await readMessages(api)).toEqual(
      [0, 1, 2].map((offset) => ({ offset, timestamp, base64: 'AP+A' })),
    );
  });
});

test('every body can be had as base64', async ({ api }) => {
  await createStream(api);
  await publish(api, [{ json: { a: 1 } }, { text: 'é' }, { base64: '/w==' }]);
  const page = (await api.call(`GET ${STREAM}/messages?body=base64`)).json();
  const lines = (await api.call(`GET ${STREAM}/messages?body=base64&as=ndjson`)).text;
  const expected = [
    { base64: 'eyJhIjoxfQ==', content_type: 'application/json' },
    { base64: 'w6k=', content_type: 'text/plain; charset=utf-8' },
    { base64: '/w==' },
  ];

  expect(page).toMatchObject({ messages: expected });
  expect(
    lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject(expected);
});

test.for([
  ['none of them', {}, 'messages[0]'],
  ['none but a key', { key: 'a' }, 'messages[0]'],
  ['two of them', { json: 1, text: 'a' }, 'messages[0]'],
  ['all of them', { json: null, text: '', base64: '' }, 'messages[0]'],
  ['a text that is none', { text: 1 }, 'messages[0].text'],
  ['a text that is null', { text: null }, 'messages[0].text'],
  ['no base64', { base64: '!!' }, 'messages[0].base64'],
  ['base64 without its padding', { base64: 'YQ' }, 'messages[0].base64'],
  ['base64 with too much padding', { base64: 'YQ===' }, 'messages[0].base64'],
  ['base64 with padding inside', { base64: 'YQ==YQ==' }, 'messages[0].base64'],
  ['base64 with a line end', { base64: 'YWJj\n' }, 'messages[0].base64'],
  ['base64 of URLs', { base64: '_-8=' }, 'messages[0].base64'],
] as const)(
  'a message has exactly one body: refused with %s',
  async ([, message, field], { api }) => {
    await createStream(api);

    expect(told(await publish(api, [message]))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      field,
    });
    expect(await nextOffset(api)).toBe(0);
  },
);
