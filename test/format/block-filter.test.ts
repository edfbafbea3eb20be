import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FilterPart, GeoPoint, MessageFilter } from '../../lib/core/filter/filter.ts';
import { createBlockFilter } from '../../lib/format/block-filter.ts';
import type { BlockSummary } from '../../lib/format/block-summary.ts';
import { SummaryBuilder } from '../../lib/format/summary-builder.ts';
import { encodeRecords } from '../../lib/wire/record.ts';

type Headers = Readonly<Record<string, unknown>>;

function summarize(messages: readonly Headers[]): BlockSummary {
  const builder = new SummaryBuilder();
  const records = messages.map((headers) => ({
    body: new Uint8Array(0),
    contentType: 'application/json',
    headers: new Uint8Array(Buffer.from(JSON.stringify(headers))),
  }));
  builder.add(encodeRecords(records), records.length);
  return builder.finish();
}

function wants(messages: readonly Headers[], filter: Partial<MessageFilter>): boolean {
  const whole = { match: 'all', parts: [], matchUnfiltered: false, ...filter } as const;
  return createBlockFilter(whole)(summarize(messages));
}

const value = (text: string): FilterPart => ({ kind: 'value', value: text });
const header = (name: string, text: string): FilterPart => ({ kind: 'header', name, text });
const radius = (lat: number, lon: number, radiusKm: number): FilterPart => {
  return { kind: 'radius', center: { lat, lon }, radiusKm };
};
const at = (lat: number, lon: number): Headers => ({ 'x-geo-lat': lat, 'x-geo-lon': lon });
const tagged = (text: string): Headers => ({ 'x-stream-filter-value': text });

describe('F7: a block is passed over only when', () => {
  const north = [{ ...tagged('north,cold'), city: 'Oslo' }];

  const any = 'any';
  test.each<[string, Partial<MessageFilter>, boolean]>([
    ['it has the value', { parts: [value('north')] }, true],
    ['it lacks the value', { parts: [value('south')] }, false],
    ['it lacks one of all', { parts: [value('north'), value('south')] }, false],
    ['it has one of any', { parts: [value('north'), value('south')], match: any }, true],
    ['it has none of any', { parts: [value('west'), value('south')], match: any }, false],
    ['nothing is asked for', { parts: [] }, true],
    ['nothing is asked for, by any', { parts: [], match: any }, true],
    ['it has the header', { parts: [header('city', 'Oslo')] }, true],
    ['it has another header', { parts: [header('city', 'Bern')] }, false],
    ['it has value and header', { parts: [value('cold'), header('city', 'Oslo')] }, true],
    ['it has no place', { parts: [radius(0, 0, 20_000)] }, false],
    ['each message has a value', { parts: [value('south')], matchUnfiltered: true }, false],
  ])('%s', (_what, filter, isWanted) => {
    expect(wants(north, filter)).toBe(isWanted);
  });

  test('no message without a filter value passes whatever is asked for', () => {
    expect(wants([{ a: 1 }], { parts: [value('south')], matchUnfiltered: true })).toBe(true);
    expect(wants([{ a: 1 }], { parts: [value('south')] })).toBe(false);
  });
});

describe('G2 G3 G4: places out of reach are passed over', () => {
  test.each<[string, Where, boolean]>([
    ['near', { messages: [at(40.75, -73.98)], part: radius(40.71, -74.0, 10) }, true],
    ['far', { messages: [at(40.75, -73.98)], part: radius(51.5, 0, 10) }, false],
    [
      'over the antimeridian eastwards',
      { messages: [at(0, -179.9)], part: radius(0, 179.9, 25) },
      true,
    ],
    [
      'over the antimeridian westwards',
      { messages: [at(0, 179.9)], part: radius(0, -179.9, 25) },
      true,
    ],
    ['not so far over it', { messages: [at(0, -179)], part: radius(0, 179.9, 25) }, false],
    ['over the pole', { messages: [at(89.9, 180)], part: radius(89.9, 0, 23) }, true],
    ['over the south pole', { messages: [at(-89.9, 100)], part: radius(-89.95, -80, 25) }, true],
    ['all of the earth', { messages: [at(-40, 120)], part: radius(40, -60, 20_016) }, true],
    ['in a corner of the box', { messages: [at(41, -73)], part: box(40, 41, -75, -73) }, true],
    ['beside the box', { messages: [at(41.001, -73)], part: box(40, 41, -75, -73) }, false],
    ['between two places', { messages: [at(0, 0), at(9, 9)], part: box(4, 5, 4, 5) }, true],
    ['in a polygon', { messages: [at(40.5, -73.5)], part: triangle }, true],
    ['beside a polygon', { messages: [at(40.5, -72.9)], part: triangle }, false],
  ])('%s', (_what, { messages, part }, isWanted) => {
    expect(wants(messages, { parts: [part] })).toBe(isWanted);
  });

  // Naive on purpose: the distance alone decides what is within the radius.
  test('never a place within the radius', () => {
    const place = fc.record({
      lat: fc.double({ min: -90, max: 90, noNaN: true }),
      lon: fc.double({ min: -180, max: 180, noNaN: true }),
    });
    fc.assert(
      fc.property(place, place, (from, to) => {
        const km = Math.max(distanceKm(from, to), 1e-9);
        const parts = [radius(to.lat, to.lon, km)];
        expect(wants([at(from.lat, from.lon)], { parts })).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

interface Where {
  readonly messages: readonly Headers[];
  readonly part: FilterPart;
}

const triangle: FilterPart = {
  kind: 'polygon',
  points: [
    { lat: 40, lon: -74 },
    { lat: 41, lon: -74 },
    { lat: 40.5, lon: -73 },
  ],
};

function box(...edges: readonly [number, number, number, number]): FilterPart {
  const [minLat, maxLat, minLon, maxLon] = edges;
  return { kind: 'box', box: { minLat, maxLat, minLon, maxLon } };
}

function distanceKm(from: GeoPoint, to: GeoPoint): number {
  const [a, b] = [(from.lat * Math.PI) / 180, (to.lat * Math.PI) / 180];
  const [high, wide] = [Math.sin((b - a) / 2), Math.sin(((to.lon - from.lon) * Math.PI) / 360)];
  const share = high * high + Math.cos(a) * Math.cos(b) * wide * wide;
  return 2 * 6371.0 * Math.asin(Math.min(1, Math.sqrt(share)));
}
