/** What bounds a page: a number of messages, of bytes, a time. */
import { describe, expect } from 'vitest';
import { type Api, type LocalApi, START_MS, steadyHeaders } from '../support/api.ts';
import { inProcess, test } from '../support/api-test.ts';
import { openEvents } from '../support/event-reader.ts';
import { createStream, publish, STREAM, texts } from '../support/publish-steps.ts';
import {
  offsetsOf,
  pageOf,
  publishEach,
  type Query,
  range,
  read,
  readPage,
} from '../support/read-steps.ts';

const localTest = inProcess('its hand on the clock');

/** Messages of so many bytes, each in a request of its own. */
async function publishSized(api: Api, count: number, bytes: number): Promise<void> {
  await createStream(api);
  for (const _request of range(0, count)) await publish(api, texts('x'.repeat(bytes)));
}

describe('five messages of 500 kB', () => {
  test.for<[Query, number]>([
    [{ max_bytes: 1 }, 1],
    [{ max_bytes: 499_999 }, 1],
    [{ max_bytes: 500_000 }, 1],
    [{ max_bytes: 999_999 }, 1],
    [{ max_bytes: 1_000_000 }, 2],
    [{ max_bytes: 1_200_000 }, 2],
    [{ max_bytes: 1_200_000, limit: 1 }, 1],
    [{ max_bytes: 4_194_304 }, 5],
    [{}, 2],
  ])('LR4: %j gives %d', async ([query, count], { api }) => {
    await publishSized(api, 5, 500_000);
    const page = await readPage(api, query);

    expect(offsetsOf(page)).toEqual(range(0, count));
    expect(page).toMatchObject({ next: count, up_to_date: count === 5 });
    expect(offsetsOf(await readPage(api, { ...query, from: 4 }))).toEqual([4]);
  });
});

test('LR4: a page may begin and end inside a chunk, by bytes too', async ({ api }) => {
  await createStream(api);
  await publish(api, texts(...range(0, 10).map(() => '0123456789')));

  expect(offsetsOf(await readPage(api, { from: 2, max_bytes: 35 }))).toEqual([2, 3, 4]);
  expect(offsetsOf(await readPage(api, { from: 2, max_bytes: 30 }))).toEqual([2, 3, 4]);
  expect(offsetsOf(await readPage(api, { from: 2, max_bytes: 29 }))).toEqual([2, 3]);
  expect(offsetsOf(await readPage(api, { from: 9, max_bytes: 29 }))).toEqual([9]);
});

test('LR4: key, headers and properties count as bytes, whatever the body has', async ({ api }) => {
  await createStream(api);
  const message = { text: 'x', key: 'k'.repeat(49), headers: { h: 'v'.repeat(42) } };
  await publish(api, [message, message, message]);

  // 1 + 49 + {"h":"…"}, which is 50.
  expect(offsetsOf(await readPage(api, { max_bytes: 200 }))).toEqual([0, 1]);
  expect(offsetsOf(await readPage(api, { max_bytes: 199 }))).toEqual([0]);
});

test('LR4: the default is 1000 messages, the most 10 000', async ({ api }) => {
  await createStream(api);
  await publishEach(api, 10_000, 1);

  expect(await readPage(api)).toMatchObject({ next: 1_000, up_to_date: false });
  expect(await readPage(api, { limit: 1 })).toMatchObject({ next: 1 });
  expect(await readPage(api, { limit: 10_000, max_bytes: 4_194_304 })).toMatchObject({
    next: 10_000,
    tail: 10_001,
    up_to_date: false,
  });
});

test.for([1, 7, 64, 999, 1_000])(
  'LR4 O15: pages of %d give every message once',
  async (limit, { api }) => {
    await createStream(api);
    await publishEach(api, 300, 1, 1, 400, 298);
    const given: number[] = [];
    for (let next = 0; ; ) {
      const page = await readPage(api, { from: next, limit });
      given.push(...offsetsOf(page));
      next = page.next;
      if (page.up_to_date) break;
    }

    expect(given).toEqual(range(0, 1_000));
  },
);

test('LR4 O15: pages of bytes give every message once, empty ones too', async ({ api }) => {
  await createStream(api);
  await publish(api, texts('', '', 'abc', '', 'abcdefghij', '', '', 'abcdef'));
  const pages: (readonly number[])[] = [];
  for (let next = 0; next < 8; ) {
    const page = await readPage(api, { from: next, max_bytes: 5 });
    pages.push(offsetsOf(page));
    next = page.next;
  }

  expect(pages).toEqual([[0, 1, 2, 3], [4], [5, 6], [7]]);
});

describe('until', () => {
  async function publishThree(api: LocalApi): Promise<void> {
    await createStream(api);
    for (const time of [0, 1, 2]) {
      api.clock.set(START_MS + time);
      await publishEach(api, 1);
    }
  }

  localTest.for<[Query, readonly number[]]>([
    [{ until: START_MS }, []],
    [{ until: START_MS + 1 }, [0]],
    [{ until: START_MS + 2 }, [0, 1]],
    [{ until: START_MS + 3 }, [0, 1, 2]],
    [{ until: '2026-11-29T10:00:00.002Z' }, [0, 1]],
    [{ until: START_MS + 2, from: 1 }, [1]],
    [{ until: START_MS + 1, from: 1 }, []],
    [{ until: START_MS + 1, from: 'last' }, []],
    [{ until: START_MS + 2, limit: 1 }, [0]],
  ])('LR4: %j gives %j', async ([query, offsets], { api }) => {
    await publishThree(api);
    const page = await readPage(api, query);

    expect(offsetsOf(page)).toEqual(offsets);
    expect(page.next).toBe(page.resolved.offset + offsets.length);
    expect(page.tail).toBe(3);
  });

  localTest('LR4: does not shift where a reader starts', async ({ api }) => {
    await publishThree(api);

    expect((await readPage(api, { until: START_MS + 1 })).resolved.offset).toBe(0);
    expect((await readPage(api, { until: START_MS, from: 2 })).resolved.offset).toBe(2);
  });
});

test.for<Query>([
  { from: 2, limit: 3 },
  { from: -4, max_bytes: 2 },
  { from: 'last', until: START_MS + 1 },
  { from: 99 },
  { body: 'base64', limit: 1 },
  { as: 'ndjson' },
])('LR4: %j by POST gives the same as by GET', async (query, { api }) => {
  await createStream(api);
  await publishEach(api, 6, 4);
  const [got, posted] = [
    await read(api, query),
    await api.call(`POST ${STREAM}/read`, { body: query }),
  ];
  const comparable = (answer: typeof got) => ({
    status: answer.status,
    text: answer.text,
    headers: steadyHeaders(answer),
  });

  expect(comparable(posted)).toEqual(comparable(got));
  expect(got.status).toBe(200);
});

test('LR4: an event stream by POST takes the same bounds', async ({ api }) => {
  await createStream(api);
  await publishEach(api, 9);
  const answer = await api.call(`POST ${STREAM}/read`, {
    body: { from: 3, limit: 2 },
    headers: { accept: 'text/event-stream' },
  });
  const events = await openEvents(api, { from: 3, limit: 2 });

  expect(answer.text).toContain('id: 4,2,2\nevent: batch\n');
  expect(await events.rest()).toMatchObject([{ id: '4,2,2' }, { id: '4,2,2', data: '[DONE]' }]);
  expect(pageOf(await read(api, { from: 3, limit: 2 })).next).toBe(5);
});
