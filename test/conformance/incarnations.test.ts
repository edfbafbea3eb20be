/** Streams that are deleted and created again: which one an answer is about, and what is left. */
import { describe, expect } from 'vitest';
import { streamId } from '../../lib/core/log/ids.ts';
import type { Api } from '../support/api.ts';
import { inProcess, test } from '../support/api-test.ts';
import { streamName } from '../support/batches.ts';
import { openEvents } from '../support/event-reader.ts';
import { settle } from '../support/manual-clock.ts';
import { createStream, numbered, publish, STREAM, told } from '../support/publish-steps.ts';
import {
  pageOf,
  publishEach,
  queryText,
  read,
  readPage,
  resolve,
  trim,
} from '../support/read-steps.ts';

const localTest = inProcess('a look behind the API');

const deleteStream = (api: Api) => api.call(`DELETE ${STREAM}`);

async function recreate(api: Api): Promise<void> {
  await deleteStream(api);
  await createStream(api);
}

test('O15: every answer names the stream, and always the same', async ({ api }) => {
  await createStream(api);
  const published = (await publish(api, numbered(3))).json();
  const id = published['stream_id'];
  await trim(api, 1);
  await api.call(`PATCH ${STREAM}`, { body: { segment_max_bytes: 7 } });

  expect((await readPage(api)).stream_id).toBe(id);
  expect((await resolve(api, { from: 'last' }))['stream_id']).toBe(id);
  expect((await api.call(`GET ${STREAM}`)).json()['stream_id']).toBe(id);
  expect((await publish(api, numbered(1))).json()['stream_id']).toBe(id);
  const listed: { items?: unknown } = (await api.call('GET /v1/streams')).json();
  expect(listed.items).toMatchObject([{ name: 's', stream_id: id }]);
  const events = await openEvents(api);
  expect(events.headers.get('varve-stream-id')).toBe(id);
});

describe('if_stream_id', () => {
  const ASK: readonly [string, (api: Api, id: string) => Promise<Record<string, unknown>>][] = [
    ['a read', async (api, id) => told(await read(api, { if_stream_id: id }))],
    [
      'a read by POST',
      async (api, id) =>
        told(await api.call(`POST ${STREAM}/read`, { body: { if_stream_id: id } })),
    ],
    [
      'an event stream',
      async (api, id) => told(await read(api, { if_stream_id: id, as: 'sse', limit: 1 })),
    ],
    ['an offset', (api, id) => resolve(api, { if_stream_id: id, from: 'first' })],
  ];

  test.for(ASK)('O15 T13: of a stream that is gone: %s is refused', async ([, ask], { api }) => {
    await createStream(api);
    const { stream_id: old } = await readPage(api);
    await recreate(api);
    await publish(api, numbered(3));
    const { stream_id: id } = await readPage(api);

    const answer = await ask(api, old);
    expect(answer).toMatchObject({
      status: 409,
      code: 'stream_recreated',
      expected: old,
      actual: id,
      retryable: false,
    });
    expect(answer).not.toHaveProperty('messages');
    await deleteStream(api);
    expect(await ask(api, id)).toMatchObject({ status: 404, code: 'stream_not_found' });
  });

  test('O15: of the stream that is there is no condition', async ({ api }) => {
    await createStream(api);
    await publish(api, numbered(3));
    const { stream_id: id } = await readPage(api);

    expect((await readPage(api, { if_stream_id: id })).messages).toHaveLength(3);
    expect(await resolve(api, { if_stream_id: id })).toMatchObject({ status: 200 });
    const events = await openEvents(api, { if_stream_id: id, limit: 3 });
    expect(await events.rest()).toMatchObject([{ event: 'batch' }, { data: '[DONE]' }]);
  });

  test.for([
    ['below first', { from: '0', on_gap: 'error' }],
    ['above next', { from: '9', on_future: 'error' }],
  ] as const)('O15: is judged before a position %s', async ([, query], { api }) => {
    await createStream(api);
    const { stream_id: old } = await readPage(api);
    await recreate(api);
    await publish(api, numbered(3));
    await trim(api, 2);

    expect(told(await read(api, { ...query, if_stream_id: old }))).toMatchObject({ status: 409 });
    expect(await resolve(api, { ...query, if_stream_id: old })).toMatchObject({ status: 409 });
  });
});

test('T13: a stream created again starts at 0 and knows nothing of the old one', async ({
  api,
}) => {
  await createStream(api, { segment_max_bytes: 5 });
  await publish(api, numbered(50), { publisher: 'p', publishing_id: 1, epoch: 4 });
  await trim(api, 20);
  await api.call(`PUT ${STREAM}/fencing-token`, { body: { fencing_token: 't' } });
  const { stream_id: old } = await readPage(api);

  expect((await deleteStream(api)).status).toBe(204);
  const declared = await api.call(`PUT ${STREAM}`, { body: {} });
  expect(told(declared)).toMatchObject({
    status: 201,
    settings: {},
    first: 0,
    next: 0,
    messages: 0,
    bytes: 0,
    segments: 0,
    oldest: null,
  });
  expect(declared.json()['stream_id']).not.toBe(old);
  expect(told(await api.call(`GET ${STREAM}/publishers/p`))).toMatchObject({
    status: 404,
    code: 'publisher_not_found',
  });
  expect((await api.call(`GET ${STREAM}/publishers`)).json()).toMatchObject({ items: [] });
  expect((await api.call(`GET ${STREAM}/fencing-token`)).json()).toEqual({ fencing_token: null });
  const repeat = await publish(api, numbered(2), { publisher: 'p', publishing_id: 1 });
  expect(repeat.json()).toMatchObject({ start: 0, end: 2, duplicates: 0 });
});

test('T13: a deleted stream is gone for every request', async ({ api }) => {
  await createStream(api);
  await publish(api, numbered(1));
  await deleteStream(api);
  const lines = [
    `GET ${STREAM}`,
    `PATCH ${STREAM}`,
    `DELETE ${STREAM}`,
    `GET ${STREAM}/messages`,
    `POST ${STREAM}/messages`,
    `POST ${STREAM}/read`,
    `GET ${STREAM}/offsets`,
    `POST ${STREAM}/purge`,
    `GET ${STREAM}/fencing-token`,
    `GET ${STREAM}/publishers`,
    `GET ${STREAM}/publishers/p`,
  ];

  for (const line of lines) {
    expect(told(await api.call(line, line.startsWith('P') ? { body: {} } : {}))).toMatchObject({
      status: 404,
      code: 'stream_not_found',
    });
  }
  expect((await trim(api, 0)).status).toBe(404);
  expect((await api.call('GET /v1/streams')).json()).toMatchObject({ items: [] });
  expect((await api.call(`DELETE ${STREAM}?if_exists=true`)).status).toBe(204);
});

describe('whoever waits when the stream is deleted', () => {
  test('T13 LR2: is told so, and never given a message of the next one', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 10);
    const page = read(api, { from: 10, wait: 20 });
    await settle();
    await recreate(api);
    await publishEach(api, 11);

    expect(told(await page)).toMatchObject({ status: 404, code: 'stream_not_found' });
  });

  localTest(
    'T13 LR1: is never given a message of the next one, whoever deleted it',
    async ({ api }) => {
      await createStream(api);
      await publishEach(api, 10);
      const { stream_id: id } = await readPage(api);
      const page = read(api, { from: 10, wait: 20 });
      await settle();
      // Straight in the catalog, as another process would: nobody here is woken by it.
      await api.components.catalog.remove(streamName('s'), streamId(id));
      await createStream(api);
      await publishEach(api, 11);
      await api.clock.advance(20_000);

      expect(told(await page)).toMatchObject({ status: 404, code: 'stream_not_found' });
    },
  );

  test.for([{ limit: 11 }, {}])('T13 LR3: is told so by an event, %j', async (query, { api }) => {
    await createStream(api);
    await publishEach(api, 10);
    const events = await openEvents(api, query);
    await events.take(2);
    const rest = events.rest();
    await settle();
    await recreate(api);
    await publishEach(api, 11);

    expect(await rest).toEqual([
      {
        id: '9,10,10',
        event: 'error',
        data: expect.objectContaining({ status: 404, code: 'stream_not_found' }),
      },
      { id: '9,10,10', data: '[DONE]' },
    ]);
  });

  test('T13 LR3: gets the end of its lines', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 2);
    const answer = api.call(`GET ${STREAM}/messages?${queryText({ as: 'text', follow: 'true' })}`);
    await settle();
    await recreate(api);
    await publishEach(api, 3);

    expect((await answer).text).toBe('0\n1\n');
    expect(pageOf(await read(api)).messages).toHaveLength(3);
  });
});
