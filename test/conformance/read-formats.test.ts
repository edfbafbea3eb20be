/** The formats of reading: how one is chosen, and that all of them give the same. */
import { describe, expect } from 'vitest';
import { decodeFrames, MESSAGES_TYPE } from '../../lib/wire/frame.ts';
import { decodeRecord } from '../../lib/wire/record.ts';
import { VarintReader } from '../../lib/wire/varint.ts';
import type { Api } from '../support/api.ts';
import { inProcess, test } from '../support/api-test.ts';
import { createStream, numbered, publish, STREAM, texts, told } from '../support/publish-steps.ts';
import { pageOf, publishEach, type Query, read, readPage, trim } from '../support/read-steps.ts';

const localTest = inProcess('its hand on the clock');

const TYPES = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  sse: 'text/event-stream',
  text: 'text/plain; charset=utf-8',
  binary: MESSAGES_TYPE,
  cloudevents: 'application/cloudevents-batch+json',
} as const;
const FORMATS = ['json', 'ndjson', 'sse', 'text', 'binary', 'cloudevents'] as const;

const readAs = (api: Api, accept: string, query = 'limit=1') =>
  api.call(`GET ${STREAM}/messages?${query}`, { headers: { accept } });

describe('the format', () => {
  test.for([
    ['*/*', 'json'],
    ['', 'json'],
    ['application/json;q=0.5, text/event-stream', 'sse'],
    ['text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8', 'json'],
    ['application/*', 'json'],
    ['application/x-ndjson', 'ndjson'],
    ['APPLICATION/X-NDJSON; q=0.3', 'ndjson'],
    ['text/plain', 'text'],
    ['text/plain;charset=utf-8', 'text'],
    [MESSAGES_TYPE, 'binary'],
    ['application/cloudevents-batch+json', 'cloudevents'],
    ['application/json;q=0, */*;q=0.1', 'ndjson'],
  ] as const)('for Accept %j is %s', async ([accept, format], { api }) => {
    await createStream(api);
    await publishEach(api, 1);
    const answer = await readAs(api, accept);

    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe(TYPES[format]);
  });

  test('without Accept is JSON', async ({ api }) => {
    await createStream(api);

    expect((await read(api)).headers.get('content-type')).toBe('application/json');
  });

  test.for(FORMATS)('is what as=%s says, whatever Accept says', async (format, { api }) => {
    await createStream(api);
    await publishEach(api, 1);
    for (const accept of ['image/png', 'application/json', 'text/event-stream']) {
      const answer = await readAs(api, accept, `limit=1&as=${format}`);
      expect(answer.headers.get('content-type')).toBe(TYPES[format]);
    }
  });

  test.for(['image/png', 'application/json;q=0', 'text/html', 'application/cloudevents+json'])(
    'for Accept %s is none',
    async (accept, { api }) => {
      await createStream(api);

      expect(told(await readAs(api, accept))).toMatchObject({
        status: 406,
        code: 'not_acceptable',
        field: 'Accept',
      });
    },
  );
});

/** The bodies in an answer, as text, whatever the format. */
const BODIES: {
  readonly [Format in (typeof FORMATS)[number]]: (text: string, bytes: Uint8Array) => unknown[];
} = {
  json: (text) => JSON.parse(text).messages.map((message: { text: string }) => message.text),
  ndjson: (text) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).text),
  sse: (text) =>
    JSON.parse(/^data: (\{.*"messages".*)$/m.exec(text)?.[1] ?? '').messages.map(
      (message: { text: string }) => message.text,
    ),
  text: (text) => text.trimEnd().split('\n'),
  binary: (_text, bytes) =>
    decodeFrames(bytes).flatMap(({ count, records }) => {
      const reader = new VarintReader(records);
      return Array.from({ length: count }, () => Buffer.from(decodeRecord(reader).body).toString());
    }),
  cloudevents: (text) => JSON.parse(text).map((event: { data: string }) => event.data),
};

const SITUATIONS: readonly [string, Query][] = [
  ['from first', {}],
  ['behind a gap', { from: 1 }],
  ['in the middle', { from: 5 }],
  ['counted back', { from: -3 }],
];

describe.for(FORMATS)('as %s', (format) => {
  test.for(SITUATIONS)('O13 O15: %s: the same messages and facts', async ([, query], { api }) => {
    await createStream(api);
    await publish(api, numbered(4));
    await publish(api, texts('ä', '🜁', 'x', 'y', 'z'));
    await trim(api, 3);
    // A limit that the tail is reached with ends an event stream too.
    const page = await readPage(api, query);
    const answer = await read(api, { ...query, as: format, limit: page.messages.length });
    const { headers } = answer;
    const header = (name: string) => headers.get(`varve-${name}`);

    expect(BODIES[format](answer.text, answer.bytes)).toEqual(
      page.messages.map(({ text }) => text),
    );
    expect({
      next: header('next'),
      first: header('first'),
      tail: header('tail'),
      upToDate: header('up-to-date'),
      streamId: header('stream-id'),
      resolved: header('resolved'),
      gap: header('gap'),
      clamped: header('clamped'),
    }).toEqual({
      next: '9',
      first: '3',
      tail: '9',
      upToDate: 'true',
      streamId: page.stream_id,
      resolved: JSON.stringify(page.resolved),
      gap: page.gap === undefined ? null : JSON.stringify(page.gap),
      clamped: null,
    });
  });

  test('O6: an offset above next is said to be clamped in a header', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 2);
    const answer = await api.open(`GET ${STREAM}/messages?from=7&as=${format}`);
    await answer.body?.cancel();

    expect(answer.headers.get('varve-clamped')).toBe('true');
    expect(answer.headers.get('varve-gap')).toBeNull();
    expect(answer.headers.get('varve-next')).toBe('2');
  });

  test('O15: is not kept by caches, which are told what it depends on', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 1);
    const { headers } = await read(api, { as: format, limit: 1 });

    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('vary')).toBe('Accept, Accept-Encoding, Authorization');
  });
});

describe('Varve-Next', () => {
  test('LR3 O15: of an event stream is where its limit ends', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 10);
    const open = async (query: string, after?: string) => {
      const headers = after === undefined ? {} : { 'last-event-id': after };
      const answer = await api.open(`GET ${STREAM}/messages?as=sse${query}`, { headers });
      await answer.body?.cancel();
      return [answer.headers.get('varve-next'), answer.headers.get('varve-up-to-date')];
    };

    expect(await open('')).toEqual(['10', 'true']);
    expect(await open('&limit=4')).toEqual(['4', 'false']);
    expect(await open('&limit=20')).toEqual(['10', 'true']);
    expect(await open('&limit=4', '1,2,2')).toEqual(['4', 'false']);
    expect(await open('&limit=4', '5,6,6')).toEqual(['6', 'false']);
  });
});

test('P10: text is the bodies alone, each ended by a line feed', async ({ api }) => {
  await createStream(api);
  await publish(api, [{ text: 'a' }, { json: { b: 1.1 } }, { text: '' }, { base64: 'AP8=' }]);

  const { bytes } = await read(api, { as: 'text' });
  expect(Buffer.from(bytes)).toEqual(Buffer.from('a\n{"b":1.1}\n\n\x00\xff\n', 'latin1'));
});

localTest(
  'P10 O13: binary gives the records with offset and time of each chunk',
  async ({ api }) => {
    await createStream(api);
    await publishEach(api, 3);
    await api.clock.advance(7);
    await publishEach(api, 2);
    const { bytes } = await read(api, { as: 'binary', from: 1, limit: 3 });
    const timestampMs = api.clock.nowMs();

    expect(decodeFrames(bytes).map(({ count, position }) => ({ count, position }))).toEqual([
      { count: 2, position: { base: 1, timestampMs: timestampMs - 7 } },
      { count: 1, position: { base: 3, timestampMs } },
    ]);
  },
);

test('O15: HEAD is answered as GET is, without a body', async ({ api }) => {
  await createStream(api);
  await publishEach(api, 2);
  for (const format of FORMATS) {
    const [head, got] = [
      await api.call(`HEAD ${STREAM}/messages?limit=2&as=${format}`),
      await api.call(`GET ${STREAM}/messages?limit=2&as=${format}`),
    ];
    expect(head.status).toBe(200);
    expect(head.bytes).toHaveLength(0);
    for (const name of ['content-type', 'varve-next', 'varve-stream-id']) {
      expect(head.headers.get(name)).toBe(got.headers.get(name));
    }
  }
  expect(pageOf(await read(api)).messages).toHaveLength(2);
});
