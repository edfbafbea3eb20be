/** Consumers of the client library: what they store, where they go on, and what they handle again. */
import { describe, expect } from 'vitest';
import type { Reading } from '../../lib/client/connect.ts';
import type { Message } from '../../lib/client/message.ts';
import type { Page } from '../../lib/client/page.ts';
import { test } from '../support/api-test.ts';
import { all, clientOf, interceptedFetch, offsets, take } from '../support/client-api.ts';
import { store, storedOf } from '../support/consumer-steps.ts';
import { createFiltered, publishAll, valued } from '../support/filter-steps.ts';
import { createStream, STREAM } from '../support/publish-steps.ts';
import { publishEach, range, retained, trim } from '../support/read-steps.ts';

const AUDIT = { stream: 's', name: 'audit' };

/** Offsets of the next page. */
async function nextPage(pages: Reading<Page>): Promise<readonly number[]> {
  const { value } = await pages.next();
  return value === undefined ? [] : offsets([...value.messages]);
}

describe('a consumer', () => {
  test('C1 C3: stores, raises and finds an offset', async ({ api }) => {
    await retained(api, 0, 10);
    const consumer = clientOf(api).consumer(AUDIT);

    expect(await consumer.get()).toBeUndefined();
    expect(await consumer.set(0)).toBe(0);
    expect(await consumer.get()).toBe(0);
    expect(await consumer.ack(6)).toBe(7);
    expect(await consumer.ack(3)).toBe(7);
    expect(await consumer.set(2)).toBe(2);
    await expect(consumer.ack(10)).rejects.toMatchObject({ status: 400, code: 'invalid_request' });
    expect(await consumer.get()).toBe(2);
  });

  test('C3: of a stream that is missing has no offset of its own', async ({ api }) => {
    await expect(clientOf(api).consumer(AUDIT).get()).rejects.toMatchObject({
      code: 'stream_not_found',
    });
  });

  test.for(['', '.', '..'])('C7: is never sent by the name %j', async (name, { api }) => {
    expect(() => clientOf(api).consumer({ ...AUDIT, name })).toThrow('is no name');
  });

  test('C1: asks again when an acknowledgement is not answered', async ({ api }) => {
    await retained(api, 0, 10);
    const fetch = interceptedFetch(api, (_, number) =>
      number === 0 ? Promise.reject(new TypeError('fetch failed')) : undefined,
    );

    expect(await clientOf(api, { fetch }).consumer(AUDIT).ack(6)).toBe(7);
  });
});

describe('a reader', () => {
  const read = async (messages: AsyncIterable<Message>) => offsets(await all(messages));

  test('O10: reads as a consumer from what is stored to the tail', async ({ api }) => {
    await retained(api, 0, 30);
    await store(api, 'audit', 4);
    const client = clientOf(api);
    const asked = { stream: 's', consumer: 'audit', pageBytes: 10 };

    expect(await read(client.read(asked))).toEqual(range(4, 30));
    expect(await read(client.read({ ...asked, consumer: 'c', fromDefault: -3 }))).toEqual(
      range(27, 30),
    );
    expect(await read(client.read({ ...asked, from: 9, track: true }))).toEqual(range(4, 30));
    expect(await read(client.read({ ...asked, from: 9 }))).toEqual(range(9, 30));
    expect(await storedOf(api, 'audit')).toBe(4);
    expect(await read(client.read({ ...asked, commit: 20 }))).toEqual(range(20, 30));
    expect(await storedOf(api, 'audit')).toBe(20);
  });

  test('O10: follows as a consumer from what is stored', async ({ api }) => {
    await retained(api, 0, 10);
    await store(api, 'audit', 4);
    const following = clientOf(api).follow({ stream: 's', consumer: 'audit', commit: 7 });
    expect(offsets(await take(following, 3))).toEqual([7, 8, 9]);
    await publishEach(api, 2);

    expect(offsets(await take(following, 2))).toEqual([10, 11]);
    await following.return();
    expect(await storedOf(api, 'audit')).toBe(7);
  });
});

describe('a consuming loop', () => {
  test('C4: commits a page when the next one is asked for, and handles again what it did not', async ({
    api,
  }) => {
    await retained(api, 0, 20);
    const consume = () => clientOf(api).consume({ ...AUDIT, pageMessages: 5 });
    const first = consume();
    expect([await nextPage(first), await storedOf(api, 'audit')]).toEqual([
      range(0, 5),
      'no_stored_offset',
    ]);
    expect([await nextPage(first), await storedOf(api, 'audit')]).toEqual([range(5, 10), 5]);
    await first.return();

    const second = consume();
    expect(await nextPage(second)).toEqual(range(5, 10));
    await second.return();
    expect(await storedOf(api, 'audit')).toBe(5);
  });

  test('C4 F7: passes over what its filter leaves out, and commits that too', async ({ api }) => {
    await createFiltered(api);
    const pages = clientOf(api).consume({ ...AUDIT, filter: 'foo', pageMessages: 2 });
    expect(await nextPage(pages)).toEqual([1, 3]);
    expect(await nextPage(pages)).toEqual([4]);
    const waiting = pages.next();
    await publishAll(api, [valued('bar')]);
    await publishAll(api, [valued('foo')]);
    await waiting;
    await pages.return();

    expect(await storedOf(api, 'audit')).toBe(6);
  });

  test('C4: waits at the tail, misses nothing there, and ends with its signal', async ({ api }) => {
    await retained(api, 0, 10);
    const ending = new AbortController();
    const pages = clientOf(api).consume({ ...AUDIT, fromDefault: 'next', signal: ending.signal });
    const waiting = nextPage(pages);
    await publishEach(api, 2);
    // It may have begun behind them: then it waits for more.
    await publishEach(api, 1);
    expect((await waiting).length).toBeGreaterThan(0);

    const last = pages.next();
    ending.abort(new Error('enough'));
    await last;
    expect((await pages.next()).done).toBe(true);
  });

  test('C4: goes on where it is when an answer is lost', async ({ api }) => {
    await retained(api, 0, 20);
    let lost = 0;
    const fetch = interceptedFetch(api, (call, number) => {
      if (number % 2 === 0) return undefined;
      lost++;
      const path = call.replace(/^GET /, '');
      return api.call(`GET ${path}`).then(() => Promise.reject(new TypeError('fetch failed')));
    });
    const pages = clientOf(api, { fetch }).consume({ ...AUDIT, pageMessages: 5 });
    const seen: number[] = [];
    while (seen.length < 20) seen.push(...(await nextPage(pages)));
    await pages.return();

    expect(seen).toEqual(range(0, 20));
    expect(lost).toBeGreaterThan(1);
  });

  test('T9: is told of what it did not read in time, or refused', async ({ api }) => {
    await retained(api, 0, 20);
    await store(api, 'audit', 3);
    await trim(api, 8);
    const gaps: object[] = [];

    await expect(clientOf(api).consume(AUDIT).next()).rejects.toMatchObject({
      code: 'offset_trimmed',
    });
    const pages = clientOf(api).consume({ ...AUDIT, onGap: (gap) => gaps.push(gap) });
    expect(await nextPage(pages)).toEqual(range(8, 20));
    await pages.return();
    expect(gaps).toEqual([{ requested: 3, firstAvailable: 8, missing: 5 }]);
  });

  test('T13: does not go on in another stream of the name', async ({ api }) => {
    await retained(api, 0, 10);
    const pages = clientOf(api).consume({ ...AUDIT, pageMessages: 5 });
    await nextPage(pages);
    await api.call(`DELETE ${STREAM}`);
    await createStream(api);
    await publishEach(api, 9);

    await expect(pages.next()).rejects.toMatchObject({ code: 'stream_recreated' });
    expect(await storedOf(api, 'audit')).toBe('no_stored_offset');
  });
});
