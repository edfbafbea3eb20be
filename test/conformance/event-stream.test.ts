/** Server-sent events: what they are, how they end, and how a reader resumes behind the last one. */
import { describe, expect } from 'vitest';
import { type Api, START_MS } from '../support/api.ts';
import { inProcess, test } from '../support/api-test.ts';
import { openEvents, type StreamEvent } from '../support/event-reader.ts';
import { settle } from '../support/manual-clock.ts';
import { createStream, publish, STREAM, texts, told } from '../support/publish-steps.ts';
import { publishEach, type Query, range, read, trim } from '../support/read-steps.ts';

const localTest = inProcess('its hand on the clock');

function messages(api: Api, [start, end]: readonly [number, number], text?: string) {
  const timestamp = api.timeNow();
  return range(start, end).map((offset) => ({ offset, timestamp, text: text ?? `${offset}` }));
}

/** The offsets of all batches, in the order given. */
function given(events: readonly StreamEvent[]): readonly unknown[] {
  return events.flatMap(({ event, data }) => {
    if (event !== 'batch') return [];
    const batch: { messages: { offset: number }[] } = JSON.parse(JSON.stringify(data));
    return batch.messages.map(({ offset }) => offset);
  });
}

test('LR3: tells what is there, then that it is at the end, then what comes', async ({ api }) => {
  await createStream(api);
  await publish(api, texts(...range(0, 10).map(() => 'five!')));
  const events = await openEvents(api, { from: 'first' });

  expect(await events.take(2)).toEqual([
    {
      id: '9,10,50',
      event: 'batch',
      data: { messages: messages(api, [0, 10], 'five!'), next: 10, tail: 10 },
    },
    { id: '9,10,50', event: 'ping', data: { next: 10, tail: 10 } },
  ]);
  const next = events.next();
  await publish(api, texts('five!', 'six six'));
  expect(await next).toEqual({
    id: '11,12,62',
    event: 'batch',
    data: {
      messages: [
        { offset: 10, timestamp: api.timeNow(), text: 'five!' },
        { offset: 11, timestamp: api.timeNow(), text: 'six six' },
      ],
      next: 12,
      tail: 12,
    },
  });
});

test('LR3: says its content type and keeps caches away', async ({ api }) => {
  await createStream(api);
  const { headers } = await openEvents(api);

  expect(headers.get('content-type')).toBe('text/event-stream');
  expect(headers.get('cache-control')).toBe('no-store');
});

test('LR3: an empty stream begins with a ping, whose id covers nothing', async ({ api }) => {
  await createStream(api);
  const events = await openEvents(api);

  expect(await events.next()).toEqual({ id: '-1,0,0', event: 'ping', data: { next: 0, tail: 0 } });
});

localTest(
  'LR3: at the end a ping comes every 15 seconds, and after a batch none at once',
  async ({ api }) => {
    await createStream(api);
    await publishEach(api, 1);
    const events = await openEvents(api, { from: 1 });
    const ping = { id: '0,0,0', event: 'ping', data: { next: 1, tail: 1 } };
    expect(await events.next()).toEqual(ping);
    for (const _time of [1, 2]) {
      let seen: StreamEvent | undefined;
      const next = events.next().then((event) => {
        seen = event;
      });
      await settle();
      await api.clock.advance(14_999);
      expect(seen).toBeUndefined();
      await api.clock.advance(1);
      await next;
      expect(seen).toEqual(ping);
    }
    const batch = events.next();
    await publishEach(api, 1);
    expect(await batch).toMatchObject({ event: 'batch', id: '1,1,1' });
    const later = events.next();
    await settle();
    await api.clock.advance(15_000);
    expect(await later).toEqual({ id: '1,1,1', event: 'ping', data: { next: 2, tail: 2 } });
  },
);

test('LR3 LR4: has no default limit: 3000 messages and 3 MB come whole', async ({ api }) => {
  await createStream(api);
  for (const _request of range(0, 3))
    await publish(api, texts(...range(0, 1_000).map(() => 'x'.repeat(1_000))));
  const events = await openEvents(api, { limit: 10_000 });
  const all: StreamEvent[] = [];
  for (let event = await events.next(); event?.event === 'batch'; event = await events.next())
    all.push(event);

  expect(given(all)).toEqual(range(0, 3_000));
  expect(all.at(-1)?.id).toBe('2999,3000,3000000');
});

describe('ends with [DONE] and nothing behind it', () => {
  localTest.for<[string, Query, string, number]>([
    ['at a limit', { limit: 4 }, '3,4,4', 4],
    ['at a limit of bytes', { max_bytes: 7 }, '6,7,7', 7],
    ['before a time that has come', { until: START_MS + 1 }, '4,5,5', 5],
  ])('LR3 LR4: %s', async ([, query, id, count], { api }) => {
    await createStream(api);
    await publishEach(api, 5);
    await api.clock.advance(1);
    await publishEach(api, 5);
    const events = await (await openEvents(api, query)).rest();

    expect(given(events)).toEqual(range(0, count));
    expect(events.at(-1)).toEqual({ id, data: '[DONE]' });
    expect(events.filter(({ data }) => data === '[DONE]')).toHaveLength(1);
  });

  localTest('LR3 LR4: when the time comes at which it is to end', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 2);
    const events = await openEvents(api, { until: START_MS + 20_000 });
    await events.take(2);
    const rest = events.rest();
    await settle();
    await api.clock.advance(15_000);
    await api.clock.advance(4_999);
    expect(api.clock.waiting()).toBe(1);
    await api.clock.advance(1);

    expect(await rest).toEqual([
      { id: '1,2,2', event: 'ping', data: { next: 2, tail: 2 } },
      { id: '1,2,2', data: '[DONE]' },
    ]);
  });
});

describe('Last-Event-ID', () => {
  test('LR3: goes before the position, and its counts go on', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 50);
    const events = await openEvents(api, { from: 0 }, '41,42,4200');

    expect(await events.next()).toMatchObject({
      id: '49,50,4216',
      event: 'batch',
      data: { messages: range(42, 50).map((offset) => ({ offset })), next: 50 },
    });
    expect(JSON.parse(events.headers.get('varve-resolved') ?? '')).toMatchObject({ offset: 42 });
  });

  test.for<[string, Query, string, readonly number[], string]>([
    ['a limit', { limit: 10 }, '5,6,60', [6, 7, 8, 9], '9,10,100'],
    ['a limit of bytes', { max_bytes: 100 }, '5,6,60', [6, 7, 8, 9], '9,10,100'],
    ['bytes that do not fit another', { max_bytes: 69 }, '5,6,60', [], '5,6,60'],
    ['a limit that is reached', { limit: 6 }, '5,6,60', [], '5,6,60'],
    ['a limit that was passed', { limit: 2 }, '5,6,60', [], '5,6,60'],
    ['bytes that are reached', { max_bytes: 60 }, '5,6,60', [], '5,6,60'],
  ])('LR3 LR4: does not grow %s', async ([, query, after, offsets, id], { api }) => {
    await createStream(api);
    await publish(api, texts(...range(0, 20).map(() => '0123456789')));
    const events = await (await openEvents(api, query, after)).rest();

    expect(given(events)).toEqual(offsets);
    expect(events).toHaveLength(offsets.length > 0 ? 2 : 1);
    expect(events.at(-1)).toEqual({ id, data: '[DONE]' });
  });

  test('LR3: every event of a stream cut anywhere resumes without loss or repeat', async ({
    api,
  }) => {
    await createStream(api);
    for (const n of range(0, 8)) await publish(api, texts(`${n}`.repeat(30_000)));
    const seen: StreamEvent[] = [];
    for (let cut = 0, after: string | undefined; cut < 20; cut++) {
      const events = await openEvents(api, { limit: 8 }, after);
      const event = await events.next();
      await events.cancel();
      if (event === undefined || event.data === '[DONE]') break;
      seen.push(event);
      after = event.id;
    }

    expect(given(seen)).toEqual(range(0, 8));
    expect(seen.length).toBeGreaterThan(2);
    expect(seen.at(-1)?.id).toBe('7,8,240000');
  });

  test('LR3: before anything was covered begins at the beginning', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 3);
    const events = await openEvents(api, { from: 2 }, '-1,0,0');

    expect(given(await events.take(1))).toEqual([0, 1, 2]);
  });

  test('LR3 O6: above the end waits at the end', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 3);
    const events = await openEvents(api, {}, '99,1,1');

    expect(await events.next()).toEqual({ id: '2,1,1', event: 'ping', data: { next: 3, tail: 3 } });
    expect(events.headers.get('varve-clamped')).toBe('true');
    const refused = await api.call(`GET ${STREAM}/messages?as=sse&on_future=error`, {
      headers: { 'last-event-id': '99,1,1' },
    });
    expect(refused.status).toBe(416);
  });

  test('LR3 O5: below first begins with a gap, or is refused', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 10);
    await trim(api, 8);
    const events = await openEvents(api, {}, '4,5,5');

    expect(await events.take(2)).toEqual([
      { id: '7,5,5', event: 'gap', data: { requested: 5, first_available: 8, missing: 3 } },
      {
        id: '9,7,7',
        event: 'batch',
        data: { messages: messages(api, [8, 10]), next: 10, tail: 10 },
      },
    ]);
    const refused = await api.call(`GET ${STREAM}/messages?as=sse&on_gap=error`, {
      headers: { 'last-event-id': '4,5,5' },
    });
    expect(told(refused)).toMatchObject({ status: 410, first_available: 8 });
  });

  test.for([
    ...['', '5', '5,6', '5,6,7,8', 'a,b,c', '5,6,x', '5,6,7.5', '5, 6, 7', '+5,6,7', '0x5,6,7'],
    ...['-2,0,0', '5,-1,0', '5,0,-1', '9007199254740991,0,0', '9007199254740992,0,0', '٥,0,0'],
  ])('LR3: %j is refused', async (id, { api }) => {
    await createStream(api);
    const answer = await api.call(`GET ${STREAM}/messages?as=sse`, {
      headers: { 'last-event-id': encodeURI(id) },
    });

    expect(told(answer)).toMatchObject({
      status: 400,
      code: 'invalid_request',
      field: 'Last-Event-ID',
    });
  });

  test('LR3: is nothing to a page', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 3);
    const answer = await api.call(`GET ${STREAM}/messages`, { headers: { 'last-event-id': 'x' } });

    expect(answer.json()).toMatchObject({ messages: [{}, {}, {}] });
    expect((await read(api)).status).toBe(200);
  });
});
