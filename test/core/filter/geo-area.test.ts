import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { GeoPoint } from '../../../lib/core/filter/filter.ts';
import {
  distanceKm,
  withinBox,
  withinPolygon,
  withinRadius,
} from '../../../lib/core/filter/geo-area.ts';

const at = (lat: number, lon: number): GeoPoint => ({ lat, lon });
const points = fc.record({
  lat: fc.double({ min: -90, max: 90, noNaN: true }),
  lon: fc.double({ min: -180, max: 180, noNaN: true }),
});

test.each([
  [40.7128, -74.006, 34.0522, -118.2437, 3935.746],
  [51.5074, -0.1278, 48.8566, 2.3522, 343.556],
  [40.758, -73.9855, 40.7484, -73.9857, 1.068],
  [40.758, -73.9855, 40.6782, -73.9442, 9.532],
  [40.7128, -74.006, 40.8028, -74.006, 10.008],
  [0, 179.5, 0, -179.5, 111.195],
  [0, 0, 0, 180, 20015.087],
  [90, 0, -90, 0, 20015.087],
  [0, 0, 0, 1, 111.195],
  [60, 0, 60, 1, 55.597],
  [0, 180, 0, -180, 0],
  [40, -74, 40, -74, 0],
  [90, 10, 90, -170, 0],
  [-16.5, 179.9, -16.5, -179.9, 21.323],
])('G2: from %d, %d to %d, %d it is %d km', (...[latA, lonA, latB, lonB, km]) => {
  expect(distanceKm(at(latA, lonA), at(latB, lonB))).toBeCloseTo(km, 3);
  expect(distanceKm(at(latB, lonB), at(latA, lonA))).toBeCloseTo(km, 3);
});

describe('within a radius', () => {
  test.each([
    [at(40.7128, -74.006), at(40.8028, -74.006), 10.1, true],
    [at(40.7128, -74.006), at(40.8028, -74.006), 10, false],
    [at(40.7128, -74.006), at(40.7128, -74.006), 0.001, true],
    [at(40.7589, -73.9851), at(40.6782, -73.9442), 1, false],
    [at(0, 179.5), at(0, -179.5), 112, true],
    [at(0, 179.5), at(0, -179.5), 111, false],
    [at(89.9, 0), at(89.9, 180), 23, true],
    [at(89.9, 0), at(89.9, 180), 22, false],
    [at(90, 10), at(90, -170), 1e-9, true],
    [at(0, 0), at(0, 180), 20_016, true],
    [at(0, 0), at(0, 180), Number.MAX_VALUE, true],
  ])('G2: of %j is %j, %d km: %s', (...[center, point, km, isWithin]) => {
    expect(withinRadius(center, km)(point)).toBe(isWithin);
  });

  test('G2: is what the distance says, wherever', () => {
    fc.assert(
      fc.property(
        points,
        points,
        fc.double({ min: 1e-6, max: 30_000, noNaN: true }),
        (a, b, km) => {
          const distance = distanceKm(a, b);
          expect(withinRadius(a, km)(b)).toBe(distance <= km);
          if (distance > 0) expect(withinRadius(a, distance)(b)).toBe(true);
        },
      ),
    );
  });
});

test.each([
  [40.5, -74, true],
  [40, -75, true],
  [41, -73, true],
  [40, -73, true],
  [41, -75, true],
  [42, -74, false],
  [39.9999999, -74, false],
  [40.5, -72.9999999, false],
])('G3: %d, %d in a box with its edges: %s', (lat, lon, isWithin) => {
  const box = { minLat: 40, maxLat: 41, minLon: -75, maxLon: -73 };

  expect(withinBox(box)(at(lat, lon))).toBe(isWithin);
});

describe('within a polygon', () => {
  const rectangle = [at(40, -75), at(41, -75), at(41, -73), at(40, -73)];
  const triangle = [at(40, -74), at(41, -74), at(40.5, -73)];
  const spellings = (outline: readonly GeoPoint[]) => [
    outline,
    outline.toReversed(),
    [...outline, ...outline.slice(0, 1)],
    [...outline.slice(1), ...outline.slice(0, 1)],
  ];

  test.each([
    [40.5, -74, true],
    [40.5, -76, false],
    [40.5, -72, false],
    [40, -74, true],
    [41, -74, false],
    [40.5, -75, true],
    [40.5, -73, false],
    [40, -75, true],
    [41, -75, false],
    [41, -73, false],
    [40, -73, false],
    [40.9999999, -73.0000001, true],
  ])('G4: %d, %d in a rectangle: %s, however it is given', (lat, lon, isWithin) => {
    const found = spellings(rectangle).map((outline) => withinPolygon(outline)(at(lat, lon)));

    expect(found).toEqual([isWithin, isWithin, isWithin, isWithin]);
  });

  test.each([
    [40.5, -73.8, true],
    [40.5, -74, true],
    [40.1, -73.9, true],
    [42, -72, false],
    [40.5, -73, false],
    [40.1, -73.7, false],
  ])('G4: %d, %d in a triangle: %s, however it is given', (lat, lon, isWithin) => {
    const found = spellings(triangle).map((outline) => withinPolygon(outline)(at(lat, lon)));

    expect(found).toEqual([isWithin, isWithin, isWithin, isWithin]);
  });

  test('G4: of two that share an edge, each point is in one', () => {
    const integers = fc.integer({ min: 0, max: 4 });
    const corner = fc.tuple(integers, integers).map(([lat, lon]) => at(lat, lon));
    fc.assert(
      fc.property(corner, corner, (a, b) => {
        fc.pre(a.lat > b.lat || a.lon > b.lon);
        const [south, east] = [
          [at(0, 0), a, b],
          [a, b, at(4, 4)],
        ];
        const inBoth = withinPolygon(south);
        const whole = withinPolygon([at(0, 0), a, at(4, 4), b]);
        for (let lat = 0; lat <= 4; lat += 0.5) {
          for (let lon = 0; lon <= 4; lon += 0.5) {
            const point = at(lat, lon);
            // Even-odd over the whole outline is the two halves, each point once.
            expect(whole(point)).toBe(inBoth(point) !== withinPolygon(east)(point));
          }
        }
      }),
    );
  });

  test('G4: crossing the edges is told as for boxes of the same corners', () => {
    const sides = fc.tuple(
      fc.integer({ min: -90, max: 89 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: -180, max: 170 }),
      fc.integer({ min: 1, max: 5 }),
    );
    fc.assert(
      fc.property(sides, points, ([south, height, west, width], point) => {
        const [north, east] = [Math.min(south + height, 90), west + width];
        const outline = [at(south, west), at(north, west), at(north, east), at(south, east)];
        const isIn =
          point.lat >= south && point.lat < north && point.lon >= west && point.lon < east;
        expect(withinPolygon(outline)(point)).toBe(isIn);
        expect(withinPolygon(outline)(at(south, west))).toBe(true);
      }),
    );
  });
});
