import { describe, expect } from 'vitest';
import { ClientError } from '../../lib/client/client-error.ts';
import { test } from '../support/api-test.ts';
import { clientOf, fetchOf } from '../support/client-api.ts';
import { createPromptTimer } from '../support/client-timers.ts';
import { createFaultyApi } from '../support/faulty-api.ts';
import { outcome, TIMED_OUT } from '../support/publish-outcomes.ts';
import { createStream, publish, readTexts, STREAM, texts } from '../support/publish-steps.ts';

describe('a named publisher', () => {
  test('D2 D8: goes on behind the highest id that the stream knows', async ({ api }) => {
    await createStream(api);
    await publish(api, texts('a'), { publisher: 'p', publishing_id: 41 });
    const publisher = clientOf(api).publisher({ stream: 's', name: 'p' });

    expect(await publisher.publish({ text: 'b' })).toMatchObject({ publishingId: 42, offset: 1 });
    expect(await publisher.publish({ text: 'c' })).toMatchObject({ publishingId: 43, offset: 2 });
  });

  test('D2 D4 D5: tells duplicates of ids that its caller gave', async ({ api }) => {
    await createStream(api);
    await publish(api, texts('5', '7'), { publisher: 'p', publishing_id: 5 });
    const publisher = clientOf(api).publisher({ stream: 's', name: 'p' });
    const given = [5, 6, 9].map((publishingId) =>
      publisher.publish({ text: String(publishingId), publishingId }),
    );

    expect(await Promise.all(given)).toMatchObject([
      { outcome: 'duplicate', offset: undefined, publishingId: 5 },
      { outcome: 'duplicate', offset: undefined, publishingId: 6 },
      { outcome: 'stored', offset: 2, publishingId: 9 },
    ]);
    await expect(publisher.publish({ text: '', publishingId: 9 })).rejects.toThrow('must rise');
    await expect(publisher.publish({ text: '' })).rejects.toThrow('with every message');
    await expect(publisher.publish({ text: '', publishingId: 1.5 })).rejects.toThrow('integer');
  });

  test('D2: finds out that another one uses its name', async ({ api }) => {
    await createStream(api);
    const publisher = clientOf(api).publisher({ stream: 's', name: 'p' });
    await publisher.publish({ text: 'a' });
    await publish(api, texts('other'), { publisher: 'p', publishing_id: 1 });
    const outcomes = await Promise.all(
      texts('b', 'c').map((one) => outcome(publisher.publish(one))),
    );

    expect(outcomes).toMatchObject([
      { code: 'name_in_use', sideEffects: 'none' },
      { offset: 2, publishingId: 2 },
    ]);
    expect(await outcome(publisher.publish({ text: 'd' }))).toMatchObject({
      code: 'publisher_failed',
      sideEffects: 'none',
    });
    expect(await readTexts(api)).toEqual(['a', 'other', 'c']);
  });

  test('D11: is shut out by a higher epoch', async ({ api }) => {
    await createStream(api);
    const client = clientOf(api);
    const older = client.publisher({ stream: 's', name: 'p', epoch: 1 });
    await older.publish({ text: 'a' });
    const newer = client.publisher({ stream: 's', name: 'p', epoch: 2 });
    await newer.publish({ text: 'b' });

    expect(await outcome(older.publish({ text: 'c' }))).toMatchObject({
      code: 'publisher_fenced',
      sideEffects: 'none',
    });
  });

  test('D12: cannot have two requests in flight', async ({ api }) => {
    const options = { stream: 's', name: 'p', requestsInFlight: 2 };

    expect(() => clientOf(api).publisher(options)).toThrow(ClientError);
  });

  test('D2 D5: repeats a lost answer with the same ids, and learns the place', async () => {
    const { api, store } = createFaultyApi();
    await createStream(api);
    store.failNext('after', TIMED_OUT);
    const timer = createPromptTimer();
    const publisher = clientOf(api, { timer }).publisher({ stream: 's', name: 'p' });
    const outcomes = await Promise.all(texts('a', 'b').map((one) => publisher.publish(one)));

    expect(outcomes).toMatchObject([
      { outcome: 'duplicate', offset: 0 },
      { outcome: 'duplicate', offset: 1 },
    ]);
    expect(await readTexts(api)).toEqual(['a', 'b']);
    // The server asks for a second, which is longer than the back-off.
    expect(timer.waits).toEqual([1_000]);
  });

  test('P7: that cannot find out what became of a request publishes no more', async () => {
    const { api, store } = createFaultyApi();
    await createStream(api);
    const publisher = clientOf(api, { retry: { attempts: 2 } }).publisher({
      stream: 's',
      name: 'p',
      maxBatch: 1,
    });
    await publisher.publish({ text: 'a' });
    store.failNext('after', TIMED_OUT);
    store.failNext('before', TIMED_OUT);
    const outcomes = await Promise.allSettled(texts('b', 'c').map((one) => publisher.publish(one)));

    expect(outcomes).toMatchObject([
      {
        reason: {
          code: 'store_timeout',
          sideEffects: 'possible',
          message: expect.stringContaining('is unknown'),
          details: { first_publishing_id: 1, last_publishing_id: 1 },
        },
      },
      { reason: { code: 'publisher_failed', sideEffects: 'none' } },
    ]);
    const next = clientOf(api).publisher({ stream: 's', name: 'p' });
    expect(await next.publish({ text: 'c' })).toMatchObject({ publishingId: 2, offset: 2 });
  });

  test('P7: does not take a later refusal for a proof that nothing was stored', async () => {
    const { api, store } = createFaultyApi();
    await createStream(api);
    store.failNext('after', TIMED_OUT);
    const pass = fetchOf(api);
    let isAnswered = false;
    const publisher = clientOf(api, {
      fetch: async (input, init) => {
        if (isAnswered)
          await api.call(`PUT ${STREAM}/fencing-token`, { body: { fencing_token: 'b' } });
        isAnswered = init?.method === 'POST';
        return await pass(input, init);
      },
    }).publisher({ stream: 's', name: 'p', fencingToken: 'a' });
    await api.call(`PUT ${STREAM}/fencing-token`, { body: { fencing_token: 'a' } });

    expect(await outcome(publisher.publish({ text: 'a' }))).toMatchObject({
      code: 'fenced',
      sideEffects: 'possible',
    });
    expect(await readTexts(api)).toEqual(['a']);
  });
});
