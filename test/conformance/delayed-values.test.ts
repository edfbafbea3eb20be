/** Exchanges that hold messages and remember their values: a repeat is told from the moment it is held. */
import { describe, expect } from 'vitest';
import type { LocalApi } from '../support/api.ts';
import { inProcess } from '../support/api-test.ts';
import { heldIn, listHeld, passMs } from '../support/delayed-steps.ts';
import { told } from '../support/publish-steps.ts';
import { bind, countsIn, declareExchange, declareStreams, send } from '../support/routing-steps.ts';

const test = inProcess('its hand on the clock');

const VALUE = { 'x-deduplication-header': 'A' };

async function prepare(api: LocalApi, cacheTtl: number | null = null): Promise<void> {
  await declareStreams(api, 'q');
  const declared = await declareExchange(api, 'e', {
    type: 'fanout',
    delayed: true,
    deduplication: { cache_size: 10, ...(cacheTtl !== null && { cache_ttl: cacheTtl }) },
  });
  expect(declared).toMatchObject({ status: 201 });
  await bind(api, ['e', 'q']);
}

const sendA = (api: LocalApi, delayMs: number) =>
  send(api, 'e', { text: 'A', headers: VALUE, delay_ms: delayMs });

const duplicate = {
  status: 200,
  routed: true,
  destinations: [{ exchange: 'e', outcome: 'duplicate', stored: 0, duplicates: 1 }],
  deduplicated: [0],
  held: [],
};

test.for([
  [49, 49, 200],
  [50, 50, 413],
  [98, 1, 200],
  [99, 1, 413],
] as const)('L13: %i held with %i values: %i', async ([count, values, status], { api }) => {
  await declareStreams(api, 'q');
  const deduplication = { cache_size: 100 };
  await declareExchange(api, 'e', { type: 'fanout', delayed: true, deduplication });
  await bind(api, ['e', 'q']);
  const messages = Array.from({ length: count }, (_, at) => ({
    text: 'm',
    delay_ms: 100,
    ...(at < values && { headers: { 'x-deduplication-header': `${at}` } }),
  }));
  const answer = await send(api, 'e', { messages });
  expect(answer).toMatchObject({ status });
  await passMs(api, 100);
  expect(await countsIn(api, 'q')).toEqual([status === 200 ? count : 0]);
});

describe('a value', () => {
  test('M8: is known while its message is held, and for its time', async ({ api }) => {
    await prepare(api, 500);
    expect(heldIn(await sendA(api, 100))).toHaveLength(1);
    await passMs(api, 10);
    expect(told(await sendA(api, 100))).toMatchObject(duplicate);
    await passMs(api, 90);
    expect(await countsIn(api, 'q')).toEqual([1]);
    await passMs(api, 200);
    expect(told(await sendA(api, 100))).toMatchObject(duplicate);
    await passMs(api, 300);
    expect(heldIn(await sendA(api, 100))).toHaveLength(1);
    await passMs(api, 100);
    expect(await countsIn(api, 'q')).toEqual([2]);
  });

  test('L3 M8: stays known when its message is cancelled', async ({ api }) => {
    await prepare(api);
    const [held] = heldIn(await sendA(api, 3_600_000));
    expect((await api.call(`DELETE /v1/delayed/${held?.id}`)).status).toBe(204);
    expect(told(await sendA(api, 3_600_000))).toMatchObject(duplicate);
    expect(await listHeld(api)).toEqual([]);
    await passMs(api, 3_600_000);
    expect(await countsIn(api, 'q')).toEqual([0]);
  });

  test('M5 L13: of several that are held together each is known', async ({ api }) => {
    await prepare(api);
    const late = (value: string) => ({
      text: value,
      headers: { 'x-deduplication-header': value },
      delay_ms: 1_000,
    });
    const first = await send(api, 'e', { messages: [late('A'), late('B'), late('A')] });
    expect(heldIn(first).map(({ index }) => index)).toEqual([0, 1]);
    expect(told(first)).toMatchObject({ deduplicated: [2] });
    const second = await send(api, 'e', { messages: [late('B'), late('C')] });
    expect(heldIn(second).map(({ index }) => index)).toEqual([1]);
    await passMs(api, 1_000);
    expect(await countsIn(api, 'q')).toEqual([3]);
  });

  test('M5: of one that is stored at once is known to one that would be held', async ({ api }) => {
    await prepare(api);
    expect(told(await sendA(api, 0))).toMatchObject({ destinations: [{ outcome: 'stored' }] });
    expect(told(await sendA(api, 1_000))).toMatchObject({
      destinations: [{ stream: 'q', outcome: 'duplicate' }],
      held: [],
    });
    await passMs(api, 1_000);
    expect(await countsIn(api, 'q')).toEqual([1]);
  });
});
