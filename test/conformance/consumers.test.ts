/** Stored offsets: what is stored, what is refused, what is told of it. */
import { describe, expect } from 'vitest';
import { test } from '../support/api-test.ts';
import { ack, consumerPath, listed, show, store, storedOf } from '../support/consumer-steps.ts';
import { createStream, numbered, publish, STREAM, told } from '../support/publish-steps.ts';
import { offsetsOf, readPage, retained, trim } from '../support/read-steps.ts';

describe('an offset that is stored', () => {
  test('C1: is the last one written, also when that goes back', async ({ api }) => {
    await retained(api, 0, 200);
    for (const next of [84, 24, 1, 100, 42]) {
      expect(await store(api, 'c', next)).toMatchObject({ status: 200, next });
      expect(await storedOf(api, 'c')).toBe(next);
    }
  });

  test('C1: is not lowered by an acknowledgement that comes late', async ({ api }) => {
    await retained(api, 0, 200);

    expect(await ack(api, 'c', 20)).toMatchObject({ status: 200, next: 21, processed: 20 });
    expect(await ack(api, 'c', 10)).toMatchObject({ status: 200, next: 21, processed: 20 });
    expect(await storedOf(api, 'c')).toBe(21);
  });

  test('C1: is the highest of acknowledgements in any order', async ({ api }) => {
    await retained(api, 0, 101);
    const inDisorder = numbered(101).map((_, index) => (index * 37) % 101);
    const answers = await Promise.all(inDisorder.map((through) => ack(api, 'c', through)));

    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(await ack(api, 'c', 0)).toMatchObject({ status: 200, next: 101 });

    expect(await storedOf(api, 'c')).toBe(101);
  });

  test('C2: is the next one to read, however it was told', async ({ api }) => {
    await retained(api, 0, 100);
    const expected = {
      status: 200,
      name: 'c',
      consumer: 'c',
      next: 42,
      processed: 41,
      updated_at: api.timeNow(),
      lag: { messages: 58 },
    };

    expect(await ack(api, 'c', 41)).toEqual(expected);
    expect(await store(api, 'c', { processed: 41 })).toEqual(expected);
    expect(await store(api, 'c', { next: 42 })).toEqual(expected);
    expect(await show(api, 'c')).toEqual({
      ...expected,
      lag: { messages: 58, ms: expect.any(Number) },
    });
    expect(offsetsOf(await readPage(api, { consumer: 'c', limit: 1 }))).toEqual([42]);
  });

  test('C2: brings its reader from one message to the next', async ({ api }) => {
    await retained(api, 0, 4);
    for (const offset of [0, 1, 2]) {
      expect(offsetsOf(await readPage(api, { consumer: 'c', limit: 1 }))).toEqual([offset]);
      await ack(api, 'c', offset);
    }

    expect(offsetsOf(await readPage(api, { consumer: 'c', limit: 1 }))).toEqual([3]);
  });

  test('C3 O17: 0 is a value, nothing stored is none', async ({ api }) => {
    await retained(api, 0, 10);

    expect(await show(api, 'c')).toMatchObject({
      status: 404,
      code: 'no_stored_offset',
      consumer: 'c',
    });
    expect(await show(api, 'c')).not.toHaveProperty('next');
    expect(await store(api, 'c', 0)).toMatchObject({ status: 200, next: 0, processed: null });
    expect(await show(api, 'c')).toMatchObject({ status: 200, next: 0, processed: null });
  });

  test('T8: keeps no message from being dropped', async ({ api }) => {
    await createStream(api, { segment_max_bytes: 1, max_length: 10 });
    await publish(api, numbered(1));
    await store(api, 'c', 0);
    for (const _ of Array.from({ length: 20 })) await publish(api, numbered(1));

    expect((await api.call(`GET ${STREAM}`)).json()).toMatchObject({ first: 11, held_by: [] });
  });
});

describe('nothing is stored', () => {
  const beyond = { status: 400, code: 'invalid_request', next: 10 };

  test('C4: that lies behind the end of the stream', async ({ api }) => {
    await retained(api, 0, 10);
    expect(await store(api, 'c', 10)).toMatchObject({ status: 200, lag: { messages: 0, ms: 0 } });

    expect(await store(api, 'c', 11)).toMatchObject({ ...beyond, field: 'next' });
    expect(await store(api, 'c', 1_795_946_400_000)).toMatchObject({ ...beyond, field: 'next' });
    expect(await store(api, 'c', { processed: 10 })).toMatchObject({
      ...beyond,
      field: 'processed',
    });
    expect(await ack(api, 'c', 10)).toMatchObject({ ...beyond, field: 'through' });
    expect(await store(api, 'd', 11)).toMatchObject(beyond);
    expect([await storedOf(api, 'c'), await storedOf(api, 'd')]).toEqual([10, 'no_stored_offset']);
    expect(await ack(api, 'c', 9)).toMatchObject({ status: 200, next: 10 });
  });

  test.for([
    [{ next: -1 }, 'next'],
    [{ next: 3.5 }, 'next'],
    [{ next: '3' }, 'next'],
    [{ next: null }, 'next'],
    [{ next: Number.MAX_SAFE_INTEGER + 1 }, 'next'],
    [{ processed: -1 }, 'processed'],
    [{ processed: Number.MAX_SAFE_INTEGER }, 'processed'],
    [{ next: 3, processed: 2 }, 'processed'],
    [{}, 'next'],
    [{ through: 3 }, 'through'],
  ] as const)('C4: for what is no offset: %j', async ([body, field], { api }) => {
    await retained(api, 0, 10);
    await store(api, 'c', 5);

    expect(await store(api, 'c', body)).toMatchObject({
      status: 400,
      code: 'invalid_request',
      side_effects: 'none',
      field,
    });
    expect(await storedOf(api, 'c')).toBe(5);
  });

  test.for([-1, 3.5, Number.MAX_SAFE_INTEGER])(
    'C4: for an acknowledgement of %s',
    async (through, { api }) => {
      await retained(api, 0, 10);

      expect(await ack(api, 'c', through)).toMatchObject({ status: 400, field: 'through' });
      expect(await storedOf(api, 'c')).toBe('no_stored_offset');
    },
  );

  test('C4: by a read', async ({ api }) => {
    await retained(api, 0, 10);
    await readPage(api, { consumer: 'c', from: 'first' });
    await readPage(api, { consumer: 'c' });

    expect([await storedOf(api, 'c'), await listed(api)]).toEqual(['no_stored_offset', []]);
  });

  test('C5: for a name that a broker gives', async ({ api }) => {
    await retained(api, 0, 10);
    const refused = { status: 400, code: 'invalid_name', field: 'consumer', side_effects: 'none' };

    expect(await store(api, 'amq.ctag-x', 3)).toMatchObject(refused);
    expect(await ack(api, 'amq.ctag-x', 3)).toMatchObject(refused);
    expect(await storedOf(api, 'amq.ctag-x')).toBe('no_stored_offset');
    expect(told(await api.call(`DELETE ${consumerPath('amq.ctag-x')}`))).toMatchObject({
      status: 404,
      code: 'consumer_not_found',
    });
    expect(await listed(api)).toEqual([]);
  });
});

describe('names', () => {
  const long = '語'.repeat(85);

  test.for(['x'.repeat(255), long, '...', '.a', 'a.', 'a/..', 'ack', 'amqx', 'amq'])(
    'C7 P9: %s is one',
    async (name, { api }) => {
      await retained(api, 0, 10);

      expect(await store(api, name, 3)).toMatchObject({ status: 200, consumer: name });
      expect(await ack(api, name, 4)).toMatchObject({ status: 200, next: 5 });
      expect(await storedOf(api, name)).toBe(5);
      expect(await listed(api)).toEqual([name]);
    },
  );

  test.for(['x'.repeat(256), `${long}x`, 'amq.x', 'amq.ctag', 'varve.x', 'a\nb', 'amq.ctag-\n'])(
    'C7 P9: %j is none',
    async (name, { api }) => {
      await retained(api, 0, 10);
      const refused = { status: 400, code: 'invalid_name', field: 'consumer' };

      expect(await store(api, name, 3)).toMatchObject(refused);
      expect(await show(api, name)).toMatchObject(refused);
      expect(told(await api.call(`DELETE ${consumerPath(name)}`))).toMatchObject(refused);
      const query = `consumer=${encodeURIComponent(name)}`;
      expect(told(await api.call(`GET ${STREAM}/messages?${query}`))).toMatchObject(refused);
      expect(await listed(api)).toEqual([]);
    },
  );

  test.for(['.', '..'])('C7 P9: %s is none in a parameter', async (name, { api }) => {
    await retained(api, 0, 10);

    expect(told(await api.call(`GET ${STREAM}/messages?consumer=${name}`))).toMatchObject({
      status: 400,
      code: 'invalid_name',
    });
  });

  test('C7: that differ in a byte are different consumers', async ({ api }) => {
    await retained(api, 0, 10);
    const names = ['a/b', 'a%2Fb', 'ä'.normalize('NFC'), 'ä'.normalize('NFD')];
    for (const [index, name] of names.entries()) await store(api, name, index);

    expect(await Promise.all(names.map((name) => storedOf(api, name)))).toEqual([0, 1, 2, 3]);
    expect((await listed(api)).toSorted()).toEqual(names.toSorted());
  });
});

describe('a consumer', () => {
  test('C2: tells how far it is behind, from what is retained', async ({ api }) => {
    await retained(api, 0, 30);
    await store(api, 'c', 10);
    await trim(api, 20);

    expect(await show(api, 'c')).toMatchObject({ next: 10, lag: { messages: 10 } });
    expect((await api.call(`GET ${STREAM}/consumers`)).json()).toEqual({
      items: [
        {
          name: 'c',
          consumer: 'c',
          next: 10,
          processed: 9,
          updated_at: api.timeNow(),
          lag: { messages: 10 },
        },
      ],
      has_more: false,
    });
  });

  test('consumers are listed in pages by name', async ({ api }) => {
    await retained(api, 0, 10);
    for (const name of ['b', 'ab', 'a', 'aa']) await store(api, name, 1);
    const page = async (query: string) =>
      (await api.call(`GET ${STREAM}/consumers?${query}`)).json();

    expect(await page('limit=2')).toMatchObject({
      items: [{ name: 'a' }, { name: 'aa' }],
      has_more: true,
    });
    expect(await listed(api, '&start_after=aa')).toEqual(['ab', 'b']);
    expect(await listed(api, '&prefix=a')).toEqual(['a', 'aa', 'ab']);
    expect(await listed(api, '&prefix=a&start_after=aa')).toEqual(['ab']);
  });

  test('C3: is forgotten once it is removed', async ({ api }) => {
    await retained(api, 0, 10);
    await store(api, 'c', 7);
    await store(api, 'd', 8);
    const remove = (query = '') => api.call(`DELETE ${consumerPath('c')}${query}`);

    expect((await remove()).status).toBe(204);
    expect(await storedOf(api, 'c')).toBe('no_stored_offset');
    expect(told(await remove())).toMatchObject({
      status: 404,
      code: 'consumer_not_found',
      consumer: 'c',
    });
    expect((await remove('?if_exists=true')).status).toBe(204);
    expect(offsetsOf(await readPage(api, { consumer: 'c', limit: 1 }))).toEqual([0]);
    expect(await storedOf(api, 'd')).toBe(8);
  });

  test('T13: of a deleted stream is none of the new one', async ({ api }) => {
    await retained(api, 0, 10);
    await store(api, 'c', 7);
    await api.call(`DELETE ${STREAM}`);

    expect(await show(api, 'c')).toMatchObject({ status: 404, code: 'stream_not_found' });
    expect(await store(api, 'c', 0)).toMatchObject({ status: 404, code: 'stream_not_found' });
    await createStream(api);
    expect([await storedOf(api, 'c'), await listed(api)]).toEqual(['no_stored_offset', []]);
    expect(await store(api, 'c', 1)).toMatchObject({ status: 400, next: 0 });
  });

  test.for(['PUT', 'GET', 'DELETE'])(
    'P11: %s says first that there is no stream',
    async (method, { api }) => {
      const answer = await api.call(`${method} ${consumerPath('amq.x')}`);

      expect(told(answer)).toMatchObject({ status: 404, code: 'stream_not_found' });
    },
  );
});
