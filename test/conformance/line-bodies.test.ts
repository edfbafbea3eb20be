/** Publishes with a message a line, and raw ones: one message, whatever it is. */
import { describe, expect } from 'vitest';
import type { Api } from '../support/api.ts';
import { inProcess, test } from '../support/api-test.ts';
import {
  createStream,
  nextOffset,
  publish,
  readMessages,
  STREAM,
  told,
} from '../support/publish-steps.ts';

const localTest = inProcess('its hand on the clock');

const NDJSON = 'application/x-ndjson';
const OBJECTS = 'application/vnd.varve.messages+ndjson';

const send = (api: Api, body: string | Uint8Array, type?: string) =>
  api.call(`POST ${STREAM}/messages`, {
    body,
    headers: type === undefined ? {} : { 'content-type': type },
  });

describe('lines', () => {
  test.for([
    ['no final line end', '1\n2', [1, 2]],
    ['a final line end', '1\n2\n', [1, 2]],
    ['CR LF', '1\r\n2\r\n', [1, 2]],
    ['CR LF and no final line end', '{"a":1}\r\n[2]', [{ a: 1 }, [2]]],
    ['spaces around a value', ' 1 \n\t2', [1, 2]],
  ] as const)('P10: are messages, without their ends: %s', async ([, body, bodies], { api }) => {
    await createStream(api);

    expect(told(await send(api, body, NDJSON))).toMatchObject({ status: 200, stored: 2 });
    expect((await readMessages(api)).map(({ json }) => json)).toEqual(bodies);
  });

  test('P10: are stored verbatim', async ({ api }) => {
    await createStream(api);
    await send(api, '{ "a" : 1.10 , "a":2 }\r\n\t1e2 \n', NDJSON);
    const page = (await api.call(`GET ${STREAM}/messages`)).text;

    expect(page).toContain('"json":{ "a" : 1.10 , "a":2 }}');
    expect(page).toContain('"json":\t1e2 }');
  });

  test.for([
    ['an empty line between others', '1\n\n2\n', 'line 2'],
    ['a line of CR only', '1\n\r\n2\n', 'line 2'],
    ['an empty line at the start', '\n1\n', 'line 1'],
    ['two line ends at the end', '1\n2\n\n', 'line 3'],
    ['a line feed alone', '\n', 'line 1'],
    ['nothing', '', 'messages'],
    ['a line that is no JSON', '1\n2\n{bad\n', 'line 3'],
    ['two values in a line', '1 2\n', 'line 1'],
    ['a value over two lines', '{"a":\n1}\n', 'line 1'],
  ] as const)('P10: are refused by their number: %s', async ([, body, field], { api }) => {
    await createStream(api);

    expect(told(await send(api, body, NDJSON))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      field,
    });
    expect(await nextOffset(api)).toBe(0);
  });

  test('P10: that are no UTF-8 are refused by their number', async ({ api }) => {
    await createStream(api);
    const body = Uint8Array.of(0x31, 0x0a, 0x22, 0xff, 0x22, 0x0a);

    expect(told(await send(api, body, NDJSON))).toMatchObject({ status: 400, field: 'line 2' });
    expect(await nextOffset(api)).toBe(0);
  });

  test('take their options as parameters', async ({ api }) => {
    await createStream(api);
    const line = `POST ${STREAM}/messages?publisher=p&publishing_id=7&epoch=1&expected_offset=0`;
    const call = { body: '1\n2\n', headers: { 'content-type': NDJSON } };

    expect((await api.call(line, call)).json()).toMatchObject({ stored: 2, start: 0 });
    expect((await api.call(line, call)).json()).toMatchObject({ duplicates: 2, start: 0 });
    const keyed = await api.call(`POST ${STREAM}/messages?key=k`, call);
    expect(told(keyed)).toMatchObject({ status: 400, code: 'invalid_request', field: 'key' });
  });
});

describe('lines of message objects', () => {
  const message = {
    json: { a: 1 },
    content_type: 'application/vnd.x+json',
    key: 'k\u0000é',
    routing_key: '',
    headers: { n: 1, s: 'x', 'x-stream-filter-value': 'a,b', CC: ['c'] },
    properties: { message_id: 'm', priority: 3, expiration: '60000', timestamp: 0 },
  };

  localTest(
    'P10: that a read gave can be published elsewhere, and are the same',
    async ({ api }) => {
      await createStream(api);
      const digits = '{"n":9007199254740993,"f":1.10}';
      await publish(api, [message, { text: 'a\r\nb' }, { base64: '/w==' }, { text: '' }]);
      await send(api, `{"json":${digits},"headers":${digits}}\n`, OBJECTS);
      const lines = (await api.call(`GET ${STREAM}/messages?as=ndjson`)).text;

      await api.clock.advance(7);
      const copied = await api.call('POST /v1/streams/t/messages?create=true', {
        body: lines,
        headers: { 'content-type': OBJECTS },
      });
      expect(told(copied)).toMatchObject({ status: 200, stored: 5, timestamp: api.clock.nowMs() });
      const original = await readMessages(api);
      const copies = await readMessages(api, '/v1/streams/t');
      const timestamp = api.clock.nowMs();
      expect(copies).toEqual(original.map((each) => ({ ...each, timestamp })));
      expect(original[0]).toEqual({ offset: 0, timestamp: timestamp - 7, ...message });
      const page = (await api.call('GET /v1/streams/t/messages?from=4')).text;
      expect(page).toContain(`"json":${digits},"headers":${digits}}`);
    },
  );

  test('P10: what only reads give is ignored, whatever its value', async ({ api }) => {
    await createStream(api);
    const given = { offset: 'x', timestamp: -1, attempt: null, delays: [], redelivered: 1e300 };

    expect((await publish(api, [{ text: 'a', ...given }])).status).toBe(200);
    const line = JSON.stringify({ text: 'b', ...given });
    expect((await send(api, line, OBJECTS)).status).toBe(200);
    const timestamp = api.timeNow();
    expect(await readMessages(api)).toEqual([
      { offset: 0, timestamp, text: 'a' },
      { offset: 1, timestamp, text: 'b' },
    ]);
  });

  test.for([
    ['no JSON', '{"text":"a"}\n{"text":"b"}\n{"text"\n', 'line 3'],
    ['no object', '{"text":"a"}\n"b"\n', 'line 2'],
    ['no body', '{"text":"a"}\n{"text":"b"}\n{}\n', 'line 3'],
    ['an unknown member', '{"text":"a","ofset":1}\n', 'line 1.ofset'],
  ] as const)('P10: are refused by their number: %s', async ([, body, field], { api }) => {
    await createStream(api);

    expect(told(await send(api, body, OBJECTS))).toMatchObject({ status: 400, field });
    expect(await nextOffset(api)).toBe(0);
  });
});

describe('a raw body', () => {
  test.for([
    ['a form', 'application/x-www-form-urlencoded', 'a=1&b=%20'],
    ['no type', undefined, 'a=1&b=%20'],
    ['what looks like an envelope', undefined, '{"messages": []}'],
    ['nothing', undefined, ''],
    ['nothing, as text', 'text/plain; charset=utf-8', ''],
  ] as const)(
    'P10: is one text message with exactly these characters: %s',
    async ([, type, text], { api }) => {
      await createStream(api);

      expect(told(await send(api, text, type))).toMatchObject({ status: 200, stored: 1 });
      expect(await readMessages(api)).toEqual([{ offset: 0, timestamp: api.timeNow(), text }]);
    },
  );

  test('P10: keeps its type, and takes key, routing key and headers', async ({ api }) => {
    await createStream(api);
    const body = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 0xff);
    await api.call(`POST ${STREAM}/messages?key=k%C3%A9&routing_key=quake.ak`, {
      body,
      headers: {
        'content-type': 'image/png',
        'varve-header-x-geo-lat': '61.2',
        'Varve-Header-Name': Buffer.from('né').toString('latin1'),
        'varve-header-x-death': 'forged',
        'varve-header-__proto__': 'kept',
      },
    });

    const [message, ...others] = await readMessages(api);
    expect(others).toEqual([]);
    expect({ ...message, headers: Object.entries(message?.['headers'] ?? {}).sort() }).toEqual({
      offset: 0,
      timestamp: api.timeNow(),
      base64: Buffer.from(body).toString('base64'),
      content_type: 'image/png',
      key: 'ké',
      routing_key: 'quake.ak',
      headers: [
        ['__proto__', 'kept'],
        ['name', 'né'],
        ['x-geo-lat', '61.2'],
      ],
    });
  });

  test.for([
    ['an object', '{ "magnitude": 5.10 }', 'json'],
    ['an envelope', '{"messages":[]}', 'json'],
    ['no JSON', '{bad', 'text'],
  ] as const)('P10: is JSON with raw=true: %s', async ([, body, kind], { api }) => {
    await createStream(api);
    const headers = { 'content-type': 'application/json' };
    await api.call(`POST ${STREAM}/messages?raw=true`, { body, headers });
    const page = (await api.call(`GET ${STREAM}/messages`)).text;

    const shown = kind === 'json' ? body : JSON.stringify(body);
    const type = kind === 'json' ? '' : ',"content_type":"application/json"';
    expect(page).toContain(`"${kind}":${shown}${type}}],"next":1`);
  });

  test.for(['text', 'a/', '/b', 'a b', `a/${'b'.repeat(254)}`, 'a/b\u00e9'])(
    'P10: is refused with a type that is none: %s',
    async (type, { api }) => {
      await createStream(api);

      expect(told(await send(api, 'x', type))).toMatchObject({
        status: 400,
        code: 'invalid_request',
        field: 'the message.content_type',
      });
      expect(await nextOffset(api)).toBe(0);
    },
  );
});

test('P10: x-death and x-first-death-… are dropped, all else of the headers is kept', async ({
  api,
}) => {
  await createStream(api);
  const written = '{ "a" : 1.10, "x-death":[{"count":1}], "x-first-death-queue":"q", "b":"x\\n" }';
  await send(api, `{"text":"a","headers":${written}}`, OBJECTS);
  await publish(api, [{ text: 'b', headers: { 'x-death': 1 } }]);
  const page = (await api.call(`GET ${STREAM}/messages`)).text;

  expect(page).toContain('"text":"a","headers":{"a":1.10,"b":"x\\n"}}');
  expect(page).toContain('"text":"b"}]');
});
