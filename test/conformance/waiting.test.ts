/** Reads that wait for a message: when they are answered, and with what. */
import { describe, expect } from 'vitest';
import { type Answer, type Api, START_MS } from '../support/api.ts';
import { inProcess, test } from '../support/api-test.ts';
import { batchOfSize, streamName } from '../support/batches.ts';
import { settle } from '../support/manual-clock.ts';
import { createStream, numbered, publish, STREAM, told } from '../support/publish-steps.ts';
import { pageOf, publishEach, type Query, read, readPage, trim } from '../support/read-steps.ts';

const localTest = inProcess('its hand on the clock');

function appendOf(count: number) {
  return { stream: streamName('s'), timeMs: START_MS, batch: batchOfSize(count, 1) };
}

/** A read that is under way, and whether it was answered. */
async function begin(api: Api, query: Query) {
  let answered: Answer | undefined;
  const answer = read(api, query).then((given) => {
    answered = given;
    return given;
  });
  await settle();
  return { page: async () => pageOf(await answer), isAnswered: () => answered !== undefined };
}

localTest('LR1: a publish is answered at once', async ({ api }) => {
  await createStream(api);
  await publishEach(api, 3);
  const waiting = await begin(api, { from: 3, wait: 20 });
  await api.clock.advance(1_000);
  expect(waiting.isAnswered()).toBe(false);
  await publish(api, [{ text: 'x' }]);

  expect(await waiting.page()).toEqual({
    messages: [{ offset: 3, timestamp: api.clock.nowMs(), text: 'x' }],
    next: 4,
    first: 0,
    tail: 4,
    up_to_date: true,
    resolved: { from: '3', offset: 3, why: 'the offset asked for' },
    stream_id: expect.any(String),
    poll_after_ms: 0,
  });
  expect(api.clock.waiting()).toBe(0);
});

localTest.for([1, 20])('LR1 O15: after %d s without one it is empty', async (wait, { api }) => {
  await createStream(api);
  await publishEach(api, 3);
  const waiting = await begin(api, { from: 3, wait });
  await api.clock.advance(wait * 1_000 - 1);
  expect(waiting.isAnswered()).toBe(false);
  await api.clock.advance(1);

  expect(await waiting.page()).toMatchObject({
    messages: [],
    next: 3,
    first: 0,
    tail: 3,
    up_to_date: true,
    resolved: { offset: 3 },
    poll_after_ms: expect.any(Number),
  });
});

localTest.for<[string, Query]>([
  ['without a wait', { from: 3 }],
  ['with a wait of 0', { from: 3, wait: 0 }],
  ['with a message there', { from: 2, wait: 20 }],
])('LR1: %s it is answered at once', async ([, query], { api }) => {
  await createStream(api);
  await publishEach(api, 3);

  expect((await readPage(api, query)).next).toBe(3);
  expect(api.clock.waiting()).toBe(0);
});

localTest('LR1: by POST it is the same', async ({ api }) => {
  await createStream(api);
  const answer = api.call(`POST ${STREAM}/read`, { body: { from: 'next', wait: 20 } });
  await settle();
  expect(api.clock.waiting()).toBe(1);
  await publishEach(api, 2);

  expect(pageOf(await answer)).toMatchObject({ messages: [{}, {}], next: 2 });
});

localTest('LR2: a hundred readers are all woken by one publish', async ({ api }) => {
  await createStream(api);
  const pages = Array.from({ length: 100 }, () => readPage(api, { wait: 20 }));
  await settle();
  expect(api.clock.waiting()).toBe(100);
  await publish(api, [{ text: 'x' }]);

  const texts = (await Promise.all(pages)).map(({ messages }) => messages.map(({ text }) => text));
  expect(texts).toEqual(Array.from({ length: 100 }, () => ['x']));
});

test('LR2: a publish to another stream wakes nobody here', async ({ api }) => {
  await createStream(api);
  const waiting = await begin(api, { wait: 20 });
  await api.call('POST /v1/streams/other/messages?create=true', { body: 'x' });
  await settle();
  expect(waiting.isAnswered()).toBe(false);

  await publishEach(api, 1);
  expect((await waiting.page()).next).toBe(1);
});

test('LR2: a publish that meets the beginning of a wait is not missed', async ({ api }) => {
  await createStream(api);
  for (let n = 0; n < 50; n++) {
    const [page] = await Promise.all([
      readPage(api, { from: n, wait: 20 }),
      publish(api, numbered(1)),
    ]);
    expect(page).toMatchObject({ messages: [{ offset: n }], next: n + 1 });
  }
});

describe('until', () => {
  localTest('LR1 LR4: the wait ends at that time', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 3);
    const waiting = await begin(api, { from: 3, wait: 20, until: api.clock.nowMs() + 5_000 });
    await api.clock.advance(4_999);
    expect(waiting.isAnswered()).toBe(false);
    await api.clock.advance(1);

    expect(await waiting.page()).toMatchObject({ messages: [], next: 3, up_to_date: true });
    expect(api.clock.waiting()).toBe(0);
  });

  localTest('LR1 LR4: nothing is waited for when that time has passed', async ({ api }) => {
    await createStream(api);

    const page = { messages: [], next: 0, up_to_date: true };
    expect(await readPage(api, { wait: 20, until: api.clock.nowMs() })).toMatchObject(page);
  });

  localTest('LR1 LR4: a message stamped before that time is given', async ({ api }) => {
    await createStream(api);
    const waiting = await begin(api, { wait: 20, until: api.clock.nowMs() + 5_000 });
    await api.clock.advance(4_999);
    await publishEach(api, 1);

    expect(await waiting.page()).toMatchObject({ messages: [{ offset: 0 }], next: 1 });
  });

  localTest('LR1 LR4: messages that are all too late are not waited for', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 3);

    expect(await readPage(api, { wait: 20, until: api.clock.nowMs() })).toMatchObject({
      messages: [],
      next: 0,
    });
  });
});

describe('what is dropped under a waiting reader', () => {
  test('LR1 T12: is no gap when it had it already', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 10);
    const waiting = await begin(api, { from: 10, wait: 20 });
    await api.call(`POST ${STREAM}/purge`);
    await settle();
    expect(waiting.isAnswered()).toBe(false);
    await publishEach(api, 1);

    const page = await waiting.page();
    expect(page).toMatchObject({ messages: [{ offset: 10 }], next: 11, first: 10 });
    expect(page).not.toHaveProperty('gap');
  });

  localTest('LR1 T11: is a gap when it came and went', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 10);
    const waiting = await begin(api, { from: 10, wait: 20 });
    // Straight into the store, which wakes nobody.
    await api.components.log.commit([appendOf(5)]);
    await trim(api, 15);

    expect(await waiting.page()).toMatchObject({
      messages: [],
      next: 15,
      gap: { requested: 10, first_available: 15, missing: 5 },
      resolved: { offset: 10 },
    });
  });

  localTest('LR1 O5: is no gap but a refusal with on_gap=error', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 10);
    const answer = read(api, { from: 10, wait: 20, on_gap: 'error' });
    await settle();
    await api.components.log.commit([appendOf(5)]);
    await trim(api, 15);

    expect(told(await answer)).toMatchObject({ status: 410, first_available: 15 });
  });
});

localTest('LR5: a reader that goes away waits no longer', async ({ api }) => {
  await createStream(api);
  const client = new AbortController();
  const answer = api.call(`GET ${STREAM}/messages?wait=20`, { signal: client.signal });
  await settle();
  expect(api.clock.waiting()).toBe(1);
  client.abort();
  await settle();

  expect(api.clock.waiting()).toBe(0);
  expect((await answer).json()).toMatchObject({ messages: [] });
});

localTest('LR5: a server that ends answers whoever waits', async ({ api }) => {
  await createStream(api);
  const waiting = await begin(api, { wait: 20 });
  await api.close();

  expect(await waiting.page()).toMatchObject({ messages: [], next: 0 });
});
