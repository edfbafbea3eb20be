/** The publisher of the client library with messages that are held until their time. */
import { describe, expect } from 'vitest';
import { HELD_PER_REQUEST_MAX } from '../../lib/client/message-lines.ts';
import * as core from '../../lib/core/timer/held-message.ts';
import { START_MS } from '../support/api.ts';
import { inProcess } from '../support/api-test.ts';
import { clientOf, interceptedFetch } from '../support/client-api.ts';
import { listHeld, passMs } from '../support/delayed-steps.ts';
import { createStream, numbered, readMessages, readTexts } from '../support/publish-steps.ts';

const test = inProcess('its hand on the clock');

describe('a client', () => {
  test('L2 L6: has messages held beside others, by all forms of a time', async ({ api }) => {
    await createStream(api);
    const publisher = clientOf(api).publisher({ stream: 's', name: 'p' });
    const key = 'a "key"';
    const published = await Promise.all([
      publisher.publish({ text: 'now', key }),
      publisher.publish({ text: 'ä', key, headers: { n: 1 }, delayMs: 4_000 }),
      publisher.publish({ json: { a: 1 }, deliverAt: START_MS + 2_000 }),
      publisher.publish({ text: 'date', deliverAt: new Date(START_MS + 1_000) }),
      publisher.publish({ text: 'past', deliverAt: '2001-01-01T00:00:00Z' }),
    ]);
    expect(published.map(({ outcome, offset, held }) => [outcome, offset, held?.dueMs])).toEqual([
      ['stored', 0, undefined],
      ['held', undefined, START_MS + 4_000],
      ['held', undefined, START_MS + 2_000],
      ['held', undefined, START_MS + 1_000],
      ['stored', 1, undefined],
    ]);
    const ids = published.flatMap(({ held }) => (held ? [held.id] : []));
    expect((await listHeld(api)).map(({ id }) => id)).toEqual(ids.toReversed());
    expect(await readTexts(api)).toEqual(['now', 'past']);

    await passMs(api, 4_000);
    expect(await readMessages(api)).toMatchObject([
      { text: 'now', key },
      { text: 'past' },
      { text: 'date' },
      { json: { a: 1 } },
      { text: 'ä', key, headers: { n: 1 } },
    ]);
  });

  test('L13: splits what holds more than a request may', async ({ api }) => {
    expect(HELD_PER_REQUEST_MAX).toBe(core.HELD_PER_REQUEST_MAX);
    await createStream(api);
    const calls: string[] = [];
    const fetch = interceptedFetch(api, (call) => void calls.push(call));
    const publisher = clientOf(api, { fetch }).publisher({ stream: 's' });
    const messages = numbered(250).map((message) => ({ ...message, delayMs: 1_000 }));
    await Promise.all(messages.map((message) => publisher.publish(message)));

    expect(calls).toHaveLength(3);
    await passMs(api, 1_000);
    expect(await readTexts(api)).toEqual(numbered(250).map(({ text }) => text));
  });

  test.for([
    ['delayMs', { delayMs: 1.5 }],
    ['delayMs', { delayMs: 315_360_000_001 }],
    ['deliverAt', { deliverAt: Number.NaN }],
    ['deliverAt', { deliverAt: new Date(Number.NaN) }],
    ['deliverAt', { delayMs: 1, deliverAt: START_MS }],
    ['line 2.deliver_at', { deliverAt: 'tomorrow' }],
  ] as const)(
    'L3: is told of a wrong %s, its neighbours go on: %j',
    async ([field, delay], { api }) => {
      await createStream(api);
      const publisher = clientOf(api).publisher({ stream: 's' });
      const [first, wrong, last] = await Promise.allSettled([
        publisher.publish({ text: 'a' }),
        publisher.publish({ text: 'b', ...delay }),
        publisher.publish({ text: 'c', delayMs: 1 }),
      ]);
      expect(wrong).toMatchObject({
        status: 'rejected',
        reason: { code: 'invalid_request', details: { field } },
      });
      expect([first, last]).toMatchObject([
        { value: { outcome: 'stored' } },
        { value: { outcome: 'held' } },
      ]);
    },
  );
});
