/** Retention by the settings of a stream, as clients see it: what is dropped, when, and why the rest is not. */
import { describe, expect } from 'vitest';
import type { Api } from '../support/api.ts';
import { inProcess, test } from '../support/api-test.ts';
import { createStream, numbered, publish, STREAM, texts, told } from '../support/publish-steps.ts';
import { offsetsOf, publishEach, range, readPage } from '../support/read-steps.ts';

const localTest = inProcess('its hand on the clock');

const DAY_MS = 86_400_000;

/** So that each request of `count` numbered messages, or more, fills a segment. */
const filledBy = (count: number) => ({
  segment_max_bytes: numbered(count).reduce((sum, { text }) => sum + text.length, 0),
});

async function publishBytes(api: Api, ...sizes: readonly number[]): Promise<void> {
  for (const bytes of sizes) await publish(api, texts('x'.repeat(bytes)));
}

async function describeStream(api: Api): Promise<Record<string, unknown>> {
  return (await api.call(`GET ${STREAM}`)).json();
}

async function first(api: Api): Promise<unknown> {
  return (await describeStream(api))['first'];
}

async function change(api: Api, settings: object): Promise<Record<string, unknown>> {
  return told(await api.call(`PATCH ${STREAM}`, { body: settings }));
}

describe('five segments of 100, the last one active', () => {
  test.for<[object, number]>([
    [{ max_length: 100 }, 400],
    [{ max_length: 101 }, 300],
    [{ max_length: 200 }, 300],
    [{ max_length: 500 }, 0],
    [{ max_length: 1_000 }, 0],
    [{ max_length: 0 }, 400],
    [{ max_length_bytes: 1 }, 400],
    [{ max_length: 1_000, max_length_bytes: 0 }, 400],
  ])('T3 T5: %j keeps from %d on as soon as it is answered', async ([settings, kept], { api }) => {
    await createStream(api, filledBy(100));
    await publishEach(api, 100, 100, 100, 100, 100);

    expect(await change(api, settings)).toMatchObject({ status: 200, first: kept, next: 500 });
    expect(offsetsOf(await readPage(api, { limit: 1 }))).toEqual([kept]);
  });

  test('T5: settings that are relaxed again bring nothing back', async ({ api }) => {
    await createStream(api, filledBy(100));
    await publishEach(api, 100, 100, 100, 100, 100);
    await change(api, { max_length: 100 });

    expect(await change(api, { max_length: 400 })).toMatchObject({ first: 400 });
    expect(await change(api, { max_length: null })).toMatchObject({ first: 400 });
  });

  test('T9 O16: a reader below what is kept is told what it missed', async ({ api }) => {
    await createStream(api, filledBy(100));
    await publishEach(api, 100, 100, 100, 100, 100);
    await change(api, { max_length: 100 });

    expect(await readPage(api, { from: 10, limit: 1 })).toMatchObject({
      gap: { requested: 10, first_available: 400, missing: 390 },
      next: 401,
    });
  });
});

test('T2 T3: the active segment stays, whatever the limit', async ({ api }) => {
  await createStream(api, { max_length: 10, max_length_bytes: 10 });
  await publishEach(api, 500, 500);

  expect(await describeStream(api)).toMatchObject({
    first: 0,
    segments: 1,
    retention: { kept: 'active', oldest: { first: 0, end: 1_000, state: 'active' } },
  });
});

test('T5: with each segment that opens, the oldest go', async ({ api }) => {
  await createStream(api, { segment_max_bytes: 1_000, max_length_bytes: 2_000 });
  await publishBytes(api, ...Array(65).fill(100));

  // Segments of ten: with the one that opened at 60, the 20 messages below it reach 2000 bytes.
  expect(await describeStream(api)).toMatchObject({ first: 40, next: 65, segments: 3 });
});

describe('max_age', () => {
  localTest('T4: drops by time alone, when the last message has reached it', async ({ api }) => {
    await createStream(api, { max_age: '60s', segment_max_bytes: 1 });
    await publishBytes(api, 10);
    await api.clock.advance(1_000);
    await publishBytes(api, 10, 10);
    const lastMs = api.clock.nowMs();

    await api.clock.advance(58_999);
    await api.maintain();
    expect(await first(api)).toBe(0);
    await api.clock.advance(1);
    await api.maintain();
    expect(await first(api)).toBe(1);
    await api.clock.advance(999);
    await api.maintain();
    expect(await first(api)).toBe(1);
    await api.clock.advance(1);
    await api.maintain();
    expect(api.clock.nowMs()).toBe(lastMs + 60_000);
    expect(await first(api)).toBe(2);
    // What is left is the active segment: it is not dropped, however old.
    await api.clock.advance(DAY_MS);
    await api.maintain();
    expect(await first(api)).toBe(2);
    expect(offsetsOf(await readPage(api))).toEqual([2]);
  });

  localTest('T4 T6: a stream that someone publishes to shrinks by itself', async ({ api }) => {
    await createStream(api, { max_age: '10s' });
    await publish(api, numbered(10));
    await api.clock.advance(20_000);
    await publish(api, numbered(1));

    expect(await describeStream(api)).toMatchObject({ first: 10, next: 11, segments: 1 });
  });

  localTest('T5: that is set on old messages acts before it is answered', async ({ api }) => {
    await createStream(api, filledBy(10));
    await publishEach(api, 10, 10, 10);
    await api.clock.advance(60_000);

    expect(await change(api, { max_age: '1m' })).toMatchObject({ first: 20, next: 30 });
  });

  localTest('T1: drops what a length would keep', async ({ api }) => {
    await createStream(api, { ...filledBy(10), max_length: 1_000, max_age: '1m' });
    await publishEach(api, 10, 10, 10);
    await api.clock.advance(60_000);
    await api.maintain();

    expect(await first(api)).toBe(20);
  });

  localTest.for<[string | number, string]>([
    ['5s', '1s'],
    ['10s', '1s'],
    ['60s', '6s'],
    ['1h', '6m'],
    ['1D', '144m'],
    ['10D', '1D'],
    ['1Y', '1D'],
    [10, '1s'],
  ])('T6: of %s ends segments after %s', async ([maxAge, ageOfSegments], { api }) => {
    await createStream(api, { max_age: maxAge });

    expect(await describeStream(api)).toMatchObject({
      effective_settings: {
        max_age: { source: 'argument' },
        segment_max_age: { value: ageOfSegments, source: 'default' },
      },
    });
  });
});

describe('what a description tells of retention', () => {
  const retention = async (api: Api) => (await describeStream(api))['retention'];

  test('T1: that nothing asks for anything to go', async ({ api }) => {
    await createStream(api, filledBy(10));
    await publishEach(api, 10, 10);

    expect(await retention(api)).toMatchObject({
      kept: 'no-limit',
      oldest: { first: 0, end: 10, messages: 10, state: expect.stringMatching(/sealed|packed/) },
    });
  });

  test('T3: how much would remain, and what is wanted', async ({ api }) => {
    await createStream(api, { ...filledBy(10), max_length: 15 });
    await publishEach(api, 10, 10);

    expect(await retention(api)).toMatchObject({
      kept: 'within-limits',
      why: 'without it 10 messages would remain, max_length is 15',
    });
  });

  localTest('T4: when it will be old enough, in words that last', async ({ api }) => {
    await createStream(api, { ...filledBy(10), max_age: '7D' });
    await publishEach(api, 10, 10);
    const asked = await api.call(`GET ${STREAM}`);

    expect(asked.json()['retention']).toMatchObject({
      kept: 'within-limits',
      why: 'its last message has not reached max_age 7D yet',
      expires_at: api.clock.nowMs() + 7 * DAY_MS,
    });
    await api.clock.advance(1_000);
    const again = await api.call(`GET ${STREAM}`);
    expect(again.headers.get('etag')).toBe(asked.headers.get('etag'));
    await api.clock.advance(7 * DAY_MS);
    expect(await retention(api)).toMatchObject({ kept: 'due' });
  });

  test('T8: that no group holds anything', async ({ api }) => {
    await createStream(api, { allow_drop_past_committed: true });

    expect(await describeStream(api)).toMatchObject({ held_by: [] });
  });
});

describe('GET /segments', () => {
  const list = async (api: Api, query = '') =>
    told(await api.call(`GET ${STREAM}/segments${query}`));

  test('T2: lists what is kept or dropped as a whole, the active one last', async ({ api }) => {
    await createStream(api, { segment_max_bytes: 100 });
    await publishBytes(api, 60, 60, 60, 60, 60);

    expect(await list(api)).toEqual({
      status: 200,
      stream_id: (await describeStream(api))['stream_id'],
      next: null,
      segments: [
        { first: 0, end: 2, bytes: 120, state: expect.stringMatching(/^(sealed|packed)$/) },
        { first: 2, end: 4, bytes: 120, state: expect.stringMatching(/^(sealed|packed)$/) },
        { first: 4, end: 5, bytes: 60, state: 'active' },
      ].map((segment) => ({
        ...segment,
        messages: segment.end - segment.first,
        last_timestamp: api.timeNow(),
        objects: expect.any(Array),
      })),
    });
  });

  test('T2: goes page by page, from any offset', async ({ api }) => {
    await createStream(api, { segment_max_bytes: 1 });
    await publishBytes(api, ...Array(7).fill(1));
    const firsts = ({ segments }: Record<string, unknown>) =>
      Array.isArray(segments) ? segments.map((one) => one.first) : segments;
    const page = await list(api, '?limit=3');

    expect([firsts(page), page['next']]).toEqual([[0, 1, 2], 3]);
    expect(firsts(await list(api, '?from=3&limit=10'))).toEqual(range(3, 7));
    expect(await list(api, '?from=7')).toMatchObject({ segments: [], next: null });
    await api.call(`POST ${STREAM}/purge`);
    expect(await list(api)).toMatchObject({ segments: [], next: null });
  });

  test.for([['?limit=0'], ['?limit=1001'], ['?from=-1'], ['?from=first'], ['?x=1']])(
    'refuses %s',
    async ([query], { api }) => {
      await createStream(api);

      expect(await list(api, query)).toMatchObject({ status: 400 });
    },
  );
});

describe('on a store that packs', () => {
  const packingTest = inProcess('its hand on the clock');
  packingTest.override({ apiOptions: { store: 'aws' } });

  packingTest('T2: objects are told, and reads go on as before', async ({ api }) => {
    await createStream(api, { segment_max_bytes: 300_000 });
    await publishBytes(api, 200_000, 200_000, 200_000);
    const page = () => readPage(api, { from: 1, max_bytes: 4_000_000 });
    const before = await page();
    await api.clock.advance(60_000);
    await api.maintain();

    const { segments } = told(await api.call(`GET ${STREAM}/segments`));
    expect(segments).toMatchObject([
      { first: 0, end: 2, state: 'packed', objects: [{ start: 0, end: 2 }] },
      { first: 2, end: 3, state: 'active', objects: [] },
    ]);
    for (let hour = 0; hour < 3; hour++) {
      await api.clock.advance(3_600_000);
      await api.maintain();
      expect(await page()).toEqual(before);
    }
    const plan = await api.call(`POST ${STREAM}/read-plan`, { body: { from: 1 } });
    expect(plan.json()).toMatchObject({
      objects: [
        { kind: 'segment', start: 0, end: 2 },
        { kind: 'chunks', start: 2, end: 3 },
      ],
    });
  });
});
