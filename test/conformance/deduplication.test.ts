/** Message deduplication: which messages are recognised by a value in their headers, and what is told of them. */
import { describe, expect } from 'vitest';
import { type Api, type LocalApi, START_MS } from '../support/api.ts';
import { inProcess, test } from '../support/api-test.ts';
import {
  createStream,
  nextOffset,
  publish,
  readTexts,
  STREAM,
  told,
} from '../support/publish-steps.ts';

const clocked = inProcess('its hand on the clock');

function createRemembering(api: Api, deduplication: object = {}) {
  return createStream(api, { deduplication });
}

/** A message with its value as its text. */
function valued(value: string | number, headers: object = {}) {
  return { text: String(value), headers: { 'x-deduplication-header': value, ...headers } };
}

async function send(api: Api, values: readonly (string | number)[], options: object = {}) {
  return told(
    await publish(
      api,
      values.map((value) => valued(value)),
      options,
    ),
  );
}

const STORED = { status: 200, stored: 1, duplicates: 0 };
const DUPLICATE = {
  status: 200,
  stored: 0,
  duplicates: 1,
  deduplicated: [0],
  start: null,
  end: null,
  timestamp: null,
};

describe('a value that was met before', () => {
  test('M1 M3: is known until 128 others were recorded behind it', async ({ api }) => {
    await createRemembering(api);
    for (let first = 0; first <= 128; first += 43) {
      const values = Array.from({ length: 43 }, (_, n) => first + n);
      expect(await send(api, values)).toMatchObject({ stored: 43, duplicates: 0 });
    }
    const answers = [];
    for (const value of [1, 128, 0, 1, 128]) answers.push(await send(api, [value]));

    expect(answers).toMatchObject([DUPLICATE, DUPLICATE, STORED, STORED, DUPLICATE]);
    expect(await nextOffset(api)).toBe(131);
  });

  test('M3: is not refreshed by being met again', async ({ api }) => {
    await createRemembering(api, { cache_size: 2 });
    const answers = [];
    for (const value of ['A', 'B', 'A', 'C', 'A']) answers.push(await send(api, [value]));

    expect(answers).toMatchObject([STORED, STORED, DUPLICATE, STORED, STORED]);
    expect(await readTexts(api)).toEqual(['A', 'B', 'C', 'A']);
  });

  test('M5 M7: is a duplicate every time', async ({ api }) => {
    await createRemembering(api);
    const answers = [];
    for (let time = 0; time < 6; time++) answers.push(await send(api, ['A']));

    const again = { ...DUPLICATE, tail: 1 };
    expect(answers).toMatchObject([STORED, again, again, again, again, again]);
    expect(await readTexts(api)).toEqual(['A']);
  });

  test('M7 P1: is left out of a request wherever it stands', async ({ api }) => {
    await createRemembering(api);

    const answer = await send(api, ['A', 'B', 'A', 'C']);
    expect(answer).toMatchObject({ stored: 3, duplicates: 1, deduplicated: [2], start: 0, end: 3 });
    expect(await readTexts(api)).toEqual(['A', 'B', 'C']);
    expect(await send(api, ['D', 'C', 'E', 'A'])).toMatchObject({
      stored: 2,
      duplicates: 2,
      deduplicated: [1, 3],
      start: 3,
      end: 5,
    });
    expect(await readTexts(api)).toEqual(['A', 'B', 'C', 'D', 'E']);
    expect(await send(api, ['F'])).not.toHaveProperty('deduplicated');
  });

  test('M5: is still known after a purge', async ({ api }) => {
    await createRemembering(api);
    await send(api, ['A']);
    await api.call(`POST ${STREAM}/purge`);

    expect(await send(api, ['A'])).toMatchObject({ ...DUPLICATE, tail: 1 });
  });

  test('T13: is new to a stream that was created again, as are its publishers', async ({ api }) => {
    await createRemembering(api);
    await send(api, ['A'], { publisher: 'p', publishing_id: 1 });
    await api.call(`DELETE ${STREAM}`);
    await createRemembering(api);

    expect(await send(api, ['A'], { publisher: 'p', publishing_id: 1 })).toMatchObject(STORED);
  });

  test('M5 D10: is new when its first publish was refused', async ({ api }) => {
    await createRemembering(api);

    expect(await send(api, ['A'], { expected_offset: 1 })).toMatchObject({ status: 412 });
    expect(await send(api, ['A'])).toMatchObject(STORED);
  });

  clocked('M3: expires after cache_ttl', async ({ api }) => {
    await createRemembering(api, { cache_ttl: '2m' });
    expect(await sendAt(api, 'A', [0, 119_000, 121_000])).toMatchObject([
      STORED,
      DUPLICATE,
      STORED,
    ]);
  });

  clocked('M4: expires after the time that its message gives', async ({ api }) => {
    await createRemembering(api, { cache_ttl: '12s' });
    const first = [valued('A', { 'x-cache-ttl': 10_000 }), valued('B')];
    expect(told(await publish(api, first))).toMatchObject({ stored: 2 });

    expect(await sendAt(api, 'A', [9_900, 10_100])).toMatchObject([DUPLICATE, STORED]);
    expect(await sendAt(api, 'B', [11_900, 12_100])).toMatchObject([DUPLICATE, STORED]);
  });
});

/** One publish at each of these times, in ms from the beginning. */
async function sendAt(api: LocalApi, value: string, timesMs: readonly number[]) {
  const answers = [];
  for (const timeMs of timesMs) {
    api.clock.set(START_MS + timeMs);
    answers.push(await send(api, [value]));
  }
  return answers;
}

test.for(['abc', -1, 1.5, true, null, 0])(
  'M4: x-cache-ttl of %j is refused by its place',
  async (ttl, { api }) => {
    await createRemembering(api);
    const messages = [valued('A'), valued('B', { 'x-cache-ttl': ttl })];

    expect(told(await publish(api, messages))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      field: 'messages[1].headers.x-cache-ttl',
      side_effects: 'none',
    });
    expect(await send(api, ['A', 'B'])).toMatchObject({ stored: 2, start: 0 });
  },
);

describe('what counts as a value', () => {
  test('M2: not what carries none', async ({ api }) => {
    await createRemembering(api);
    const messages = [{ text: 'a' }, { text: 'a' }, { text: 'b', headers: { other: 'A' } }];

    expect(told(await publish(api, [...messages, ...messages]))).toMatchObject({ stored: 6 });
  });

  test('M2: not what a header with a longer name carries', async ({ api }) => {
    await createRemembering(api);
    const other = { text: 'b', headers: { 'orig-x-deduplication-header': 1 } };

    expect(told(await publish(api, [valued(1), other]))).toMatchObject({ stored: 2 });
  });

  test('M1 M2: only that of the header which is set, 1 being the same as "1"', async ({ api }) => {
    await createRemembering(api, { header: 'msg-id' });
    const messages = [1, '1', '1.0', 1].map((id) => ({ text: `${id}`, headers: { 'msg-id': id } }));

    expect(await send(api, ['A', 'A'])).toMatchObject({ stored: 2 });
    expect(told(await publish(api, messages))).toMatchObject({
      stored: 2,
      duplicates: 2,
      deduplicated: [1, 3],
    });
    expect(await readTexts(api)).toEqual(['A', 'A', '1', '1.0']);
  });

  test('M2: the digits of a number, as they were sent', async ({ api }) => {
    await createRemembering(api);
    const message = (n: string) => `{"text":"a","headers":{"x-deduplication-header":${n}}}`;
    const body = `{"messages":[${['9007199254740993', '9007199254740992', '1', '1.0'].map(message)}]}`;
    const headers = { 'content-type': 'application/json' };

    expect(told(await api.call(`POST ${STREAM}/messages`, { body, headers }))).toMatchObject({
      stored: 4,
    });
  });

  test('M2: the header of a request that is one message', async ({ api }) => {
    await createRemembering(api);
    const headers = { 'varve-header-x-deduplication-header': 'A', 'content-type': 'text/plain' };
    const call = () => api.call(`POST ${STREAM}/messages`, { body: 'a', headers });

    expect([told(await call()), told(await call())]).toMatchObject([STORED, DUPLICATE]);
  });

  test('M1 CE3: the id of an event', async ({ api }) => {
    await createRemembering(api, { header: 'ce-id' });
    const event = { specversion: '1.0', id: 'e1', source: '/s', type: 't' };
    const headers = { 'content-type': 'application/cloudevents+json' };
    const call = (id: string) =>
      api.call(`POST ${STREAM}/messages`, { body: JSON.stringify({ ...event, id }), headers });

    expect([told(await call('e1')), told(await call('e1')), told(await call('e2'))]).toMatchObject([
      STORED,
      DUPLICATE,
      STORED,
    ]);
  });
});

test('P11: one request after the other, each with one fault less', async ({ api }) => {
  await createRemembering(api, { header: 'id' });
  await api.call(`PUT ${STREAM}/fencing-token`, { body: { fencing_token: 'a' } });
  const filled = Array.from({ length: 59 }, () => ({ text: 'x' }));
  await publish(api, filled);
  const message = (id: string) => [{ text: id, headers: { id } }];
  const named = { publisher: 'p', epoch: 3 };
  await publish(api, message('A'), { ...named, publishing_id: 12 });

  const faulty = { ...named, fencing_token: 'b', epoch: 2, publishing_id: 12, expected_offset: 5 };
  const steps = [
    [{}, { status: 412, code: 'fenced' }],
    [{ fencing_token: 'a' }, { status: 409, code: 'publisher_fenced' }],
    [{ epoch: 3 }, { status: 200, stored: 0, duplicates: 1, start: 59, end: 60 }],
    [{ publishing_id: 13 }, { status: 412, code: 'offset_mismatch', next: 60 }],
    [{ expected_offset: 60 }, DUPLICATE],
  ] as const;
  let options: object = faulty;
  for (const [mended, expected] of steps) {
    options = { ...options, ...mended };
    expect(told(await publish(api, message('A'), options))).toMatchObject(expected);
    expect(await nextOffset(api)).toBe(60);
  }
  const broken = [{ text: 'A', headers: { id: 'A', 'x-cache-ttl': 'x' } }];
  expect(told(await publish(api, broken, faulty))).toMatchObject({ status: 400 });
  expect((await api.call(`GET ${STREAM}/publishers/p`)).json()).toMatchObject({
    publishing_id: 13,
  });
  expect(told(await publish(api, message('B'), { ...options, publishing_id: 13 }))).toMatchObject({
    stored: 0,
    start: null,
  });
  expect(told(await publish(api, message('B'), { ...options, publishing_id: 14 }))).toMatchObject({
    ...STORED,
    start: 60,
  });
});

describe('the setting', () => {
  test('M1 T17: is shown whole, compared member by member, given whole and taken back', async ({
    api,
  }) => {
    await createRemembering(api, { cache_ttl: 120_000 });
    const shown = { header: 'x-deduplication-header', cache_size: 128, cache_ttl: '2m' };
    const settings = async () => (await api.call(`GET ${STREAM}`)).json();
    expect(await settings()).toMatchObject({
      settings: { deduplication: shown },
      effective_settings: { deduplication: { value: shown, source: 'argument' } },
    });

    const declare = async (deduplication: object) =>
      told(await api.call(`PUT ${STREAM}`, { body: { deduplication } }));
    expect(await declare({ cache_ttl: '120s' })).toMatchObject({ status: 200 });
    expect(await declare({ cache_ttl: '2m', cache_size: 9 })).toMatchObject({
      status: 409,
      code: 'settings_mismatch',
      field: 'deduplication.cache_size',
      expected: 9,
      actual: 128,
    });
    expect(told(await api.call(`PUT ${STREAM}`, { body: { max_length: null } }))).toMatchObject({
      code: 'settings_mismatch',
      field: 'deduplication',
      expected: null,
      actual: JSON.stringify(shown),
    });
    const change = async (deduplication: object | null) =>
      (await api.call(`PATCH ${STREAM}`, { body: { deduplication } })).json()['settings'];
    expect(await change({ cache_size: 7 })).toEqual({
      deduplication: { ...shown, cache_size: 7, cache_ttl: null },
    });
    expect(await change(null)).toEqual({});
    expect(await send(api, ['A', 'A'])).toMatchObject({ stored: 2 });
  });

  test.for([
    [1, 'deduplication'],
    [{ cache_size: 0 }, 'deduplication.cache_size'],
    [{ cache_size: 100_001 }, 'deduplication.cache_size'],
    [{ cache_ttl: '0s' }, 'deduplication.cache_ttl'],
    [{ header: '' }, 'deduplication.header'],
    [{ size: 1 }, 'deduplication.size'],
  ] as const)('M1: %j is refused', async ([deduplication, field], { api }) => {
    const answer = await api.call(`PUT ${STREAM}`, { body: { deduplication } });

    expect(told(answer)).toMatchObject({ status: 400, code: 'invalid_setting', field });
    expect((await api.call(`GET ${STREAM}`)).status).toBe(404);
  });

  test('M1: of a large cache makes 100 values in a request too many', async ({ api }) => {
    await createRemembering(api, { cache_size: 129 });
    const values = Array.from({ length: 100 }, (_, n) => n);

    expect(await send(api, values)).toMatchObject({
      status: 413,
      code: 'too_many_messages',
      limit: 99,
      actual: 100,
      side_effects: 'none',
    });
    expect(await send(api, values.slice(1))).toMatchObject({ stored: 99, start: 0 });
  });
});
