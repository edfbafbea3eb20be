/** Geo filters of reads: places in headers against areas. The geometry itself has tests of its own. */
import { describe, expect } from 'vitest';
import type { Api } from '../support/api.ts';
import { test } from '../support/api-test.ts';
import { filteredOffsets, filterText, placed, publishAll } from '../support/filter-steps.ts';
import { createStream } from '../support/publish-steps.ts';
import { type Query, range } from '../support/read-steps.ts';

async function matched(api: Api, filter: unknown, rest: Query = {}): Promise<readonly number[]> {
  return await filteredOffsets(api, { filter: filterText(filter), ...rest });
}

const within = (lat: number, lon: number, km: number) => ({
  'geo-within-radius': { lat, lon, radius_km: km },
});
const boxed = (lats: readonly [number, number], lons: readonly [number, number]) => ({
  'geo-bbox': { min_lat: lats[0], max_lat: lats[1], min_lon: lons[0], max_lon: lons[1] },
});

const EVERYWHERE = boxed([-90, 90], [-180, 180]);

test('G1: coordinates are numbers or plain decimal texts, in range, and both there', async ({
  api,
}) => {
  await createStream(api);
  const usable = [placed(40, -74), placed('40', '-74.0'), placed(90, '180'), placed(-90, -180)];
  const unusable = ['40,7', '0x28', 'north', '', '4e1', '90.5', 100, null, true, [1], ' 40'];
  await publishAll(api, [
    ...usable,
    ...unusable.map((lat) => placed(lat, 1)),
    placed(1, 181),
    { headers: { 'x-geo-lat': 1 } },
    { headers: { 'x-geo-lon': 1 } },
    {},
  ]);

  expect(await matched(api, EVERYWHERE)).toEqual(range(0, usable.length));
  expect(await matched(api, within(40, -74, 0.001))).toEqual([0, 1]);
});

test('G2: a radius, over the antimeridian and the poles too', async ({ api }) => {
  await createStream(api);
  await publishAll(api, [
    placed(40.8028, -74.006),
    placed(40.6782, -73.9442),
    placed(0, -179.5),
    placed(89.9, 180),
    placed(90, -170),
  ]);

  expect(await matched(api, within(40.7128, -74.006, 10.1))).toContain(0);
  expect(await matched(api, within(40.7128, -74.006, 10))).not.toContain(0);
  expect(await matched(api, within(40.8028, -74.006, 0.001))).toEqual([0]);
  expect(await matched(api, within(40.7589, -73.9851, 1))).toEqual([]);
  expect(await matched(api, within(0, 179.5, 112))).toEqual([2]);
  expect(await matched(api, within(0, 179.5, 111))).toEqual([]);
  expect(await matched(api, within(89.9, 0, 23))).toEqual([3, 4]);
  expect(await matched(api, within(89.9, 0, 22))).toEqual([4]);
  expect(await matched(api, within(90, 10, 0.001))).toEqual([4]);
});

test('G3 F4: a box has its edges; one over the antimeridian is two', async ({ api }) => {
  await createStream(api);
  await publishAll(api, [
    ...[179.5, -179.5, 180, -180, 0].map((lon) => placed(-16.5, lon)),
    ...[placed(40, -75), placed(41, -73), placed(42, -74), placed(40.5, -72.9999999)],
  ]);
  const east = boxed([-17, -16], [179, 180]);
  const west = boxed([-17, -16], [-180, -179]);

  expect(await matched(api, [east, west], { match: 'any' })).toEqual([0, 1, 2, 3]);
  expect(await matched(api, [east, west])).toEqual([]);
  expect(await matched(api, boxed([40, 41], [-75, -73]))).toEqual([5, 6]);
});

test('G4: a polygon has its southern and western edges', async ({ api }) => {
  await createStream(api);
  await publishAll(api, [
    placed(40.5, -74),
    placed(40, -75),
    placed(41, -73),
    placed(40.5, -73),
    placed('40.9999999', '-73.0000001'),
  ]);
  const points = [
    [40, -75],
    [41, -75],
    [41, -73],
    [40, -73],
  ];

  for (const given of [points, points.toReversed(), [...points, [40, -75]]]) {
    expect(await matched(api, { 'geo-polygon': { points: given } })).toEqual([0, 1, 4]);
  }
});

describe('with other parts', () => {
  test('G2 F4: what is near and what is food', async ({ api }) => {
    await createStream(api);
    const near = [40.7484, -73.9857] as const;
    const far = [40.6782, -73.9442] as const;
    const kind = (value: string) => ({ 'x-stream-filter-value': value });
    await publishAll(api, [
      placed(...near, kind('food')),
      placed(...near, kind('museum')),
      placed(...far, kind('food')),
      placed(...far, kind('museum')),
    ]);
    const filter = { 'x-stream-filter': 'food', ...within(40.758, -73.9855, 5) };

    expect(await matched(api, filter)).toEqual([0]);
    expect(await matched(api, filter, { match: 'any' })).toEqual([0, 1, 2]);
  });

  test('G2 G3 F4: a radius and a box', async ({ api }) => {
    await createStream(api);
    await publishAll(api, [placed(40.758, -73.9855), placed(40.7484, -74.05)]);
    const filter = { ...within(40.7128, -74.006, 10), ...boxed([40.7, 40.8], [-74.02, -73.9]) };

    expect(await matched(api, filter)).toEqual([0]);
  });

  test('F5 G2: match_unfiltered passes what is far away and has no filter value', async ({
    api,
  }) => {
    await createStream(api);
    await publishAll(api, [
      placed(10, 10),
      placed(10, 10, { 'x-stream-filter-value': '' }),
      {},
      placed(40, -74, { 'x-stream-filter-value': 'a' }),
    ]);
    const filter = within(40, -74, 1);

    expect(await matched(api, filter, { match_unfiltered: 'true' })).toEqual([0, 2, 3]);
    expect(await matched(api, filter, { match_unfiltered: 'false' })).toEqual([3]);
  });
});
