/** Filters of reads: which messages are delivered, by whichever form they are asked for. */
import { describe, expect } from 'vitest';
import { encodeFrameHeader, MESSAGES_TYPE } from '../../lib/wire/frame.ts';
import { encodeRecords } from '../../lib/wire/record.ts';
import { test } from '../support/api-test.ts';
import {
  createFiltered,
  filteredOffsets,
  filterText,
  publishAll,
  readByBody,
  valued,
  walk,
} from '../support/filter-steps.ts';
import { createStream, numbered, publish, STREAM, told } from '../support/publish-steps.ts';
import { offsetsOf, pageOf, type Query, range, read, readPage } from '../support/read-steps.ts';

interface Case {
  readonly filter?: unknown;
  readonly match?: string;
  readonly match_unfiltered?: boolean;
  readonly from?: string | number;
}

const TABLE: readonly (readonly [Case, readonly number[]])[] = [
  [{ filter: 'foo' }, [1, 3, 4]],
  [{ filter: 'bar' }, [2, 3, 4]],
  [{ filter: 'foo,bar' }, [3, 4]],
  [{ filter: ' foo , bar ' }, [3, 4]],
  [{ filter: 'foo,bar', match: 'ANY' }, [1, 2, 3, 4]],
  [{ filter: 'foo,bar', match: 'All' }, [3, 4]],
  [{ filter: 'foo', match_unfiltered: true }, [0, 1, 3, 4, 5]],
  [{ filter: 'foo', match_unfiltered: false }, [1, 3, 4]],
  [{ filter: 'foo', from: 2 }, [3, 4]],
  [{ filter: 'foo', from: -2 }, [4]],
  [{ filter: 'xyz,foo' }, [4]],
  [{ filter: { 'x-foo': 'bar' } }, [3]],
  [{ filter: { 'x-stream-filter': 'foo,bar', 'x-foo': 'bar' } }, [3]],
  [{ filter: ['foo,bar', { 'x-foo': 'bar' }] }, [3]],
  [{ filter: ['xyz', { 'x-foo': 'bar' }], match: 'any' }, [3, 4]],
  [{ filter: [['foo', ['bar']], { 'x-foo': 'bar' }] }, [3]],
  [{ filter: 'nope', match_unfiltered: true, from: -1 }, [5]],
  [{ filter: { 'x-stream-filter-value': 'foo' } }, [1]],
  [{ filter: { 'x-stream-filter-value': 'foo,bar' } }, [3]],
  [{}, [0, 1, 2, 3, 4, 5]],
  [{ filter: {} }, [0, 1, 2, 3, 4, 5]],
  [{ filter: [] }, [0, 1, 2, 3, 4, 5]],
  [{ filter: [[]] }, [0, 1, 2, 3, 4, 5]],
  [{ filter: [[]], match: 'any' }, [0, 1, 2, 3, 4, 5]],
  [{ match_unfiltered: true }, [0, 1, 2, 3, 4, 5]],
];

function queryOf({ filter, match_unfiltered, from = 'first', ...rest }: Case): Query {
  return {
    from,
    ...rest,
    ...(filter !== undefined && { filter: filterText(filter) }),
    ...(match_unfiltered !== undefined && { match_unfiltered: String(match_unfiltered) }),
  };
}

describe('of six messages', () => {
  test.for(TABLE)('F1 F2 F3 F4 F5 F6 O14: %j gives %j', async ([asked, offsets], { api }) => {
    await createFiltered(api);
    const page = await readPage(api, queryOf(asked));

    expect(offsetsOf(page)).toEqual(offsets);
    expect(page).toMatchObject({ next: 6, first: 0, tail: 6, up_to_date: true });
    const { filter, ...members } = asked;
    const text = filter === undefined ? undefined : JSON.stringify(filter);
    expect(pageOf(await readByBody(api, members, text)).messages).toEqual(page.messages);
  });

  test('O15 F7: page by page each comes once, and there is an end', async ({ api }) => {
    await createFiltered(api);
    const pages = await walk(api, { from: 'first', filter: 'foo', limit: 1 });

    expect(pages.map(offsetsOf)).toEqual([[1], [3], [4], []]);
    expect(pages.map(({ next }) => next)).toEqual([2, 4, 5, 6]);
  });

  test.for(['ndjson', 'text', 'binary', 'cloudevents'])(
    'F7: as %s they are the same, and so is next',
    async (as, { api }) => {
      await createFiltered(api);
      const plain = await read(api, { filter: 'foo', as });
      const expected = await Promise.all(
        [1, 3, 4].map((from) => read(api, { from, limit: 1, as })),
      );

      expect(plain.headers.get('varve-next')).toBe('6');
      const parts = expected.map(({ text }) => (as === 'cloudevents' ? text.slice(1, -1) : text));
      const whole = as === 'cloudevents' ? `[${parts.join(',')}]` : parts.join('');
      expect(plain.text).toBe(whole);
    },
  );
});

describe('a value', () => {
  test.for([
    ['foo, bar', 'foo', 1],
    ['foo, bar', 'bar', 0],
    ['e\u0301', '\u00e9', 0],
    ['foo', 'FOO', 0],
    ['foo,', 'foo', 1],
    ['', 'foo', 0],
  ] as const)('F1 F2: %j against the filter %j: %d', async ([value, filter, count], { api }) => {
    await createStream(api);
    await publishAll(api, [valued(value)]);

    expect(await filteredOffsets(api, { filter })).toHaveLength(count);
  });

  test('F2 F5: of a header of another name is none', async ({ api }) => {
    await createStream(api);
    await publishAll(api, [{ headers: { 'orig-x-stream-filter-value': 'foo' } }]);

    expect(await filteredOffsets(api, { filter: 'foo' })).toEqual([]);
    expect(await filteredOffsets(api, { filter: 'foo', match_unfiltered: 'true' })).toEqual([0]);
  });

  test('F2 D1: does not change who is known as a publisher', async ({ api }) => {
    await createStream(api);
    const named = { publisher: 'p', publishing_id: 1 };
    const messages = [{ text: 'm', ...valued('a') }];
    await publish(api, messages, named);

    expect((await publish(api, messages, named)).json()).toMatchObject({ duplicates: 1 });
    expect(await filteredOffsets(api, { filter: 'a' })).toEqual([0]);
  });
});

test.for([
  ['1', '"1"', true],
  ['"1"', '1', true],
  ['true', '"true"', true],
  ['1', '"1.0"', false],
  ['"Bar"', '"bar"', false],
  ['1.0', '1', false],
  ['1.0', '1.0', true],
  ['[1]', '"[1]"', false],
  ['{"a":1}', '{"a":1}', false],
  [undefined, '""', false],
  ['""', '""', true],
] as const)('F3: a header %s against %s: %s', async ([header, wanted, matches], { api }) => {
  await createStream(api);
  const headers = header === undefined ? '{}' : `{"x":${header}}`;
  await api.call('POST /v1/streams/s/messages', {
    body: `{"messages":[{"text":"m","headers":${headers}}]}`,
    headers: { 'content-type': 'application/json' },
  });
  const filter = `{"x":${wanted}}`;
  const offsets = matches ? [0] : [];

  expect(await filteredOffsets(api, { filter })).toEqual(offsets);
  expect(offsetsOf(pageOf(await readByBody(api, {}, filter)))).toEqual(offsets);
});

test('F7: 101 of each kind in three requests, and only those wanted', async ({ api }) => {
  await createStream(api);
  const many = (value: string) => range(0, 101).map(() => valued(value));
  for (const value of ['apple', 'banana', 'apple']) await publishAll(api, many(value));

  expect(await filteredOffsets(api, { filter: 'banana' })).toEqual(range(101, 202));
});

test('F7: within one request too', async ({ api }) => {
  await createStream(api);
  await publishAll(
    api,
    ['apple', 'apple', 'banana'].map((value) => valued(value)),
  );

  expect(await filteredOffsets(api, { filter: 'banana' })).toEqual([2]);
});

test('F2 P10: a header that is no text is refused with all of its request', async ({ api }) => {
  await createStream(api);
  for (const value of [5, true, null, ['foo'], { a: 'foo' }]) {
    const wrong = { text: 'b', headers: { 'x-stream-filter-value': value } };
    const answer = await publish(api, [{ text: 'a' }, wrong, { text: 'c' }]);
    expect(told(answer)).toMatchObject({
      status: 400,
      field: 'messages[1].headers.x-stream-filter-value',
    });
  }
  expect((await readPage(api)).next).toBe(0);
  const many = range(0, 300).join(',');
  for (const value of ['', ',', many]) await publishAll(api, [valued(value)]);
  expect(await filteredOffsets(api, { filter: '299,0' })).toEqual([2]);
});

test.for([
  ['as lines', 'application/vnd.varve.messages+ndjson'],
  ['as a binary batch', 'application/vnd.varve.messages'],
])('F2 P1: nor is one stored %s', async ([, type = ''], { api }) => {
  await createStream(api);
  const bad = ['5', 'true', 'null', '["foo"]', '{"a":"foo"}'];
  for (const value of bad) {
    const headers = `{"x-stream-filter-value":${value}}`;
    const lines = `{"text":"a"}\n{"text":"b","headers":${headers}}\n{"text":"c"}\n`;
    const body = type === MESSAGES_TYPE ? frameOf(headers) : lines;
    const answer = await api.call(`POST ${STREAM}/messages`, {
      body,
      headers: { 'content-type': type },
    });
    expect(told(answer)).toMatchObject({
      status: 400,
      field: expect.stringContaining('headers.x-stream-filter-value'),
    });
  }
  expect((await readPage(api)).next).toBe(0);
});

function frameOf(headers: string): Uint8Array {
  const plain = { body: new Uint8Array(1), contentType: 'text/plain; charset=utf-8' };
  const second = { ...plain, headers: new Uint8Array(Buffer.from(headers)) };
  const records = encodeRecords([plain, second, plain]);
  return Buffer.concat([encodeFrameHeader({ count: 3, records }), records]);
}

test('O6 O15: an empty stream has no match, and next says so', async ({ api }) => {
  await createStream(api);
  expect(await readPage(api, { filter: 'foo' })).toMatchObject({ messages: [], next: 0 });
  await publish(api, numbered(3));
  expect(await readPage(api, { filter: 'foo', from: 3 })).toMatchObject({ messages: [], next: 3 });
});
