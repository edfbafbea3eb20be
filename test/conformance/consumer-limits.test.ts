/** Stored offsets over time, in numbers, and on a store that fails. */
import { describe, expect, onTestFinished } from 'vitest';
import type { Consumers } from '../../lib/ports/consumers.ts';
import { StoreError } from '../../lib/ports/store-error.ts';
import { createApi, type LocalApi } from '../support/api.ts';
import { inProcess } from '../support/api-test.ts';
import { ack, listed, show, store, storedOf } from '../support/consumer-steps.ts';
import { createStream, numbered, publish, STREAM, told } from '../support/publish-steps.ts';
import { offsetsOf, publishEach, range, read, readPage } from '../support/read-steps.ts';

const test = inProcess('its hand on the clock');

const MINUTE_MS = 60_000;

async function afterAMinute(api: LocalApi): Promise<void> {
  await api.clock.advance(MINUTE_MS);
  await api.maintain();
}

describe('a limit', () => {
  test('C6 O10: of three keeps the three written last', async ({ api }) => {
    await createStream(api, { consumer_limit: 3 });
    await publishEach(api, 10);
    for (const name of ['a', 'b', 'c', 'a']) {
      await api.clock.advance(10);
      await store(api, name, 5);
    }
    await afterAMinute(api);
    expect(await listed(api)).toEqual(['a', 'b', 'c']);

    await store(api, 'd', 5);
    await afterAMinute(api);
    expect(await listed(api)).toEqual(['a', 'c', 'd']);
    expect(await storedOf(api, 'b')).toBe('no_stored_offset');
    expect((await readPage(api, { consumer: 'b', from_default: 'next' })).resolved.offset).toBe(10);
  });

  test('C6: that is lowered is kept to within a minute', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 10);
    for (const name of ['e', 'd', 'c', 'b', 'a']) {
      await api.clock.advance(10);
      await ack(api, name, 1);
    }
    await afterAMinute(api);
    expect(await listed(api)).toHaveLength(5);

    await api.call(`PATCH ${STREAM}`, { body: { consumer_limit: 2 } });
    await afterAMinute(api);
    expect(await listed(api)).toEqual(['a', 'b']);
    await api.call(`PATCH ${STREAM}`, { body: { consumer_limit: null } });
    await store(api, 'c', 3);
    await afterAMinute(api);
    expect(await listed(api)).toEqual(['a', 'b', 'c']);
    expect(api.errors).toEqual([]);
  });
});

test('C2: a consumer tells how old the first message is that it has not read', async ({ api }) => {
  await createStream(api);
  await publish(api, numbered(1));
  await api.clock.advance(5_000);
  await publish(api, numbered(2));
  await api.clock.advance(700);
  const startMs = api.clock.nowMs();
  const lag = async () => (await show(api, 'c'))['lag'];

  expect(await store(api, 'c', 0)).toMatchObject({ updated_at: startMs, lag: { messages: 3 } });
  expect(await lag()).toEqual({ messages: 3, ms: 5_700 });
  await ack(api, 'c', 0);
  expect(await lag()).toEqual({ messages: 2, ms: 700 });
  await api.clock.advance(1_000);
  expect(await show(api, 'c')).toMatchObject({ updated_at: startMs, lag: { ms: 1_700 } });
  expect(await ack(api, 'c', 2)).toMatchObject({ lag: { messages: 0, ms: 0 } });
  expect(await lag()).toEqual({ messages: 0, ms: 0 });
});

test('T9 C6: retention passes many, and each of them hears of it when it reads next', async ({
  api,
}) => {
  await createStream(api, { segment_max_bytes: 1 });
  for (const _ of range(0, 50)) await publish(api, numbered(1));
  const names = range(0, 500).map((n) => `c${`${n}`.padStart(3, '0')}`);
  await Promise.all(names.map((name, n) => store(api, name, n % 50)));
  await api.call(`PATCH ${STREAM}`, { body: { max_length: 10 } });
  expect((await api.call(`GET ${STREAM}`)).json()).toMatchObject({ first: 40, next: 50 });

  expect(await listed(api)).toEqual(names);
  for (const n of range(100, 150)) {
    const page = await readPage(api, { consumer: `c${n}`, limit: 1 });
    const requested = n % 50;
    const gap = { requested, first_available: 40, missing: 40 - requested };
    expect([offsetsOf(page), page.gap]).toEqual(
      requested < 40 ? [[40], gap] : [[requested], undefined],
    );
    expect(await storedOf(api, `c${n}`)).toBe(requested);
  }
});

test('O10: an offset that was stored while the stream was looked at is where its reader starts', async () => {
  let publishAndStore: (() => Promise<unknown>) | undefined;
  const api = createApi({
    wrapConsumers: (consumers) => ({
      ...consumers,
      async load(...given) {
        const meanwhile = publishAndStore;
        publishAndStore = undefined;
        await meanwhile?.();
        return await consumers.load(...given);
      },
    }),
  });
  onTestFinished(() => api.close());
  await createStream(api);
  await publishEach(api, 3);
  publishAndStore = async () => {
    await publishEach(api, 3);
    await ack(api, 'c', 4);
  };
  const page = await readPage(api, { consumer: 'c' });

  expect([offsetsOf(page), page.resolved.offset, page.clamped]).toEqual([[5], 5, undefined]);
});

describe('a store that fails', () => {
  /** The next call of the method fails so. */
  function failingApi() {
    let fault:
      | { readonly method: keyof Consumers; readonly sideEffects: 'none' | 'possible' }
      | undefined;
    const failOnce = (method: keyof Consumers) => {
      if (fault?.method !== method) return;
      const { sideEffects } = fault;
      fault = undefined;
      throw new StoreError('throttled', { kind: 'unavailable', sideEffects });
    };
    const api = createApi({
      wrapConsumers: (consumers) => ({
        ...consumers,
        async save(...given) {
          failOnce('save');
          return await consumers.save(...given);
        },
        async load(...given) {
          failOnce('load');
          return await consumers.load(...given);
        },
      }),
    });
    onTestFinished(() => api.close());
    return {
      api,
      failNext: (method: keyof Consumers, sideEffects: 'none' | 'possible' = 'none') => {
        fault = { method, sideEffects };
      },
    };
  }

  test.for(['none', 'possible'] as const)(
    'C1 P7: stores nothing and says so: %s',
    async (sideEffects) => {
      const { api, failNext } = failingApi();
      await createStream(api);
      await publishEach(api, 10);
      const refused = { status: 503, code: 'unavailable', side_effects: sideEffects };

      failNext('save', sideEffects);
      expect(await store(api, 'c', 5)).toMatchObject(refused);
      failNext('save', sideEffects);
      expect(await ack(api, 'c', 5)).toMatchObject(refused);
      failNext('save', sideEffects);
      const page = told(await read(api, { consumer: 'c', commit: 5 }));
      expect(page).toMatchObject(refused);
      expect(page).not.toHaveProperty('messages');
      expect(await storedOf(api, 'c')).toBe('no_stored_offset');
      expect(await ack(api, 'c', 5)).toMatchObject({ status: 200, next: 6 });
    },
  );

  test('C3 O17: never takes what it could not find for none', async () => {
    const { api, failNext } = failingApi();
    await createStream(api);
    await publishEach(api, 10);
    await store(api, 'c', 5);

    failNext('load');
    expect(told(await read(api, { consumer: 'c' }))).toMatchObject({ status: 503 });
    failNext('load');
    expect(await show(api, 'c')).toMatchObject({ status: 503 });
    expect((await readPage(api, { consumer: 'c' })).resolved.offset).toBe(5);
  });
});
