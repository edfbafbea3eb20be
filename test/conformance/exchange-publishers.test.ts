/** Named publishers through an exchange: each destination knows them by itself. */
import { describe, expect } from 'vitest';
import { test } from '../support/api-test.ts';
import { told } from '../support/publish-steps.ts';
import {
  bind,
  countsIn,
  declareExchange,
  declareStreams,
  fanout,
  outcomesOf,
  send,
  withOptions,
} from '../support/routing-steps.ts';

describe('a named publisher', () => {
  const by = (publishing_id: number) => ({ publisher: 'p', publishing_id });

  test('D13: is known to each destination by itself', async ({ api }) => {
    await fanout(api, 's', 'q');
    const outcomes = async (id: number) =>
      outcomesOf(await send(api, 'e', withOptions(by(id)))).outcomes;
    expect(await outcomes(5)).toEqual({ s: 'stored', q: 'stored' });
    expect(await outcomes(5)).toEqual({ s: 'duplicate', q: 'duplicate' });
    expect(await countsIn(api, 's', 'q')).toEqual([1, 1]);

    const direct = { body: { messages: [{ text: 'x' }], ...by(8) } };
    await api.call('POST /v1/streams/s/messages', direct);
    expect(await outcomes(7)).toEqual({ s: 'duplicate', q: 'stored' });
    const highest = async (stream: string) =>
      (await api.call(`GET /v1/streams/${stream}/publishers/p`)).json()['publishing_id'];
    expect([await highest('s'), await highest('q')]).toEqual([8, 7]);

    await declareStreams(api, 'u');
    await bind(api, ['e', 'u']);
    expect(await outcomes(7)).toEqual({ s: 'duplicate', q: 'duplicate', u: 'stored' });
  });

  test('D13 X7: a repeat that every destination knows is routed', async ({ api }) => {
    await fanout(api, 's');
    await send(api, 'e', withOptions(by(1)));
    const again = told(await send(api, 'e', withOptions(by(1))));
    expect(again).toMatchObject({ routed: true, destinations: [{ start: 0, end: 1, stored: 0 }] });
    expect(again['repeat']).toBeUndefined();
  });

  test('D13 D4: its ids go with the messages, whichever way these go', async ({ api }) => {
    await declareStreams(api, 'a', 'b');
    await declareExchange(api, 'e', { type: 'direct' });
    for (const stream of ['a', 'b']) await bind(api, ['e', stream], { key: stream });
    const sent = ['a', 'b', 'a', 'b'].map((routing_key) => ({ text: 'm', routing_key }));
    await send(api, 'e', { messages: sent, ...by(10) });
    const highest = async (stream: string) =>
      (await api.call(`GET /v1/streams/${stream}/publishers/p`)).json()['publishing_id'];
    expect([await highest('a'), await highest('b')]).toEqual([12, 13]);
    expect(told(await send(api, 'e', { messages: sent, ...by(10) }))).toMatchObject({
      destinations: [
        { outcome: 'duplicate', duplicates: 2 },
        { outcome: 'duplicate', duplicates: 2 },
      ],
    });
    expect(await countsIn(api, 'a', 'b')).toEqual([2, 2]);
  });

  test('X8 D11: one that a stream has fenced off is rejected there, and stored elsewhere', async ({
    api,
  }) => {
    await fanout(api, 's', 'q');
    const direct = { body: { messages: [{ text: 'x' }], ...by(1), epoch: 5 } };
    await api.call('POST /v1/streams/s/messages', direct);
    expect(told(await send(api, 'e', withOptions({ ...by(2), epoch: 4 })))).toMatchObject({
      status: 200,
      routed: true,
      destinations: [
        { stream: 'q', outcome: 'stored' },
        {
          stream: 's',
          outcome: 'rejected',
          code: 'publisher_fenced',
          stored: 0,
          side_effects: 'none',
        },
      ],
      repeat: { safe: true },
    });
  });

  test('X7: what every destination rejects is not routed', async ({ api }) => {
    await fanout(api, 's');
    const direct = { body: { messages: [{ text: 'x' }], ...by(1), epoch: 5 } };
    await api.call('POST /v1/streams/s/messages', direct);
    expect(told(await send(api, 'e', withOptions({ ...by(2), epoch: 4 })))).toMatchObject({
      status: 200,
      routed: false,
      destinations: [{ outcome: 'rejected' }],
    });
  });
});
