import { describe, expect } from 'vitest';
import { keepReleased } from '../../lib/services/keep-released.ts';
import type { LocalApi } from '../support/api.ts';
import { inProcess } from '../support/api-test.ts';
import { settle } from '../support/manual-clock.ts';
import { createStream, publish, readMessages } from '../support/publish-steps.ts';
import { bind, declareExchange, send } from '../support/routing-steps.ts';

const test = inProcess('its hand on the clock');

const EVERY_MS = 60_000;

/** What the server does by itself, and how often it asks the store. */
function keep({ components, http }: LocalApi) {
  const { timers } = components;
  let releases = 0;
  const counted = {
    ...timers,
    release: (options: Parameters<typeof timers.release>[0]) => {
      releases++;
      return timers.release(options);
    },
  };
  const ending = new AbortController();
  const kept = keepReleased(
    {
      components: { ...components, timers: counted },
      telemetry: http.telemetry,
      everyMs: EVERY_MS,
    },
    ending.signal,
  );
  return {
    releases: () => releases,
    end: async () => {
      ending.abort();
      await kept;
    },
  };
}

/** When it was stored, by its text. */
async function stored(api: LocalApi): Promise<readonly (readonly [unknown, unknown])[]> {
  return (await readMessages(api)).map(({ text, timestamp }) => [text, timestamp] as const);
}

describe('a server', () => {
  test('L5 L11: releases each at its time, those that come in later too', async ({ api }) => {
    await createStream(api);
    const nowMs = api.clock.nowMs();
    await publish(api, [{ text: 'c', delay_ms: 3_000 }]);
    const running = keep(api);
    await settle();
    await publish(api, [
      { text: 'b', delay_ms: 2_000 },
      { text: 'a', delay_ms: 1 },
    ]);
    await api.clock.advance(1);
    expect(await stored(api)).toEqual([['a', nowMs + 1]]);
    await api.clock.advance(1_998);
    expect(await stored(api)).toHaveLength(1);
    await api.clock.advance(1);
    await api.clock.advance(1_000);
    expect(await stored(api)).toEqual([
      ['a', nowMs + 1],
      ['b', nowMs + 2_000],
      ['c', nowMs + 3_000],
    ]);
    await running.end();
  });

  test('L11: wakes for what an exchange holds, too', async ({ api }) => {
    await createStream(api);
    await declareExchange(api, 'e', { type: 'fanout', delayed: true });
    await bind(api, ['e', 's']);
    const running = keep(api);
    await settle();
    await send(api, 'e', { text: 'a', delay_ms: 500 });
    await api.clock.advance(500);
    expect(await stored(api)).toHaveLength(1);
    await running.end();
  });

  test('L11: asks the store for nothing while nothing is due', async ({ api }) => {
    await createStream(api);
    const running = keep(api);
    await settle();
    expect(running.releases()).toBe(1);
    await api.clock.advance(EVERY_MS - 1);
    expect(running.releases()).toBe(1);
    await api.clock.advance(1);
    expect(running.releases()).toBe(2);
    await publish(api, [{ text: 'a', delay_ms: 10 * EVERY_MS }]);
    await api.clock.advance(EVERY_MS - 1);
    expect(running.releases()).toBe(2);
    await running.end();
  });

  test('L5: tries again a second after the store failed', async ({ api }) => {
    await createStream(api);
    await publish(api, [{ text: 'a', delay_ms: 1_000 }]);
    const { timers } = api.components;
    let failures = 2;
    const flaky = {
      ...timers,
      release: async (options: Parameters<typeof timers.release>[0]) => {
        if (failures-- > 0) throw new Error('the store is away');
        return await timers.release(options);
      },
    };
    const ending = new AbortController();
    const { telemetry } = api.http;
    const components = { ...api.components, timers: flaky };
    const kept = keepReleased({ components, telemetry, everyMs: EVERY_MS }, ending.signal);
    await settle();
    expect(api.errors).toMatchObject([{ event: 'release_failed' }]);
    await api.clock.advance(1_000);
    expect(await stored(api)).toEqual([]);
    await api.clock.advance(1_000);
    expect(await stored(api)).toHaveLength(1);
    ending.abort();
    await kept;
  });
});
