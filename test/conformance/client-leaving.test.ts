/** Followers of the client library that go away: nothing is held for them, here or at the server. */
import { describe, expect } from 'vitest';
import { connect } from '../../lib/client/connect.ts';
import { inProcess, test } from '../support/api-test.ts';
import { clientOf, fetchOf, take } from '../support/client-api.ts';
import { createManualTimer } from '../support/client-timers.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { listen } from '../support/listen.ts';
import { settle } from '../support/manual-clock.ts';
import { createStream } from '../support/publish-steps.ts';
import { publishEach } from '../support/read-steps.ts';

const localTest = inProcess('its hand on the clock');

describe('a follower goes away at once', () => {
  test('LR5: keeps no connection that gives no events', async ({ api }) => {
    await createStream(api);
    const signals: (AbortSignal | null | undefined)[] = [];
    const left: boolean[] = [];
    const pass = fetchOf(api);
    const client = clientOf(api, {
      retry: { attempts: 2 },
      fetch: async (input, init) => {
        if (!String(input).includes('from=0')) return await pass(input, init);
        left.push(signals.every((signal) => signal?.aborted));
        signals.push(init?.signal);
        return new Response('<html>', { headers: { 'content-type': 'text/html' } });
      },
    });

    const next = client.follow({ stream: 's' }).next();
    await expect(next).rejects.toMatchObject({ code: 'bad_answer' });
    // Each is let go before the next is opened.
    expect(left).toEqual([true, true]);
    expect(signals.every((signal) => signal?.aborted)).toBe(true);
  });

  localTest('LR5: by leaving the loop', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 3);
    for await (const { offset } of clientOf(api).follow({ stream: 's', from: 1 })) {
      if (offset === 2) break;
    }
    await settle();
    expect(api.clock.waiting()).toBe(0);
  });

  localTest('LR5: by its signal, while it waits', async ({ api }) => {
    await createStream(api);
    const life = new AbortController();
    const following = clientOf(api).follow({ stream: 's', signal: life.signal });
    const next = following.next();
    await settle();
    expect(api.clock.waiting()).toBe(1);
    life.abort();

    expect(await next).toEqual({ done: true, value: undefined });
    await settle();
    expect(api.clock.waiting()).toBe(0);
  });

  localTest('LR5: by return, while it waits', async ({ api }) => {
    await createStream(api);
    const following = clientOf(api).follow({ stream: 's' });
    const next = following.next();
    await settle();
    await following.return();

    expect(await next).toEqual({ done: true, value: undefined });
    await settle();
    expect(api.clock.waiting()).toBe(0);
  });

  test('LR5: between two tries', async ({ api }) => {
    const life = new AbortController();
    const timer = createManualTimer();
    const client = clientOf(api, {
      timer,
      fetch: () => Promise.reject(new TypeError('fetch failed')),
    });
    const next = client.follow({ stream: 's', signal: life.signal }).next();
    await settle();
    expect(timer.waiting()).toEqual([50]);
    life.abort();

    expect(await next).toEqual({ done: true, value: undefined });
    expect(timer.waiting()).toEqual([]);
  });

  localTest('LR5: over a socket, so that the server holds nothing for it', async ({ api }) => {
    await createStream(api);
    await publishEach(api, 1);
    await using server = await listen(api);
    // Closes what `fetch` keeps open for its next request, for which the server would wait at its end.
    await using proxy = await startCuttingProxy({ port: server.port, cutAfter: () => undefined });
    const following = connect({ url: proxy.url }).follow({ stream: 's' });
    await take(following, 1);
    const next = following.next();
    while (api.clock.waiting() === 0) await settle();
    await following.return();
    await next;
    while (api.clock.waiting() > 0) await settle();
    expect(api.clock.waiting()).toBe(0);
  });
});
