/** Where a reader starts on a stream that nothing was dropped from, asked and read. */
import { describe, expect } from 'vitest';
import { test } from '../support/api-test.ts';
import { openEvents } from '../support/event-reader.ts';
import { settle } from '../support/manual-clock.ts';
import { createStream, numbered, publish, STREAM } from '../support/publish-steps.ts';
import { offsetsOf, publishEach, range, readPage, resolve, trim } from '../support/read-steps.ts';

const ID = expect.stringMatching(/^[0-9a-f]{32}$/);

describe('an empty stream', () => {
  test.for([
    ['O1: first', 'first', 'first retained message'],
    ['O2: last', 'last', 'start of the newest chunk'],
    ['O3: next', 'next', 'only messages published after this request'],
    ['O6: 0', '0', 'the offset asked for'],
    ['O7: -100', '-100', '100 before the end'],
    ['O8: a day ahead', 'ts:2026-11-30T10:00:00Z', 'first message at or after 1796032800000'],
    ['O9: the last hour', 'ago:1h', 'first message at or after 1h ago'],
  ] as const)('%s is 0, without remark', async ([, from, why], { api }) => {
    await createStream(api);
    const resolved = { from, offset: 0, why };
    const answer = { resolved, first: 0, next: 0, stream_id: ID, status: 200 };

    expect(await resolve(api, { from })).toEqual(answer);
    expect(await readPage(api, { from })).toEqual({
      messages: [],
      next: 0,
      first: 0,
      tail: 0,
      up_to_date: true,
      resolved,
      stream_id: ID,
      poll_after_ms: 1_000,
    });
  });

  test('O6: 1000 is 0, and said to be clamped', async ({ api }) => {
    await createStream(api);

    expect(await resolve(api, { from: 1_000 })).toMatchObject({
      resolved: { offset: 0 },
      clamped: true,
    });
    expect(await readPage(api, { from: 1_000 })).toMatchObject({ next: 0, clamped: true });
  });

  test('O7: -100 waits, and gives the message that comes', async ({ api }) => {
    await createStream(api);
    const page = readPage(api, { from: -100, wait: 20 });
    await settle();
    await publish(api, numbered(1));

    expect(await page).toMatchObject({ messages: [{ offset: 0 }], next: 1, tail: 1 });
  });
});

describe('one request of two messages', () => {
  test.for([
    ['O1: first', 'first', 0],
    ['O2: last is its first message', 'last', 0],
    ['O3: next', 'next', 2],
    ['O4: 0', '0', 0],
    ['O4: 1', '1', 1],
    ['O6: 2', '2', 2],
    ['O8: far ahead', 'ts:2100-01-01T00:00:00Z', 2],
  ] as const)('%s', async ([, from, start], { api }) => {
    await createStream(api);
    await publishEach(api, 2);

    expect(await resolve(api, { from })).toMatchObject({ resolved: { from, offset: start } });
    expect(offsetsOf(await readPage(api, { from }))).toEqual(range(start, 2));
  });

  test('O11: without a position it is first, and the answer says so', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 2);
    const resolved = { from: 'first', offset: 0, why: 'the default' };

    expect(await resolve(api, {})).toMatchObject({ resolved });
    expect(await readPage(api)).toMatchObject({ resolved, messages: [{}, {}] });
  });
});

describe('the newest chunk', () => {
  test('O2: is the last request, however many messages it had', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 3, 2, 1);
    expect(await resolve(api, { from: 'last' })).toMatchObject({ resolved: { offset: 5 } });

    await publishEach(api, 4);
    expect(await resolve(api, { from: 'last' })).toMatchObject({ resolved: { offset: 6 } });
    expect(offsetsOf(await readPage(api, { from: 'last' }))).toEqual([6, 7, 8, 9]);
  });

  test('O2: is followed by what is published later', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 6, 4);
    const events = await openEvents(api, { from: 'last' });

    expect(await events.take(2)).toMatchObject([
      { event: 'batch', data: { messages: [6, 7, 8, 9].map((offset) => ({ offset })) } },
      { event: 'ping', data: { next: 10 } },
    ]);
    await publishEach(api, 1);
    expect(await events.next()).toMatchObject({ data: { messages: [{ offset: 10 }] } });
  });

  test('O2 D2: is not moved by a repeat, which stores nothing', async ({ api }) => {
    await createStream(api);
    const named = { publisher: 'p', publishing_id: 1 };
    await publish(api, numbered(3), named);
    await publishEach(api, 1);
    expect((await publish(api, numbered(3), named)).json()).toMatchObject({ duplicates: 3 });

    expect(await resolve(api, { from: 'last' })).toMatchObject({ resolved: { offset: 3 } });
  });

  test('O1 O2 O3 T11: is cut by a trim inside it, and gone with one behind it', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 4, 4);
    const starts = async () =>
      await Promise.all(['first', 'last', 'next'].map((from) => resolve(api, { from })));
    const at = (offset: number) => expect.objectContaining({ offset });

    await trim(api, 6);
    expect((await starts()).map(({ resolved }) => resolved)).toEqual([at(6), at(6), at(8)]);
    await trim(api, 8);
    expect((await starts()).map(({ resolved }) => resolved)).toEqual([at(8), at(8), at(8)]);
  });
});

test('O4 O13: every offset is met exactly, wherever its chunk begins', async ({ api }) => {
  await createStream(api);
  for (let first = 0; first < 1_000; first += 32) {
    await publish(api, numbered(Math.min(32, 1_000 - first), first));
  }
  const given: unknown[] = [];
  for (const from of range(0, 1_000)) {
    const { messages, resolved } = await readPage(api, { from, limit: 1 });
    given.push([resolved.offset, messages]);
  }

  expect(given).toEqual(
    range(0, 1_000).map((n) => [n, [{ offset: n, timestamp: api.timeNow(), text: `${n}` }]]),
  );
});

describe('counting from the end', () => {
  test.for([
    [200, -100, 100],
    [30, -100, 0],
    [5, -3, 2],
    [5, -1, 4],
    [5, -5, 0],
    [5, -6, 0],
    [5, '-9223372036854775808', 0],
    [5, '-0', 0],
  ] as const)('O7: of %d messages, %s starts at %d', async ([count, from, start], { api }) => {
    await createStream(api);
    await publishEach(api, count);
    const page = await readPage(api, { from });

    expect(offsetsOf(page)).toEqual(range(start, count));
    expect(page).not.toHaveProperty('gap');
  });

  test('O7: goes on with what is published later', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 5);
    const { next } = await readPage(api, { from: -3 });
    await publishEach(api, 1);

    expect(offsetsOf(await readPage(api, { from: next }))).toEqual([5]);
  });
});

test('O6: a reader of the future is given the next message, not the one it asked for', async ({
  api,
}) => {
  await createStream(api);
  await publishEach(api, 10);
  const page = readPage(api, { from: 1_000, wait: 20 });
  await settle();
  await publishEach(api, 1);

  expect(await page).toMatchObject({
    messages: [{ offset: 10 }],
    next: 11,
    resolved: { from: '1000', offset: 10 },
    clamped: true,
  });
});

test('O3: next is what is published after the request', async ({ api }) => {
  await createStream(api);
  await publishEach(api, 3);
  const page = await readPage(api, { from: 'next' });
  expect(page).toMatchObject({ messages: [], next: 3 });

  await publishEach(api, 2);
  expect(offsetsOf(await readPage(api, { from: page.next }))).toEqual([3, 4]);
});

test('O15: at the end an answer says where to go on, and that it is there', async ({ api }) => {
  await createStream(api);
  await publishEach(api, 3);

  expect(await readPage(api, { from: 3 })).toEqual({
    messages: [],
    next: 3,
    first: 0,
    tail: 3,
    up_to_date: true,
    resolved: { from: '3', offset: 3, why: 'the offset asked for' },
    stream_id: ID,
    poll_after_ms: 1_000,
  });
  expect(await readPage(api, { from: 0, limit: 2 })).toMatchObject({
    next: 2,
    tail: 3,
    up_to_date: false,
    poll_after_ms: 0,
  });
});

test.for([
  'GET /v1/streams/x/offsets?from=first',
  'GET /v1/streams/x/messages',
  'POST /v1/streams/x/read',
])(
  'O17: %s of a stream that is not there is refused, and no position given',
  async (line, { api }) => {
    const answer = await api.call(line);

    expect(answer.status).toBe(404);
    expect(answer.json()).toMatchObject({ code: 'stream_not_found', stream: 'x' });
    expect(answer.headers.get('varve-next')).toBeNull();
    expect((await api.call(`GET ${STREAM}`)).status).toBe(404);
  },
);
