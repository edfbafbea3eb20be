/** The publisher of the client library on a server that is slow, and over connections that break. */
import { describe, expect } from 'vitest';
import type { ClientError } from '../../lib/client/client-error.ts';
import { connect } from '../../lib/client/connect.ts';
import { systemTimer } from '../../lib/client/timer.ts';
import type { Components } from '../../lib/services/components.ts';
import type { LocalApi } from '../support/api.ts';
import { inProcess } from '../support/api-test.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { listen } from '../support/listen.ts';
import { createStream, readTexts } from '../support/publish-steps.ts';
import { range } from '../support/read-steps.ts';
import { seededRandom } from '../support/seeded-random.ts';

const test = inProcess('a server of its own');

const RETRY = { attempts: 200, firstMs: 1, maxMs: 5 };

interface Observed {
  readonly components: Components;
  /** The ids of each request of a name, in the order in which they came. */
  readonly requests: (readonly number[])[];
  inFlightMost(): number;
}

/** Watches the requests of publishers at the server, and holds each answer back for up to `delayMsMax`. */
function observe({ components }: LocalApi, random: () => number, delayMsMax: number): Observed {
  const requests: (readonly number[])[] = [];
  let [inFlight, most] = [0, 0];
  return {
    requests,
    inFlightMost: () => most,
    components: {
      ...components,
      appends: {
        async submit(append) {
          requests.push(append.publisher?.ids ?? []);
          most = Math.max(most, ++inFlight);
          try {
            const outcome = await components.appends.submit(append);
            const delayMs = random() * delayMsMax;
            await new Promise<void>((resolve) => systemTimer.after(delayMs, resolve));
            return outcome;
          } finally {
            inFlight--;
          }
        },
      },
    },
  };
}

const idMessages = (first: number, end: number) =>
  range(first, end).map((id) => ({ text: String(id) }));

describe('a named publisher', () => {
  test('D12: has one request in flight on a server of any slowness, every id stored once, in order', async ({
    api,
  }) => {
    await createStream(api);
    const observed = observe(api, seededRandom(40), 50);
    await using server = await listen({
      ...api,
      http: { ...api.http, components: observed.components },
    });
    const client = connect({ url: `http://127.0.0.1:${server.port}` });
    const publisher = client.publisher({ stream: 's', name: 'p', firstId: 1, lingerMs: 5 });

    // Some at once, the rest while requests are under way.
    const published = idMessages(1, 501).map((message) => publisher.publish(message));
    await published[0];
    const later = idMessages(501, 1_001).map((message) => publisher.publish(message));
    const outcomes = await Promise.all([...published, ...later]);
    await publisher.close();

    expect(observed.inFlightMost()).toBe(1);
    expect(observed.requests.length).toBeGreaterThan(1);
    expect(observed.requests.flat()).toEqual(range(1, 1_001));
    expect(await readTexts(api)).toEqual(range(1, 1_001).map(String));
    expect(outcomes.map(({ offset }) => offset)).toEqual(range(0, 1_000));
    expect(outcomes.map(({ publishingId }) => publishingId)).toEqual(range(1, 1_001));
  });

  test('D2 D12: repeats what had no answer: nothing lost, nothing doubled, nothing out of order', async ({
    api,
  }) => {
    await createStream(api);
    const random = seededRandom(7);
    const observed = observe(api, random, 2);
    await using server = await listen({
      ...api,
      http: { ...api.http, components: observed.components },
    });
    // Most connections lose the answer to a request that had its effect.
    await using proxy = await startCuttingProxy({
      port: server.port,
      cutAfter: () => (random() < 0.7 ? 0 : 1_000),
    });
    const client = connect({ url: proxy.url, retry: RETRY, random });
    const publisher = client.publisher({ stream: 's', name: 'p', firstId: 0, maxBatch: 10 });

    const outcomes = await Promise.all(
      idMessages(0, 300).map((message) => publisher.publish(message)),
    );
    await publisher.close();

    expect(proxy.cuts()).toBeGreaterThan(20);
    expect(await readTexts(api)).toEqual(range(0, 300).map(String));
    expect(outcomes.map(({ offset }) => offset)).toEqual(range(0, 300));
    expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(
      new Set(['stored', 'duplicate']),
    );
    const repeated = observed.requests.filter(
      (ids, index) => observed.requests[index - 1]?.[0] === ids[0],
    );
    expect(repeated.length).toBeGreaterThan(20);
  });
});

describe('a publisher without a name', () => {
  test('M7 P11: goes on behind messages that are known by their value', async ({ api }) => {
    await createStream(api, { deduplication: { header: 'id' } });
    await using server = await listen(api);
    const client = connect({ url: `http://127.0.0.1:${server.port}` });
    const publisher = client.publisher({ stream: 's', name: 'p' });
    const message = (id: string) => ({ text: id, headers: { id } });
    const publishAll = async (...ids: readonly string[]) => {
      const published = await Promise.all(ids.map((id) => publisher.publish(message(id))));
      return published.map(({ outcome, offset }) => [outcome, offset]);
    };

    expect(await publishAll('A', 'B')).toEqual([
      ['stored', 0],
      ['stored', 1],
    ]);
    expect(await publishAll('C', 'A', 'D')).toEqual([
      ['stored', 2],
      ['duplicate', undefined],
      ['stored', 3],
    ]);
    expect(await publishAll('A', 'B')).toEqual([
      ['duplicate', undefined],
      ['duplicate', undefined],
    ]);
    expect(await publishAll('E')).toEqual([['stored', 4]]);
    await publisher.close();
    expect(await readTexts(api)).toEqual(['A', 'B', 'C', 'D', 'E']);
  });

  test('P7: never repeats what may have been stored, and says so', async ({ api }) => {
    await createStream(api);
    await using server = await listen(api);
    let connection = 0;
    await using proxy = await startCuttingProxy({
      port: server.port,
      cutAfter: () => (connection++ === 0 ? 0 : undefined),
    });
    const publisher = connect({ url: proxy.url, retry: RETRY }).publisher({ stream: 's' });
    const [lost, alsoLost] = await Promise.allSettled([
      publisher.publish({ text: 'a' }),
      publisher.publish({ text: 'b' }),
    ]);
    const { offset } = await publisher.publish({ text: 'c' });

    const error: ClientError = lost.status === 'rejected' ? lost.reason : undefined;
    expect(error).toMatchObject({
      name: 'ClientError',
      code: 'connection_failed',
      sideEffects: 'possible',
      message: expect.stringMatching(/whether these 2 messages were stored is unknown$/),
    });
    expect(alsoLost).toEqual(lost);
    expect(offset).toBe(2);
    expect(await readTexts(api)).toEqual(['a', 'b', 'c']);
  });

  test('P7: is told that nothing was sent where nobody listens', async ({ api }) => {
    const server = await listen(api);
    await server[Symbol.asyncDispose]();
    const retries: number[] = [];
    const client = connect({
      url: `http://127.0.0.1:${server.port}`,
      retry: { ...RETRY, attempts: 3 },
      onRetry: ({ failures }) => retries.push(failures),
    });
    const refused = client.publisher({ stream: 's' }).publish({ text: 'a' });

    await expect(refused).rejects.toMatchObject({
      code: 'connection_failed',
      retryable: true,
      sideEffects: 'none',
    });
    expect(retries).toEqual([1, 2]);
  });
});
