import { describe, expect } from 'vitest';
import type { OutgoingMessage } from '../../lib/client/outgoing-message.ts';
import { test } from '../support/api-test.ts';
import { clientOf, interceptedFetch } from '../support/client-api.ts';
import { createManualTimer } from '../support/client-timers.ts';
import { createFaultyApi } from '../support/faulty-api.ts';
import { settle } from '../support/manual-clock.ts';
import { outcome } from '../support/publish-outcomes.ts';
import {
  createStream,
  nextOffset,
  numbered,
  readTexts,
  STREAM,
  texts,
} from '../support/publish-steps.ts';
import { range } from '../support/read-steps.ts';

const MIB = 1024 * 1024;

describe('messages share requests', () => {
  test('P1: those published in one go, without linger', async ({ api }) => {
    await createStream(api);
    const calls: string[] = [];
    const publisher = clientOf(api, {
      fetch: interceptedFetch(api, (call) => void calls.push(call)),
    }).publisher({ stream: 's' });
    const published = await Promise.all(texts('a', 'b', 'c').map((one) => publisher.publish(one)));

    expect(calls).toEqual([`POST ${STREAM}/messages`]);
    expect(published).toEqual(
      range(0, 3).map((offset) => ({
        outcome: 'stored',
        offset,
        publishingId: undefined,
        streamId: expect.stringMatching(/^[0-9a-f]{32}$/),
      })),
    );
  });

  test('P1: those of one linger, or as many as a batch holds', async ({ api }) => {
    await createStream(api);
    const timer = createManualTimer();
    const publisher = clientOf(api, { timer }).publisher({
      stream: 's',
      lingerMs: 7,
      maxBatch: 3,
    });
    const published = numbered(2).map((one) => publisher.publish(one));
    await settle();
    expect(timer.waiting()).toEqual([7]);
    expect(await nextOffset(api)).toBe(0);

    timer.fire(7);
    await Promise.all(published);
    expect(await nextOffset(api)).toBe(2);
    await Promise.all(numbered(3, 2).map((one) => publisher.publish(one)));
    expect(await readTexts(api)).toEqual(['0', '1', '2', '3', '4']);
    expect(timer.waiting()).toEqual([]);
  });

  test('P6: up to the limits of a request', async ({ api }) => {
    await createStream(api);
    const publisher = clientOf(api).publisher({ stream: 's' });
    const large = new Uint8Array(MIB - 1);
    const outcomes = await Promise.all(range(0, 9).map(() => publisher.publish({ body: large })));

    expect(outcomes.map(({ offset }) => offset)).toEqual(range(0, 9));
  });

  test('P6: at most 10 000', async ({ api }) => {
    await createStream(api);
    const publisher = clientOf(api).publisher({ stream: 's', maxBatch: 1_000_000 });
    await Promise.all(numbered(10_001).map((one) => publisher.publish(one)));

    expect(await nextOffset(api)).toBe(10_001);
  });
});

describe('a message that cannot be stored', () => {
  test.for<[what: string, message: OutgoingMessage, code: string]>([
    ['a body over 1 MiB', { body: new Uint8Array(MIB + 1) }, 'message_too_large'],
    ['headers over 64 KiB', { text: '', headers: { x: 'x'.repeat(65_536) } }, 'message_too_large'],
    ['half a surrogate pair', { text: '\ud800' }, 'invalid_request'],
    ['no JSON form', { json: undefined }, 'invalid_request'],
    ['a number without JSON form', { json: 1n }, 'invalid_request'],
    ['an id without a name', { text: '', publishingId: 1 }, 'invalid_request'],
    // Found by the server, which refuses the request as a whole.
    ['a forbidden header', { text: '', headers: { CC: 1 } }, 'invalid_request'],
    ['a broken type', { text: '', contentType: 'x' }, 'invalid_request'],
  ])('P6 P10: %s is refused, and its neighbours are stored', async ([, poison, code], { api }) => {
    await createStream(api);
    const publisher = clientOf(api).publisher({ stream: 's' });
    const messages: OutgoingMessage[] = [{ text: 'a' }, poison, { text: 'b' }, poison];
    const outcomes = await Promise.all(messages.map((one) => outcome(publisher.publish(one))));

    expect(outcomes).toMatchObject([
      { offset: 0 },
      { code, sideEffects: 'none' },
      { offset: 1 },
      { code, sideEffects: 'none' },
    ]);
    expect(await readTexts(api)).toEqual(['a', 'b']);
  });

  test('D3: takes no other id away, and its own is not used again', async ({ api }) => {
    await createStream(api);
    const publisher = clientOf(api).publisher({ stream: 's', name: 'p' });
    const messages: OutgoingMessage[] = [
      { text: 'a' },
      { text: 'b', headers: { CC: 1 } },
      { text: 'c' },
    ];
    const outcomes = await Promise.allSettled(messages.map((one) => publisher.publish(one)));

    expect(outcomes).toMatchObject([
      { value: { offset: 0, publishingId: 0 } },
      { reason: { code: 'invalid_request' } },
      { value: { offset: 1, publishingId: 2 } },
    ]);
  });
});

describe('memory is bounded', () => {
  test('LR5: ready waits for room, and publish refuses far beyond it', async () => {
    const { api, store } = createFaultyApi();
    await createStream(api);
    const release = store.holdNext();
    const publisher = clientOf(api).publisher({ stream: 's', bufferBytes: 10_000 });
    const body = new Uint8Array(1_000);
    const published: Promise<object>[] = [];
    const producing = (async () => {
      for (const _ of range(0, 50)) {
        await publisher.ready();
        published.push(publisher.publish({ body }));
      }
    })();
    await settle();
    // Each takes some room beside its bytes.
    expect(published.length).toBe(8);
    const forced = range(0, 20).map(() => outcome(publisher.publish({ body })));
    const refused = (await Promise.all(forced.slice(8))).map((one) => ({ ...Object(one) }).code);
    expect(refused).toEqual(Array(12).fill('buffer_full'));

    release();
    await producing;
    await Promise.all(published);
    expect(await nextOffset(api)).toBe(58);
  });
});

describe('the end of a publisher', () => {
  test('P2: flush sends what lingers, and waits for it', async ({ api }) => {
    await createStream(api);
    const timer = createManualTimer();
    const publisher = clientOf(api, { timer }).publisher({ stream: 's', lingerMs: 1_000 });
    const published = publisher.publish({ text: 'a' });
    await publisher.flush();

    expect(await nextOffset(api)).toBe(1);
    expect(await published).toMatchObject({ offset: 0 });
    expect(timer.waiting()).toEqual([]);
  });

  test('P2: close does the same, and takes no more', async ({ api }) => {
    await createStream(api);
    const held: Promise<object>[] = [];
    {
      await using publisher = clientOf(api).publisher({ stream: 's', lingerMs: 60_000 });
      held.push(publisher.publish({ text: 'a' }));
    }
    const publisher = clientOf(api).publisher({ stream: 's' });
    await publisher.close();

    expect(await Promise.all(held)).toMatchObject([{ offset: 0 }]);
    expect(await outcome(publisher.publish({ text: 'b' }))).toMatchObject({
      code: 'publisher_closed',
      sideEffects: 'none',
    });
  });
});
