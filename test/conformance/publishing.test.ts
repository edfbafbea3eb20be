/** One publish: what it answers, that it is whole, and the conditions a publisher can set. */
import { describe, expect } from 'vitest';
import { type Api, START_MS } from '../support/api.ts';
import { inProcess, test } from '../support/api-test.ts';
import {
  createStream,
  nextOffset,
  numbered,
  publish,
  readMessages,
  readTexts,
  STREAM,
  told,
} from '../support/publish-steps.ts';

const localTest = inProcess('its hand on the clock');

localTest(
  'P1 P3: an answer tells where the messages are, when they came and how many',
  async ({ api }) => {
    await createStream(api);
    const first = (await publish(api, numbered(3))).json();
    await api.clock.advance(5);
    const second = (await publish(api, numbered(2, 3))).json();

    expect(first).toEqual({
      start: 0,
      end: 3,
      tail: 3,
      stored: 3,
      duplicates: 0,
      timestamp: START_MS,
      held: [],
      stream_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(second).toEqual({
      ...first,
      start: 3,
      end: 5,
      tail: 5,
      stored: 2,
      timestamp: START_MS + 5,
    });
    expect(await readTexts(api)).toEqual(['0', '1', '2', '3', '4']);
  },
);

test('P1: many publishers at once leave no hole, and each request stays together', async ({
  api,
}) => {
  await createStream(api);
  const requests = Array.from({ length: 1_000 }, (_, index) => index);
  const answers = await Promise.all(
    requests.map(async (index) => {
      const messages = [0, 1, 2, 3, 4, 5, 6].map((part) => ({ text: `${index}.${part}` }));
      return { index, ...(await publish(api, messages)).json() };
    }),
  );
  const ranges: { index: number; start?: number; end?: number }[] = answers;
  const expected = [...ranges]
    .sort((a, b) => (a.start ?? 0) - (b.start ?? 0))
    .flatMap(({ index }) => [0, 1, 2, 3, 4, 5, 6].map((part) => `${index}.${part}`));

  expect(ranges.map(({ start = 0, end = 0 }) => end - start)).toEqual(requests.map(() => 7));
  expect(new Set(ranges.map(({ start }) => start)).size).toBe(1_000);
  const stored = await readMessages(api);
  expect(stored.map(({ offset }) => offset)).toEqual(Array.from({ length: 7_000 }, (_, i) => i));
  expect(stored.map(({ text }) => text)).toEqual(expected);
});

describe('expected_offset', () => {
  test.for([4, 6, 7, 0, Number.MAX_SAFE_INTEGER])(
    'P4: %d on a stream that ends at 5 is refused with where it ends',
    async (expected, { api }) => {
      await createStream(api);
      await publish(api, numbered(5));

      expect(told(await publish(api, numbered(1), { expected_offset: expected }))).toMatchObject({
        status: 412,
        code: 'offset_mismatch',
        next: 5,
        expected,
        actual: 5,
        retryable: false,
        side_effects: 'none',
      });
      expect(await nextOffset(api)).toBe(5);
    },
  );

  test('P4: the next offset is stored once: the second time it is another one', async ({ api }) => {
    await createStream(api);
    await publish(api, numbered(5));
    const condition = { expected_offset: 5 };

    expect(told(await publish(api, numbered(1), condition))).toMatchObject({ start: 5, end: 6 });
    expect(told(await publish(api, numbered(1), condition))).toMatchObject({
      status: 412,
      next: 6,
    });
  });

  test('P4: 0 is stored on an empty stream', async ({ api }) => {
    await createStream(api);

    expect(told(await publish(api, numbered(1), { expected_offset: 0 }))).toMatchObject({
      status: 200,
      start: 0,
    });
  });

  test('P4: of two at the same time exactly one is stored', async ({ api }) => {
    await createStream(api);
    await publish(api, numbered(5));
    const answers = await Promise.all(
      ['a', 'b'].map((text) => publish(api, [{ text }], { expected_offset: 5 })),
    );

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    expect(answers.map(told)).toContainEqual(expect.objectContaining({ status: 412, next: 6 }));
    expect(await nextOffset(api)).toBe(6);
  });

  test('P4: is a query parameter too, and refused when it is given twice', async ({ api }) => {
    await createStream(api);
    const line = `POST ${STREAM}/messages?expected_offset=0`;

    expect((await api.call(line, { body: 'a' })).json()).toMatchObject({ start: 0 });
    expect((await api.call(line, { body: 'a' })).json()).toMatchObject({ code: 'offset_mismatch' });
    const both = { messages: numbered(1), expected_offset: 0 };
    expect(told(await api.call(line, { body: both }))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      field: 'expected_offset',
    });
  });
});

describe('fencing token', () => {
  const setToken = (api: Api, token: string) =>
    api.call(`PUT ${STREAM}/fencing-token`, { body: { fencing_token: token } });

  test('P5: another one than the stream carries is refused, none is not checked', async ({
    api,
  }) => {
    await createStream(api);
    await setToken(api, 'a');

    expect((await publish(api, numbered(1), { fencing_token: 'a' })).status).toBe(200);
    expect((await publish(api, numbered(1))).status).toBe(200);
    expect(told(await publish(api, numbered(1), { fencing_token: 'b' }))).toMatchObject({
      status: 412,
      code: 'fenced',
      side_effects: 'none',
    });
    expect(await nextOffset(api)).toBe(2);
  });

  test('P5: any one is refused on a stream without', async ({ api }) => {
    await createStream(api);

    expect(told(await publish(api, numbered(1), { fencing_token: 'a' }))).toMatchObject({
      status: 412,
      code: 'fenced',
    });
    expect((await publish(api, numbered(1))).status).toBe(200);
  });

  test('P5: is changed for the very next publish, and shown', async ({ api }) => {
    await createStream(api);
    expect((await setToken(api, 'a')).status).toBe(201);
    expect((await setToken(api, 'b')).status).toBe(200);

    const shown = await api.call(`GET ${STREAM}/fencing-token`);
    expect(shown.json()).toEqual({ fencing_token: 'b' });
    expect((await publish(api, numbered(1), { fencing_token: 'a' })).status).toBe(412);
    expect((await publish(api, numbered(1), { fencing_token: 'b' })).status).toBe(200);
  });

  test('P5: once taken away fences off whoever still names it', async ({ api }) => {
    await createStream(api);
    await setToken(api, 'a');
    expect((await api.call(`DELETE ${STREAM}/fencing-token`)).status).toBe(204);

    const shown = await api.call(`GET ${STREAM}/fencing-token`);
    expect(shown.json()).toEqual({ fencing_token: null });
    expect((await publish(api, numbered(1), { fencing_token: 'a' })).status).toBe(412);
  });

  test.for([
    ['empty', ''],
    ['too long', 'x'.repeat(256)],
    ['a number', 7],
    ['null', null],
  ])('P5: cannot be %s', async ([, token], { api }) => {
    await createStream(api);
    const refused = { status: 400, code: 'invalid_request', field: 'fencing_token' };
    const body = { fencing_token: token };

    expect(told(await api.call(`PUT ${STREAM}/fencing-token`, { body }))).toMatchObject(refused);
    expect(told(await publish(api, numbered(1), body))).toMatchObject(refused);
    expect(await nextOffset(api)).toBe(0);
  });
});
