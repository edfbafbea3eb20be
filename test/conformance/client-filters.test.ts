/** Filters of the client library: pages and followers that are given what matches, and go on behind the rest. */
import { describe, expect } from 'vitest';
import { connect } from '../../lib/client/connect.ts';
import type { FilterOptions } from '../../lib/client/filter.ts';
import type { Message } from '../../lib/client/message.ts';
import { inProcess, test } from '../support/api-test.ts';
import { all, clientOf, interceptedFetch, offsets, take } from '../support/client-api.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { createFiltered, placed, publishAll, valued } from '../support/filter-steps.ts';
import { listen } from '../support/listen.ts';
import { settle } from '../support/manual-clock.ts';
import { createStream, publish } from '../support/publish-steps.ts';
import { range } from '../support/read-steps.ts';
import { seededRandom } from '../support/seeded-random.ts';

const localTest = inProcess('its hand on the clock');
const manyTest = inProcess('thousands of requests');

const RETRY = { attempts: 200, firstMs: 1, maxMs: 5 };
const LARGE = range(0, 100).map((n) => `${n}`.padStart(100, 'x'));

describe('a reader', () => {
  test.for<[FilterOptions, readonly number[]]>([
    [{ filter: 'foo' }, [1, 3, 4]],
    [{ filter: 'foo,bar', match: 'any' }, [1, 2, 3, 4]],
    [{ filter: 'foo', matchUnfiltered: true }, [0, 1, 3, 4, 5]],
    [{ filter: { 'x-foo': 'bar' } }, [3]],
    [{ filter: ['foo', { 'x-foo': 'bar' }] }, [3]],
    [{ filter: 'nope' }, []],
    [{ filter: '{foo' }, []],
    [{ filter: {} }, [0, 1, 2, 3, 4, 5]],
    [{ filter: ['foo', ...LARGE.slice(1)], match: 'any' }, [1, 3, 4]],
    [{}, [0, 1, 2, 3, 4, 5]],
  ])('F1 F4 F5: with %j gets %j', async ([options, expected], { api }) => {
    await createFiltered(api);
    const client = clientOf(api);

    for (const pageBytes of [1, 100_000]) {
      const read = client.read({ stream: 's', from: 0, pageBytes, ...options });
      expect(offsets(await all(read))).toEqual(expected);
    }
  });

  test('F1: means a text that begins like JSON as a text', async ({ api }) => {
    await createStream(api);
    await publishAll(api, [valued('{a'), valued('[]'), valued('a')]);
    const read = (filter: string) => all(clientOf(api).read({ stream: 's', filter }));

    expect(offsets(await read('{a'))).toEqual([0]);
    expect(offsets(await read('[]'))).toEqual([1]);
  });

  test('F1: asks by POST when the filter is large, and tries that again as any read', async ({
    api,
  }) => {
    await createFiltered(api);
    const calls: string[] = [];
    const fetch = interceptedFetch(api, (call, number) => {
      calls.push(call);
      return number === 0 ? new Response('{}', { status: 503 }) : undefined;
    });
    const client = clientOf(api, { fetch });
    const filter = ['foo', ...LARGE.slice(1)];

    expect(offsets(await all(client.read({ stream: 's', filter, match: 'any' })))).toEqual([
      1, 3, 4,
    ]);
    expect(calls).toEqual(['POST /v1/streams/s/read', 'POST /v1/streams/s/read']);
  });

  test('F8: is told what is wrong with its filter, and does not try again', async ({ api }) => {
    await createFiltered(api);
    const filter = { 'geo-bbox': { min_lat: 5 } };

    await expect(all(clientOf(api).read({ stream: 's', filter }))).rejects.toMatchObject({
      code: 'invalid_filter',
      status: 400,
    });
  });

  test('LR4: counts what it is given, and ends before a time', async ({ api }) => {
    await createFiltered(api);
    const client = clientOf(api);
    const filter = 'foo';

    expect(offsets(await all(client.read({ stream: 's', filter, limit: 2 })))).toEqual([1, 3]);
    const until = '2001-01-01T00:00:00Z';
    expect(await all(client.read({ stream: 's', filter, until }))).toEqual([]);
  });

  manyTest('F7: goes on over pages on which nothing matched', async ({ api }) => {
    await createStream(api);
    const text = 'x'.repeat(1_000_000);
    for (const _publish of range(0, 70)) await publish(api, [{ text }]);
    await publishAll(api, [valued('foo')]);
    const pages = await all(clientOf(api).pages({ stream: 's', filter: 'foo' }));

    expect(pages.map(({ count }) => count)).toEqual([0, 0, 1]);
    expect(pages.at(-1)).toMatchObject({ next: 71, isUpToDate: true });
  });
});

describe('a follower', () => {
  test('LR3 F7: gets what matches of what is there, then of what comes', async ({ api }) => {
    await createFiltered(api);
    const filter = { 'geo-within-radius': { lat: 40, lon: -74, radius_km: 1 } };
    await publishAll(api, [placed(40, -74), placed(10, 10)]);
    const retries: object[] = [];
    const client = clientOf(api, { onRetry: (event) => retries.push(event) });
    const following = client.follow({ stream: 's', from: 0, filter });
    const seen = await take(following, 1);
    const coming = take(following, 2);
    await settle();
    for (const lat of [10, 40, 10, 40]) await publishAll(api, [placed(lat, -74)]);

    expect(offsets([...seen, ...(await coming)])).toEqual([6, 9, 11]);
    expect(retries).toEqual([]);
    await following.return();
  });

  localTest(
    'LR3 F7: whose connections are reset gets every match once, in order',
    async ({ api }) => {
      await createStream(api);
      const next = async (start: number) => {
        await publishAll(
          api,
          range(start, start + 100).map((n) => valued(n % 3 === 0 ? 'foo' : 'bar')),
        );
      };
      await next(0);
      await using server = await listen(api);
      const random = seededRandom(5);
      await using proxy = await startCuttingProxy({
        port: server.port,
        cutAfter: () => Math.floor(random() * 6_000),
      });
      const client = connect({ url: proxy.url, retry: RETRY, random });
      const seen: Message[] = [];
      const options = { stream: 's', from: 0, pageBytes: 500, filter: 'foo' };
      for await (const message of client.follow(options)) {
        seen.push(message);
        if (message.offset % 100 >= 97) await next(message.offset + 100 - (message.offset % 100));
        if (seen.length === 400) break;
      }

      expect(proxy.cuts()).toBeGreaterThan(5);
      expect(offsets(seen)).toEqual(range(0, 400).map((n) => n * 3));
    },
  );
});
