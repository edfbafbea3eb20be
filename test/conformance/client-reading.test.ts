/** Readers of the client library: over connections that are reset in the middle, gaps, other incarnations. */
import { describe, expect } from 'vitest';
import { connect } from '../../lib/client/connect.ts';
import type { Message } from '../../lib/client/message.ts';
import { inProcess, test } from '../support/api-test.ts';
import { all, bodies, clientOf, interceptedFetch, offsets, take } from '../support/client-api.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { listen } from '../support/listen.ts';
import { settle } from '../support/manual-clock.ts';
import { encodeBatch } from '../support/publish-formats.ts';
import { createStream, numbered, publish, STREAM, texts } from '../support/publish-steps.ts';
import { publishEach, range, retained, trim } from '../support/read-steps.ts';
import { seededRandom } from '../support/seeded-random.ts';

const localTest = inProcess('its hand on the clock');
const pulledTest = inProcess('nothing between it and the API');

const RETRY = { attempts: 200, firstMs: 1, maxMs: 5 };

describe('a reader of pages', () => {
  localTest(
    'O13 O16: whose connections are reset in the middle gets every message once, in order',
    async ({ api }) => {
      await createStream(api);
      for (const first of range(0, 40)) await publish(api, numbered(50, first * 50));
      await using server = await listen(api);
      const random = seededRandom(16);
      await using proxy = await startCuttingProxy({
        port: server.port,
        cutAfter: () => Math.floor(random() * 3_000),
      });
      const client = connect({ url: proxy.url, retry: RETRY, random });
      const messages = await all(client.read({ stream: 's', from: 0, pageBytes: 500 }));

      expect(proxy.cuts()).toBeGreaterThan(5);
      expect(offsets(messages)).toEqual(range(0, 2_000));
      expect(bodies(messages)).toEqual(range(0, 2_000).map(String));
    },
  );

  test('O5: is refused a start that is no longer there, unless it asks to be told', async ({
    api,
  }) => {
    await retained(api, 20, 30);
    const client = clientOf(api);
    const gaps: object[] = [];

    await expect(all(client.read({ stream: 's', from: 5 }))).rejects.toMatchObject({
      code: 'offset_trimmed',
      status: 410,
      details: { first_available: 20, missing: 15 },
    });
    const messages = await all(
      client.read({ stream: 's', from: 5, onGap: (gap) => gaps.push(gap) }),
    );
    expect(offsets(messages)).toEqual(range(20, 30));
    expect(gaps).toEqual([{ requested: 5, firstAvailable: 20, missing: 15 }]);
  });

  test('O16: that is overtaken is told at the place where it happened', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 10, 10, 10);
    const told: (number | string)[] = [];
    const reading = clientOf(api).read({
      stream: 's',
      pageBytes: 5,
      onGap: ({ missing }) => told.push(`${missing} missing`),
    });
    // One page is used and one has been asked for, when the rest goes.
    for await (const { offset } of reading) {
      told.push(offset);
      if (offset === 0) await trim(api, 25);
    }

    expect(told).toEqual([...range(0, 10), '15 missing', ...range(25, 30)]);
  });

  test('O15: never goes on in another stream of that name', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 10, 10);
    const reading = clientOf(api).read({ stream: 's', pageBytes: 1 });
    await take(reading, 1);
    // The next page is on its way: a reader that meets the deletion itself is told of that.
    await settle();
    await api.call(`DELETE ${STREAM}`);
    await createStream(api);
    await publishEach(api, 30);

    await expect(all(reading)).rejects.toMatchObject({ code: 'stream_recreated', status: 409 });
  });

  test('O16: is told of a page that fails when it comes to it, and not before', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 2, 2);
    const fetch = interceptedFetch(api, (_call, number) =>
      number === 1
        ? Response.json({ code: 'corrupt_data', message: '' }, { status: 500 })
        : undefined,
    );
    const reading = clientOf(api, { fetch }).read({ stream: 's', pageBytes: 2 });
    const seen = await take(reading, 1);
    await settle();
    seen.push(...(await take(reading, 1)));

    expect(offsets(seen)).toEqual([0, 1]);
    await expect(reading.next()).rejects.toMatchObject({ code: 'corrupt_data' });
  });

  test('O6: begins at the end when it asks for the future, unless that is to be an error', async ({
    api,
  }) => {
    await createStream(api);
    await publishEach(api, 3);
    const client = clientOf(api);

    expect(await all(client.read({ stream: 's', from: 9 }))).toEqual([]);
    const strict = client.read({ stream: 's', from: 9, onFuture: 'error' });
    await expect(all(strict)).rejects.toMatchObject({ code: 'offset_past_tail', status: 416 });
  });

  test('O6 O15: asks for what is behind it in this stream, and is never moved back', async ({
    api,
  }) => {
    await createStream(api);
    await publishEach(api, 2, 2);
    const calls: URLSearchParams[] = [];
    const fetch = interceptedFetch(api, (call) => {
      calls.push(new URLSearchParams(call.replace(/^.*\?/, '')));
      return undefined;
    });
    const following = clientOf(api, { fetch }).follow({ stream: 's', pageBytes: 2 });
    await take(following, 4);
    await following.return();

    const asked = (name: string) => calls.map((call) => call.get(name));
    expect(asked('from')).toEqual(['first', '2']);
    expect(asked('on_future')).toEqual(['clamp', 'error']);
    expect(asked('if_stream_id')).toEqual([null, expect.stringMatching(/^[0-9a-f]{32}$/)]);
  });

  test.for<[from: number | string, expected: readonly number[]]>([
    ['first', range(0, 12)],
    ['last', [10, 11]],
    ['next', []],
    [7, range(7, 12)],
    ['7', range(7, 12)],
    [-3, [9, 10, 11]],
    ['1h', range(0, 12)],
  ])('O1 O2 O3 O4 O7 O9: starts at %s', async ([from, expected], { api }) => {
    await createStream(api);
    await publishEach(api, 10, 2);

    expect(offsets(await all(clientOf(api).read({ stream: 's', from })))).toEqual(expected);
  });

  localTest('LR4: reads up to a limit, and up to a time', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 10, 10);
    api.clock.set(api.clock.nowMs() + 5_000);
    const until = api.clock.nowMs();
    await publishEach(api, 10);
    const client = clientOf(api);
    const read = async (options: object) =>
      offsets(await all(client.read({ stream: 's', pageBytes: 15, ...options })));

    expect(await read({ limit: 13, from: 4 })).toEqual(range(4, 17));
    expect(await read({ until })).toEqual(range(0, 20));
    expect(await read({ until, limit: 12 })).toEqual(range(0, 12));
    expect(await read({ limit: 0 })).toEqual([]);
  });
});

const JSON_TYPE = 'application/json';
const ODD_BODIES: readonly [contentType: string, body: string | Uint8Array][] = [
  [JSON_TYPE, '123456789012345678901234567890'],
  [JSON_TYPE, '{"a" : 1.0,"a":2e2}'],
  [JSON_TYPE, '"\\ud800\\u0000"'],
  [JSON_TYPE, '{\r\n"a": 1}'],
  [JSON_TYPE, '{bad'],
  ['application/vnd.x+json', '[]'],
  ['text/plain; charset=utf-8', ''],
  ['text/plain; charset=utf-8', 'a\r\nb'],
  ['text/plain; charset=utf-8', '\u{feff}x\u{1f701}"\\'],
  ['text/csv', Uint8Array.of(0xff, 0x00)],
  ['image/png', Uint8Array.of(0x00, 0xff, 0x80)],
  ['application/octet-stream', ''],
];

pulledTest('P10: what was published is read byte for byte, by pages and live', async ({ api }) => {
  await createStream(api);
  const utf8 = (text: string) => new TextEncoder().encode(text);
  const sent = ODD_BODIES.map(([contentType, body]) => ({
    contentType,
    body: typeof body === 'string' ? utf8(body) : body,
    key: utf8('\u{feff}ключ'),
    routingKey: utf8(''),
    headers: utf8('{"n":1.00,"\\u0061":[1, 2],"x":12345678901234567890}'),
    properties: utf8('{"type":"t"}'),
  }));
  const published = new Uint8Array(encodeBatch(sent));
  const client = clientOf(api);
  const following = client.follow({ stream: 's', from: 'next' });
  const live = take(following, sent.length);
  await api.call(`POST ${STREAM}/messages`, {
    headers: { 'content-type': 'application/vnd.varve.messages' },
    body: published,
  });
  const paged = await all(client.read({ stream: 's' }));
  const lived = await live;
  await following.return();

  const expected = sent.map(({ contentType, body }, offset) => ({
    offset,
    contentType,
    body: Buffer.from(body).toString('hex'),
    key: '\u{feff}ключ',
    routingKey: '',
    headersText: '{"n":1.00,"\\u0061":[1, 2],"x":12345678901234567890}',
    headers: { n: 1, a: [1, 2], x: 12345678901234567000 },
    properties: { type: 't' },
  }));
  expect(paged.map(described)).toEqual(expected);
  expect(lived.map(described)).toEqual(expected);
});

function described(message: Message) {
  const { offset, contentType, body, key, routingKey, headersText, headers, properties } = message;
  const hex = Buffer.from(body).toString('hex');
  return { offset, contentType, body: hex, key, routingKey, headersText, headers, properties };
}

test('LR5: pages can be counted without their messages', async ({ api }) => {
  await createStream(api);
  await publish(api, texts('a', 'b', 'c'));
  const pages = await all(clientOf(api).pages({ stream: 's', limit: 2 }));

  expect(pages.map(({ start, count, next }) => ({ start, count, next }))).toEqual([
    { start: 0, count: 2, next: 2 },
  ]);
});
