import { describe, expect } from 'vitest';
import { test } from '../support/api-test.ts';
import { clientOf, interceptedFetch } from '../support/client-api.ts';
import { createPromptTimer } from '../support/client-timers.ts';
import { createFaultyApi } from '../support/faulty-api.ts';
import { settle } from '../support/manual-clock.ts';
import { outcome, TIMED_OUT, UNAVAILABLE } from '../support/publish-outcomes.ts';
import { createStream, nextOffset, numbered, readTexts, texts } from '../support/publish-steps.ts';
import { range } from '../support/read-steps.ts';

const notSent = () => new TypeError('fetch failed', { cause: coded('ECONNREFUSED') });
const lost = () => new TypeError('fetch failed', { cause: coded('ECONNRESET') });
const coded = (code: string) => Object.assign(new Error(code), { code });

describe('a publisher without a name', () => {
  test('P7: tries again when nothing was stored', async () => {
    const { api, store } = createFaultyApi();
    await createStream(api);
    store.failNext('before', UNAVAILABLE);
    const events: object[] = [];
    const publisher = clientOf(api, {
      onRetry: ({ error: { code }, failures, delayMs }) => events.push({ code, failures, delayMs }),
      fetch: interceptedFetch(api, (_call, number) =>
        number === 1 ? Promise.reject(notSent()) : undefined,
      ),
    }).publisher({ stream: 's' });

    expect(await publisher.publish({ text: 'a' })).toMatchObject({ offset: 0 });
    expect(events).toEqual([
      { code: 'unavailable', failures: 1, delayMs: 1_000 },
      { code: 'connection_failed', failures: 2, delayMs: 100 },
    ]);
  });

  test.for([
    ['the server cannot tell', undefined, 'store_timeout'],
    ['the connection broke', lost, 'connection_failed'],
    ['a runtime does not say why', () => new TypeError('Load failed'), 'connection_failed'],
  ] as const)('P7: never repeats when %s, and says so', async ([, fault, code]) => {
    const { api, store } = createFaultyApi();
    await createStream(api);
    if (fault === undefined) store.failNext('after', TIMED_OUT);
    const publisher = clientOf(api, {
      fetch: interceptedFetch(api, (_call, number) =>
        number === 0 && fault ? Promise.reject(fault()) : undefined,
      ),
    }).publisher({ stream: 's', maxBatch: 1 });
    const outcomes = await Promise.all(
      texts('a', 'b').map((one) => outcome(publisher.publish(one))),
    );

    expect(outcomes).toMatchObject([
      { code, sideEffects: 'possible', message: expect.stringContaining('is unknown') },
      { outcome: 'stored' },
    ]);
    expect(store.calls('commit')).toBe(fault === undefined ? 2 : 1);
  });

  test.for([
    ['502 of a front', 502, 'possible'],
    ['200 of a front', 200, 'possible'],
  ] as const)('P7: takes %s for no proof', async ([, status, sideEffects], { api }) => {
    await createStream(api);
    const publisher = clientOf(api, {
      fetch: async () => new Response('<html>', { status }),
    }).publisher({ stream: 's' });

    expect(await outcome(publisher.publish({ text: 'a' }))).toMatchObject({ sideEffects });
  });

  test('P7: gives up what is refused for good at once', async ({ api }) => {
    const timer = createPromptTimer();
    const publisher = clientOf(api, { timer }).publisher({ stream: 's' });

    expect(await outcome(publisher.publish({ text: 'a' }))).toMatchObject({
      code: 'stream_not_found',
      sideEffects: 'none',
    });
    expect(timer.waits).toEqual([]);
  });

  test('P5 P12: creates its stream, and carries a fencing token', async ({ api }) => {
    const client = clientOf(api);
    await client.publisher({ stream: 's', create: true }).publish({ text: 'a' });
    const fenced = client.publisher({ stream: 's', fencingToken: 'a' });

    expect(await outcome(fenced.publish({ text: 'b' }))).toMatchObject({ code: 'fenced' });
  });

  test('P1: keeps the order, also over failures', async () => {
    const { api, store } = createFaultyApi();
    await createStream(api);
    store.failNext('before', UNAVAILABLE);
    store.failNext('before', UNAVAILABLE);
    const publisher = clientOf(api).publisher({ stream: 's', maxBatch: 2 });
    await Promise.all(numbered(9).map((one) => publisher.publish(one)));

    expect(await readTexts(api)).toEqual(range(0, 9).map(String));
  });

  test('P1: has as many requests in flight as it is told', async () => {
    const { api, store } = createFaultyApi();
    await createStream(api);
    const release = store.holdNext();
    let open = 0;
    const publisher = clientOf(api, {
      fetch: interceptedFetch(api, () => void open++),
    }).publisher({ stream: 's', maxBatch: 1, requestsInFlight: 3 });
    const published = numbered(5).map((one) => publisher.publish(one));
    await settle();
    expect(open).toBe(3);

    release();
    await Promise.all(published);
    expect(await nextOffset(api)).toBe(5);
  });
});
