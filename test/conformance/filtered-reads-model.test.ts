/** Filtered reads against full ones: what a walk by pages gives is what a naive look at all messages says. */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Api } from '../support/api.ts';
import { createApi } from '../support/api.ts';
import { inProcess } from '../support/api-test.ts';
import { filterText, publishAll, walk } from '../support/filter-steps.ts';
import { createStream, readMessages } from '../support/publish-steps.ts';
import { offsetsOf } from '../support/read-steps.ts';

const manyTest = inProcess('thousands of requests');

interface Wanted {
  readonly values: readonly string[];
  readonly region?: string;
  readonly north?: number;
  readonly any: boolean;
  readonly unfiltered: boolean;
}

type Headers = Readonly<Record<string, unknown>> | undefined;

/** By the words of the rules, and nothing else. */
function isWanted(headers: Headers, wanted: Wanted): boolean {
  const own = headers?.['x-stream-filter-value'];
  if (wanted.unfiltered && own === undefined) return true;
  const values = typeof own === 'string' ? own.split(',') : [];
  const [lat, lon] = [headers?.['x-geo-lat'], headers?.['x-geo-lon']];
  const isPlaced = typeof lat === 'number' && typeof lon === 'number';
  const holds = [
    ...wanted.values.map((value) => values.includes(value)),
    ...(wanted.region === undefined ? [] : [headers?.['region'] === wanted.region]),
    ...(wanted.north === undefined ? [] : [isPlaced && Number(lat) >= wanted.north]),
  ];
  return wanted.any ? holds.includes(true) : !holds.includes(false);
}

function filterOf({ values, region, north }: Wanted): string {
  const box = { min_lat: north, max_lat: 90, min_lon: -180, max_lon: 180 };
  return filterText([
    ...values,
    ...(region === undefined ? [] : [{ region }]),
    ...(north === undefined ? [] : [{ 'geo-bbox': box }]),
  ]);
}

const value = fc.constantFrom('a', 'b', 'c');
const latitude = fc.integer({ min: -3, max: 3 });
const headers = fc.option(
  fc.record(
    {
      'x-stream-filter-value': fc.array(value, { maxLength: 3 }).map((all) => all.join(',')),
      region: fc.constantFrom('eu', 'us'),
      'x-geo-lat': latitude,
      'x-geo-lon': fc.constant(1),
    },
    { requiredKeys: [] },
  ),
  { nil: undefined },
);
const message = fc.record({ headers, bytes: fc.integer({ min: 0, max: 40 }) });
const requests = fc.array(fc.array(message, { minLength: 1, maxLength: 6 }), { maxLength: 12 });
const wanted: fc.Arbitrary<Wanted> = fc
  .record(
    {
      values: fc.array(value, { maxLength: 2 }),
      region: fc.constantFrom('eu', 'us'),
      north: latitude,
      any: fc.boolean(),
      unfiltered: fc.boolean(),
    },
    { requiredKeys: ['values', 'any', 'unfiltered'] },
  )
  .filter(
    ({ values, region, north }) => values.length > 0 || region !== undefined || north !== undefined,
  );

interface Bounds {
  readonly limit: number;
  readonly max_bytes: number;
  readonly from: number;
  readonly trim: number;
}

const bounds: fc.Arbitrary<Bounds> = fc.record({
  limit: fc.integer({ min: 1, max: 5 }),
  max_bytes: fc.integer({ min: 1, max: 400 }),
  from: fc.integer({ min: 0, max: 80 }),
  trim: fc.integer({ min: 0, max: 20 }),
});

async function check(api: Api, asked: Wanted, { limit, max_bytes, from, trim }: Bounds) {
  const { next = 0 } = (await api.call('GET /v1/streams/s')).json();
  await api.call('POST /v1/streams/s/trim', { body: { before: Math.min(trim, Number(next)) } });
  const all = await readMessages(api);
  const query = {
    filter: filterOf(asked),
    match: asked.any ? 'any' : 'all',
    match_unfiltered: String(asked.unfiltered),
  };
  const pages = await walk(api, { ...query, from: Math.min(from, Number(next)), limit, max_bytes });

  const expected = all.filter(
    (one) => one.offset >= from && isWanted(asHeaders(one['headers']), asked),
  );
  expect(pages.flatMap(({ messages }) => messages)).toEqual(expected);
  for (const page of pages) expect(offsetsOf(page).length).toBeLessThanOrEqual(limit);
  expect(pages.at(-1)?.next).toBe(next);
}

function asHeaders(given: unknown): Headers {
  return given === undefined ? undefined : JSON.parse(JSON.stringify(given));
}

manyTest(
  'F7 O15: a walk gives each message that matches once, whatever bounds its pages',
  async () => {
    const property = fc.asyncProperty(
      requests,
      fc.array(fc.tuple(wanted, bounds), { minLength: 1, maxLength: 4 }),
      fc.constantFrom(20, 100, 1_000_000),
      async (published, reads, segmentBytes) => {
        const api = createApi();
        try {
          await createStream(api, { segment_max_bytes: segmentBytes });
          for (const messages of published) {
            await publishAll(
              api,
              messages.map(({ bytes, ...rest }) => ({ text: 'x'.repeat(bytes), ...rest })),
            );
          }
          for (const [asked, page] of reads) await check(api, asked, page);
          await api.maintain();
          for (const [asked, page] of reads) await check(api, asked, page);
        } finally {
          await api.close();
        }
      },
    );
    await fc.assert(property, { numRuns: 60 });
  },
  60_000,
);
