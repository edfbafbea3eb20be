/** Positions by time, on messages that the clock was set for. */
import { describe, expect } from 'vitest';
import type { Api, LocalApi } from '../support/api.ts';
import { inProcess, test } from '../support/api-test.ts';
import { createStream, numbered, publish } from '../support/publish-steps.ts';
import {
  offsetsOf,
  range,
  read,
  readPage,
  resolve,
  retained,
  trim,
} from '../support/read-steps.ts';

const localTest = inProcess('its hand on the clock');

const at = (time: string) => Date.parse(`2026-11-29T${time}Z`);

/** A message for each time, in a request of its own. */
async function publishAt(api: LocalApi, ...times: readonly number[]): Promise<void> {
  for (const time of times) {
    api.clock.set(time);
    await publish(api, numbered(1));
  }
}

async function startOf(api: Api, from: string): Promise<unknown> {
  const { resolved } = await readPage(api, { from });
  expect(await resolve(api, { from })).toMatchObject({ resolved });
  return resolved.offset;
}

describe('one message at 09:59:59.900, one at 10:00:00.000', () => {
  localTest.for([
    ['ts:1795946399899', 0],
    ['ts:1795946399900', 0],
    ['ts:1795946399901', 1],
    ['ts:1795946400000', 1],
    ['ts:1795946400001', 2],
    ['ts:2026-11-29T10:00:00Z', 1],
    ['ts:2026-11-29T09:59:59.900Z', 0],
    ['ts:2026-11-29T09:59:59.901Z', 1],
    ['ts:2026-11-29T11:00:00+01:00', 1],
    ['ts:2026-11-28T23:30:00-10:30', 1],
  ] as const)('O8: %s starts at %d', async ([from, start], { api }) => {
    await createStream(api);
    await publishAt(api, 1_795_946_399_900, 1_795_946_400_000);

    expect(await startOf(api, from)).toBe(start);
  });
});

localTest('O8: a time between two segments is the first message of the second', async ({ api }) => {
  await createStream(api, { segment_max_bytes: 1 });
  await publishAt(api, at('09:59:00'), at('10:00:00'), at('10:05:00'), at('10:06:00'));

  expect(await startOf(api, 'ts:2026-11-29T10:02:00Z')).toBe(2);
});

describe('messages 10 to 17 of one millisecond, over chunks and segments', () => {
  const one = at('10:00:00.500');

  async function publishRun(api: LocalApi): Promise<void> {
    await createStream(api, { segment_max_bytes: 1 });
    for (const [time, count] of [
      [one - 1, 10],
      [one, 5],
      [one, 1],
      [one, 2],
      [one + 1, 3],
    ] as const) {
      api.clock.set(time);
      await publish(api, numbered(count));
    }
  }

  localTest.for([
    [one - 1, 0],
    [one, 10],
    [one + 1, 18],
    [one + 2, 21],
  ] as const)('O8: %d starts at %d', async ([time, start], { api }) => {
    await publishRun(api);

    expect(await startOf(api, `ts:${time}`)).toBe(start);
  });

  localTest.for([12, 15, 16, 17])('O8: cut by a trim it starts at %d', async (first, { api }) => {
    await publishRun(api);
    await trim(api, first);

    expect(await startOf(api, `ts:${one}`)).toBe(first);
    expect(await startOf(api, `ts:${one + 1}`)).toBe(18);
  });
});

localTest(
  'O8: one millisecond after the newest is next, and at the newest its chunk',
  async ({ api }) => {
    await retained(api, 501, 901);
    await api.clock.advance(10);
    await publish(api, numbered(4));
    const newest = api.clock.nowMs();

    expect(await startOf(api, `ts:${newest - 11}`)).toBe(501);
    expect(await startOf(api, `ts:${newest - 9}`)).toBe(901);
    expect(await startOf(api, `ts:${newest}`)).toBe(901);
    expect(await startOf(api, `ts:${newest + 1}`)).toBe(905);
  },
);

describe('a time in seconds', () => {
  test.for(['ts:1700000000', 'ts:631151999999', 'ts:0'])(
    'O8 O12: %s is refused, with a word on milliseconds',
    async (from, { api }) => {
      await createStream(api);

      expect(await resolve(api, { from })).toMatchObject({
        status: 400,
        code: 'invalid_offset',
        detail: expect.stringContaining('milliseconds'),
      });
    },
  );

  test.for(['ts:631152000000', 'ts:1985-01-01T00:00:00Z'])(
    'O8: %s is a time',
    async (from, { api }) => {
      await createStream(api);
      await publish(api, numbered(2));

      expect(await startOf(api, from)).toBe(0);
    },
  );
});

test('O8 O12: a bare plus in a query is refused, never another instant', async ({ api }) => {
  await createStream(api);
  await publish(api, numbered(2));
  const path = '/v1/streams/s/messages?from=ts:2026-11-29T11:00:00';

  expect((await api.call(`GET ${path}+01:00`)).json()).toMatchObject({
    code: 'invalid_offset',
    detail: expect.stringContaining('%2B'),
  });
  expect((await api.call(`GET ${path}%2B01:00`)).status).toBe(200);
});

describe('at 12:00, messages of 10:59:59.999, 11:00 and 11:30', () => {
  localTest.for([
    ...(['ago:1h', 'ago:60m', 'ago:3600000ms', '1h', '60m', '3600000ms'] as const).map(
      (from) => [from, 1] as const,
    ),
    ...(['ago:1D', '1D', 'ago:10Y'] as const).map((from) => [from, 0] as const),
    ['ago:30m', 2],
    ['ago:1799999ms', 3],
    ['ago:1ms', 3],
    ['ago:0s', 3],
    ['1', 1],
  ] as const)('O9: %s starts at %d', async ([from, start], { api }) => {
    await createStream(api);
    await publishAt(api, at('10:59:59.999'), at('11:00:00'), at('11:30:00'));
    api.clock.set(at('12:00:00'));

    expect(await startOf(api, from)).toBe(start);
  });

  test.for(['ago:1H', 'ago:1.5h', 'ago:-1h', 'ago:h', 'ago:', 'ago:60', '1H', '1.5h', '-1h', 'h'])(
    'O9 O12: %s is refused',
    async (from, { api }) => {
      await createStream(api);

      expect(await resolve(api, { from })).toMatchObject({ status: 400, code: 'invalid_offset' });
    },
  );
});

localTest('O18 O8: a clock that is set back yields the running maximum', async ({ api }) => {
  await createStream(api);
  await publishAt(api, at('10:00:05'), at('10:00:02'), at('10:00:07'));
  const page = await readPage(api);

  expect(page.messages.map(({ timestamp }) => timestamp)).toEqual([
    at('10:00:05'),
    at('10:00:05'),
    at('10:00:07'),
  ]);
  expect(await startOf(api, 'ts:2026-11-29T10:00:03Z')).toBe(0);
  expect(await startOf(api, 'ts:2026-11-29T10:00:05Z')).toBe(0);
  expect(await startOf(api, 'ts:2026-11-29T10:00:06Z')).toBe(2);
});

localTest('O8: many messages are each found by their own time', async ({ api }) => {
  await createStream(api);
  const times = range(0, 300).map((n) => at('10:00:00') + n * 10);
  await publishAt(api, ...times);

  for (const [n, time] of times.entries()) {
    expect(offsetsOf(await readPage(api, { from: `ts:${time - 9}`, limit: 1 }))).toEqual([n]);
    expect((await read(api, { from: `ts:${time}`, limit: 1 })).json()).toMatchObject({
      next: n + 1,
    });
  }
});
