/** Live readers that go away or fall behind: what they cost, and that they hold nobody up. */
import { describe, expect, onTestFinished } from 'vitest';
import { type Api, createApi } from '../support/api.ts';
import { inProcess } from '../support/api-test.ts';
import { createReadCounter } from '../support/counting-log.ts';
import { openEvents } from '../support/event-reader.ts';
import { createLineReader } from '../support/line-reader.ts';
import { settle } from '../support/manual-clock.ts';
import { createStream, publish, STREAM, texts } from '../support/publish-steps.ts';
import { publishEach, range, readPage, trim } from '../support/read-steps.ts';

const test = inProcess('its hand on the clock');

/** An API whose reads from the store are counted. */
function countingApi() {
  const { wrapLog, reads } = createReadCounter();
  const api = createApi({ wrapLog });
  onTestFinished(() => api.close());
  return { api, reads };
}

async function publishLarge(api: Api, count: number): Promise<void> {
  for (const n of range(0, count)) await publish(api, texts(`${n}`.padStart(100_000)));
}

describe('a thousand clients that go away', () => {
  test('LR5: wait no longer, and nothing is read for them', async () => {
    const { api, reads } = countingApi();
    await createStream(api);
    await publishEach(api, 3);
    const client = new AbortController();
    const { signal } = client;
    const answers = range(0, 1_000).map(() =>
      api.call(`GET ${STREAM}/messages?from=3&wait=20`, { signal }),
    );
    await settle();
    expect(api.clock.waiting()).toBe(1_000);

    const before = reads();
    client.abort();
    await Promise.allSettled(answers);
    expect(api.clock.waiting()).toBe(0);
    await publishEach(api, 1);
    await settle();
    expect(reads()).toBe(before);
  });

  test('LR5: end their event streams, and nothing is read for them', async () => {
    const { api, reads } = countingApi();
    await createStream(api);
    await publishEach(api, 3);
    const streams = await Promise.all(range(0, 1_000).map(() => openEvents(api, { from: 3 })));
    await Promise.all(streams.map((events) => events.next()));
    const waiting = streams.map((events) => events.next().catch(() => undefined));
    // They come to their waits some at a time.
    while (api.clock.waiting() < 1_000) await settle();

    const before = reads();
    await Promise.all(streams.map((events) => events.cancel()));
    await Promise.all(waiting);
    expect(api.clock.waiting()).toBe(0);
    await publishEach(api, 1);
    await settle();
    expect(reads()).toBe(before);
  });

  test('LR5: end in the middle of what there is to read', async () => {
    const { api, reads } = countingApi();
    await createStream(api);
    await publishLarge(api, 10);
    const streams = await Promise.all(range(0, 100).map(() => openEvents(api)));
    await Promise.all(streams.map((events) => events.next()));
    await Promise.all(streams.map((events) => events.cancel()));

    const before = reads();
    await publishEach(api, 1);
    await settle();
    expect(reads()).toBe(before);
    expect(api.clock.waiting()).toBe(0);
  });
});

test.for(['as=sse', 'as=ndjson&follow=true'])(
  'LR5: a body of %s that is never asked for reads nothing',
  async (query) => {
    const { api, reads } = countingApi();
    await createStream(api);
    await publishLarge(api, 3);
    const response = await api.open(`GET ${STREAM}/messages?${query}`);
    const before = reads();
    await settle();

    expect(reads()).toBe(before);
    await response.body?.cancel();
    expect(api.clock.waiting()).toBe(0);
  },
);

describe('a slow reader', () => {
  test('LR5: is read for only as fast as it takes', async () => {
    const { api, reads } = countingApi();
    await createStream(api);
    await publishLarge(api, 20);
    const events = await openEvents(api);
    const before = reads();
    for (const n of range(0, 5)) {
      expect(await events.next()).toMatchObject({ data: { messages: [{ offset: n }] } });
      await settle();
      expect(reads()).toBe(before + 2 * (n + 1));
    }
  });

  test('LR5: holds up neither publishers nor other readers', async () => {
    const { api } = countingApi();
    await createStream(api);
    await publishLarge(api, 5);
    const slow = await openEvents(api);
    await slow.next();
    const quick = await openEvents(api, { from: 'next' });
    await quick.next();
    const next = quick.next();
    await publishLarge(api, 20);

    expect(await next).toMatchObject({ data: { messages: [{ offset: 5 }] } });
    expect((await readPage(api, { from: -1 })).next).toBe(25);
    expect(await slow.next()).toMatchObject({ data: { messages: [{ offset: 1 }] } });
  });

  test('LR5 LR3: that is overtaken by a trim is told, and goes on behind it', async () => {
    const { api } = countingApi();
    await createStream(api);
    await publishLarge(api, 20);
    const slow = await openEvents(api);
    await slow.next();
    await trim(api, 15);

    expect(await slow.take(2)).toMatchObject([
      {
        id: '14,1,100000',
        event: 'gap',
        data: { requested: 1, first_available: 15, missing: 14 },
      },
      { id: '15,2,200000', event: 'batch', data: { messages: [{ offset: 15 }] } },
    ]);
  });
});

test('LR5: a server that ends cuts event streams without a last word', async () => {
  const { api } = countingApi();
  await createStream(api);
  await publishEach(api, 1);
  const events = await openEvents(api);
  const lines = createLineReader(
    await api.open(`GET ${STREAM}/messages?from=next&as=text&follow=true`),
  );
  const [rest, line] = [events.rest(), lines.line()];
  await settle();
  await api.close();

  expect(await rest).toMatchObject([{ event: 'batch' }, { event: 'ping' }]);
  expect(await line).toBeUndefined();
  expect(api.errors).toEqual([]);
});
