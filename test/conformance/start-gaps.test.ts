/** Where a reader starts on a stream of which [501, 901) is left, and what it is told about the rest. */
import { describe, expect } from 'vitest';
import type { Api } from '../support/api.ts';
import { test } from '../support/api-test.ts';
import { openEvents } from '../support/event-reader.ts';
import { createStream, told } from '../support/publish-steps.ts';
import {
  pageOf,
  publishEach,
  type Query,
  queryText,
  read,
  readPage,
  resolve,
  retained,
  trim,
} from '../support/read-steps.ts';

const gap = (requested: number) => ({
  requested,
  first_available: 501,
  missing: 501 - requested,
});

/** The same question in every form that a page can be asked for. */
const FORMS: readonly [string, (api: Api, query: Query) => Promise<Record<string, unknown>>][] = [
  ['a read', async (api, query) => told(await read(api, query))],
  [
    'a read by POST',
    async (api, query) => told(await api.call('POST /v1/streams/s/read', { body: query })),
  ],
  ['its offset', resolve],
  [
    'an event stream',
    async (api, query) =>
      told(await api.call(`GET /v1/streams/s/messages?as=sse&${queryText(query)}`)),
  ],
];

describe('a number below first', () => {
  test.for([
    [100, 100],
    [500, 500],
    [1, 1],
    [0, 0],
    ['-0', 0],
  ] as const)('O5: %s starts at first and names what is missing', async ([from, n], { api }) => {
    await retained(api, 501, 901);

    expect(await readPage(api, { from, limit: 1 })).toEqual({
      messages: [{ offset: 501, timestamp: api.timeNow(), text: '501' }],
      next: 502,
      first: 501,
      tail: 901,
      up_to_date: false,
      resolved: { from: `${from}`, offset: 501, why: 'the offset asked for' },
      gap: gap(n),
      stream_id: expect.any(String),
      poll_after_ms: 0,
    });
    expect(await resolve(api, { from })).toEqual({
      status: 200,
      resolved: { from: `${from}`, offset: 501, why: 'the offset asked for' },
      gap: gap(n),
      first: 501,
      next: 901,
      stream_id: expect.any(String),
    });
  });

  test.for(FORMS)('O5: %s with on_gap=error is refused, each time', async ([, ask], { api }) => {
    await retained(api, 501, 901);
    const refused = {
      status: 410,
      code: 'offset_trimmed',
      first_available: 501,
      missing: 401,
      retryable: false,
    };

    for (const _time of [1, 2, 3]) {
      const answer = await ask(api, { from: '100', on_gap: 'error' });
      expect(answer).toMatchObject(refused);
      expect(answer).not.toHaveProperty('messages');
    }
    expect(await ask(api, { from: '0', on_gap: 'error' })).toMatchObject({ status: 410 });
  });
});

describe('no gap is told', () => {
  test.for([
    ['O1: at first', 'first', 501],
    ['O2: at the newest chunk', 'last', 900],
    ['O4: at the number of the first', '501', 501],
    ['O7: for a count that goes below it', '-1000', 501],
    ['O7: for the smallest count', '-9223372036854775808', 501],
    ['O8: for a time before it', 'ts:2020-01-01T00:00:00Z', 501],
    ['O9: for a time long ago', 'ago:10Y', 501],
  ] as const)('%s', async ([, from, start], { api }) => {
    await retained(api, 501, 901);
    const page = await readPage(api, { from, limit: 1, on_gap: 'error' });

    expect(page).toMatchObject({ messages: [{ offset: start }], resolved: { offset: start } });
    expect(page).not.toHaveProperty('gap');
    expect(await resolve(api, { from })).not.toHaveProperty('gap');
  });
});

describe('a number above next', () => {
  test('O6: next itself is no future', async ({ api }) => {
    await retained(api, 501, 901);
    const page = await readPage(api, { from: 901, on_future: 'error' });

    expect(page).toMatchObject({ messages: [], next: 901, resolved: { offset: 901 } });
    expect(page).not.toHaveProperty('clamped');
  });

  test.for([902, 950, Number.MAX_SAFE_INTEGER])('O6: %d is clamped', async (from, { api }) => {
    await retained(api, 501, 901);

    expect(await resolve(api, { from })).toMatchObject({
      resolved: { from: `${from}`, offset: 901 },
      clamped: true,
    });
    expect(await readPage(api, { from })).toMatchObject({ next: 901, clamped: true });
  });

  test.for(FORMS)('O6: %s with on_future=error is refused', async ([, ask], { api }) => {
    await retained(api, 501, 901);

    expect(await ask(api, { from: '902', on_future: 'error' })).toMatchObject({
      status: 416,
      code: 'offset_past_tail',
      next: 901,
      retryable: true,
    });
  });
});

test('O5: a gap comes first on an event stream, then what is left', async ({ api }) => {
  await retained(api, 501, 901);
  const events = await openEvents(api, { from: 100, limit: 1 });

  expect(await events.rest()).toEqual([
    { id: '500,0,0', event: 'gap', data: gap(100) },
    {
      id: '501,1,3',
      event: 'batch',
      data: { messages: [expect.objectContaining({ offset: 501 })], next: 502, tail: 901 },
    },
    { id: '501,1,3', data: '[DONE]' },
  ]);
});

test('O5 T11: everything may be missing', async ({ api }) => {
  await createStream(api);
  await publishEach(api, 5);
  await trim(api, 5);

  expect(pageOf(await read(api, { from: 2 }))).toMatchObject({
    messages: [],
    next: 5,
    first: 5,
    tail: 5,
    up_to_date: true,
    gap: { requested: 2, first_available: 5, missing: 3 },
  });
});
