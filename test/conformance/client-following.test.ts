/** Followers of the client library: from what is there to what comes, over resets, gaps and fronts that cannot stream. */
import { describe, expect } from 'vitest';
import { connect, type Reading } from '../../lib/client/connect.ts';
import type { FollowOptions } from '../../lib/client/follow.ts';
import type { Message } from '../../lib/client/message.ts';
import type { Gap } from '../../lib/client/page.ts';
import type { Api } from '../support/api.ts';
import { inProcess, test } from '../support/api-test.ts';
import {
  bodies,
  clientOf,
  fetchOf,
  interceptedFetch,
  offsets,
  take,
} from '../support/client-api.ts';
import { createManualTimer, createPromptTimer } from '../support/client-timers.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { listen } from '../support/listen.ts';
import { settle } from '../support/manual-clock.ts';
import { createStream, numbered, publish, STREAM, texts } from '../support/publish-steps.ts';
import { publishEach, range, trim } from '../support/read-steps.ts';
import { seededRandom } from '../support/seeded-random.ts';

const localTest = inProcess('its hand on the clock');
const pulledTest = inProcess('nothing between it and the API');

const RETRY = { attempts: 200, firstMs: 1, maxMs: 5 };

describe('a follower', () => {
  test('LR2 LR3: gets what is there, then what comes', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 3, 2);
    const following = clientOf(api).follow({ stream: 's' });
    const seen = await take(following, 5);
    const coming = take(following, 3);
    await settle();
    await publish(api, numbered(3, 5));

    expect(bodies([...seen, ...(await coming)])).toEqual(['0', '1', '2', '0', '1', '5', '6', '7']);
    await following.return();
  });

  localTest(
    'LR3: whose connections are reset in the middle gets every message once, in order',
    async ({ api }) => {
      await createStream(api);
      await publish(api, numbered(100));
      await using server = await listen(api);
      const random = seededRandom(3);
      await using proxy = await startCuttingProxy({
        port: server.port,
        cutAfter: () => Math.floor(random() * 6_000),
      });
      const client = connect({ url: proxy.url, retry: RETRY, random });
      const seen: Message[] = [];
      for await (const message of client.follow({ stream: 's', from: 0, pageBytes: 100 })) {
        seen.push(message);
        // Something new whenever nothing is left, so that the reader is live most of the time.
        if (seen.length % 100 === 0) await publish(api, numbered(100, seen.length));
        if (seen.length === 2_000) break;
      }

      expect(proxy.cuts()).toBeGreaterThan(20);
      expect(offsets(seen)).toEqual(range(0, 2_000));
      expect(bodies(seen)).toEqual(range(0, 2_000).map(String));
    },
  );

  pulledTest('O16: that is overtaken by a trim is told, and goes on behind it', async ({ api }) => {
    const gaps: Gap[] = [];
    const following = await overtaken(api, { onGap: (gap) => gaps.push(gap) });
    const seen = offsets(await take(following, 5));
    await following.return();

    // How many had been sent before the trim is up to the buffers in between.
    const before = seen.filter((offset) => offset < 35);
    expect(before).toEqual(range(21, 21 + before.length));
    expect(seen.slice(before.length)).toEqual(range(35, 40 - before.length));
    const requested = 21 + before.length;
    expect(gaps).toEqual([{ requested, firstAvailable: 35, missing: 35 - requested }]);
  });

  pulledTest('O16: without an ear for gaps ends where messages are missing', async ({ api }) => {
    const following = await overtaken(api, {});

    await expect(take(following, 5)).rejects.toMatchObject({
      code: 'offset_trimmed',
      details: { first_available: 35 },
    });
  });

  test('T13: of a stream that is deleted ends with that', async ({ api }) => {
    await createStream(api);
    const following = clientOf(api).follow({ stream: 's' });
    const isTold = expect(following.next()).rejects.toMatchObject({
      code: 'stream_not_found',
      status: 404,
    });
    await settle();
    await api.call(`DELETE ${STREAM}`);

    await isTold;
    expect(await following.next()).toEqual({ done: true, value: undefined });
  });

  test('O15 T13: that comes back to another stream of that name is told so', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 5);
    const pass = fetchOf(api);
    const client = clientOf(api, {
      fetch: async (input, init) => {
        // Between the last page and the event stream the stream is made anew.
        const isLive = new Headers(init?.headers).get('accept') === 'text/event-stream';
        if (isLive) {
          await api.call(`DELETE ${STREAM}`);
          await createStream(api);
          await publishEach(api, 9);
        }
        return await pass(input, init);
      },
    });
    const following = client.follow({ stream: 's' });
    await take(following, 5);

    await expect(following.next()).rejects.toMatchObject({ code: 'stream_recreated' });
  });

  test('O13: repeats nothing of a page that breaks in its middle', async ({ api }) => {
    await createStream(api);
    await publish(api, numbered(5));
    let isBroken = false;
    const pass = fetchOf(api);
    const client = clientOf(api, {
      fetch: async (input, init) => {
        const answer = await pass(input, init);
        if (isBroken) return answer;
        isBroken = true;
        // The length of the last record but one now passes the end of its frame.
        const bytes = new Uint8Array(await answer.arrayBuffer());
        bytes[bytes.length - 6] = 0x7f;
        return new Response(bytes, { headers: answer.headers });
      },
    });
    const following = client.follow({ stream: 's' });
    const seen = await take(following, 5);
    await following.return();

    expect(bodies(seen)).toEqual(['0', '1', '2', '3', '4']);
  });

  localTest('LR1 LR3: reads waiting pages where event streams are not given', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 2);
    const calls: string[] = [];
    const pass = fetchOf(api);
    const client = clientOf(api, {
      fetch: async (input, init) => {
        calls.push(String(input).replace(/^.*\?/, ''));
        const isLive = new Headers(init?.headers).get('accept') === 'text/event-stream';
        return isLive
          ? Response.json({ code: 'not_acceptable', message: 'use wait' }, { status: 406 })
          : await pass(input, init);
      },
    });
    const following = client.follow({ stream: 's' });
    expect(offsets(await take(following, 2))).toEqual([0, 1]);
    const coming = take(following, 2);
    await settle();
    expect(api.clock.waiting()).toBe(1);
    await publishEach(api, 1);
    await settle();
    await publishEach(api, 1);

    expect(offsets(await coming)).toEqual([2, 3]);
    await following.return();
    expect(calls.filter((call) => call.includes('wait=20')).length).toBeGreaterThan(1);
    expect(api.clock.waiting()).toBe(0);
  });

  test('LR3: gives up a connection that says nothing for two pings, and comes back', async ({
    api,
  }) => {
    await createStream(api);
    await publishEach(api, 2);
    const timer = createManualTimer();
    const retries: string[] = [];
    let streams = 0;
    const mute = new ReadableStream({ pull: () => new Promise(() => undefined) });
    const client = clientOf(api, {
      timer,
      fetch: interceptedFetch(api, (call) => {
        if (!call.includes('from=2') || ++streams > 1) return undefined;
        return new Response(mute, { headers: { 'content-type': 'text/event-stream' } });
      }),
      onRetry: ({ error }) => retries.push(error.message),
    });
    const following = client.follow({ stream: 's' });
    await take(following, 2);
    const next = following.next();
    await settle();
    timer.fire(30_000);
    await settle();
    expect(retries).toEqual(['the event stream broke off: nothing came for 30000 ms']);
    timer.fire(50);
    await settle();
    await publishEach(api, 1);

    expect((await next).value).toMatchObject({ offset: 2 });
    await following.return();
    expect(timer.waiting()).toEqual([]);
  });

  test('LR3: goes on over an outage of any length, once it was connected', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 2);
    let isDown = false;
    const timer = createPromptTimer();
    const client = clientOf(api, {
      timer,
      retry: { attempts: 2 },
      fetch: interceptedFetch(api, (_call, number) => {
        isDown = number > 0 && number < 50;
        return isDown ? Promise.reject(new TypeError('fetch failed')) : undefined;
      }),
    });
    const following = client.follow({ stream: 's' });
    await take(following, 2);
    const next = following.next();
    while (timer.waits.length < 49) await settle();
    await publishEach(api, 1);

    expect((await next).value).toMatchObject({ offset: 2 });
    await following.return();
    expect(timer.waits.slice(0, 9)).toEqual([50, 100, 200, 400, 800, 1600, 3200, 5000, 5000]);
  });

  test('O13: trusts no event that does not go on where it is', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 2);
    const skipping = `event: batch\ndata: {"messages":[{"offset":3,"timestamp":1,"json":1}],"next":4,"tail":4}\n\n`;
    const client = clientOf(api, {
      retry: { attempts: 3 },
      fetch: interceptedFetch(api, (call) =>
        call.includes('from=2')
          ? new Response(skipping, { headers: { 'content-type': 'text/event-stream' } })
          : undefined,
      ),
    });
    const following = client.follow({ stream: 's' });
    await take(following, 2);

    await expect(following.next()).rejects.toMatchObject({ code: 'bad_answer' });
  });

  test('LR3: gives up when it never was connected', async ({ api }) => {
    const client = clientOf(api, {
      retry: { attempts: 3 },
      fetch: () => Promise.reject(new TypeError('fetch failed')),
    });

    const next = client.follow({ stream: 's' }).next();
    await expect(next).rejects.toMatchObject({ code: 'connection_failed' });
  });
});

/** A live follower that was given offset 20 of 40, of which 35 on are left. */
async function overtaken(api: Api, options: Partial<FollowOptions>): Promise<Reading<Message>> {
  const publishLarge = async (first: number, end: number) => {
    for (const n of range(first, end)) await publish(api, texts(`${n}`.padStart(100_000)));
  };
  await createStream(api);
  await publishLarge(0, 20);
  const following = clientOf(api).follow({ stream: 's', from: 'next', ...options });
  const first = following.next();
  await settle();
  await publishLarge(20, 40);
  expect((await first).value).toMatchObject({ offset: 20 });
  await trim(api, 35);
  return following;
}
