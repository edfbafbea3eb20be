/**
 * Whether a point lies in an area (SPEC G2-G4): within a great-circle distance on a sphere, in a box with its
 * edges, in a planar polygon with the lower of its edges. Each is prepared once and asked for every message.
 */
import type { GeoBox, GeoPoint } from './filter.ts';

export type GeoTest = (point: GeoPoint) => boolean;

const EARTH_RADIUS_KM = 6_371;
const RADIANS = Math.PI / 180;
/** Far more than the distance can be off by its last digits: a hundredth of a millimetre, and of the whole. */
const ROUNDING_DEGREES = 1e-10;
const ROUNDING = 1 + 1e-9;

/** Haversine. */
export function distanceKm(a: GeoPoint, b: GeoPoint): number {
  const sinLat = Math.sin(((b.lat - a.lat) * RADIANS) / 2);
  const sinLon = Math.sin(((b.lon - a.lon) * RADIANS) / 2);
  const chord =
    sinLat * sinLat + Math.cos(a.lat * RADIANS) * Math.cos(b.lat * RADIANS) * sinLon * sinLon;
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(Math.min(chord, 1)));
}

/** No two points are nearer to each other than their latitudes are, which is told without a sine. */
export function withinRadius(center: GeoPoint, radiusKm: number): GeoTest {
  const degreesMax = (radiusKm / EARTH_RADIUS_KM / RADIANS) * ROUNDING + ROUNDING_DEGREES;
  return (point) =>
    Math.abs(point.lat - center.lat) <= degreesMax && distanceKm(center, point) <= radiusKm;
}

export function withinBox({ minLat, maxLat, minLon, maxLon }: GeoBox): GeoTest {
  return ({ lat, lon }) => lat >= minLat && lat <= maxLat && lon >= minLon && lon <= maxLon;
}

interface Edge {
  readonly low: GeoPoint;
  readonly high: GeoPoint;
}

/**
 * A ray to the east crosses the outline an odd number of times. Edges run from their lower end, which they
 * have, to their upper one, which they have not; the same numbers come out whichever way the outline is given.
 */
export function withinPolygon(points: readonly GeoPoint[]): GeoTest {
  const edges = edgesOf(points);
  const isNear = withinBox(boxAround(points));
  return (point) => {
    if (!isNear(point)) return false;
    let isInside = false;
    for (const edge of edges) if (crossesEastOf(edge, point)) isInside = !isInside;
    return isInside;
  };
}

function crossesEastOf({ low, high }: Edge, { lat, lon }: GeoPoint): boolean {
  if (lat < low.lat || lat >= high.lat) return false;
  return lon < low.lon + ((high.lon - low.lon) * (lat - low.lat)) / (high.lat - low.lat);
}

/** Those along a circle of latitude are crossed by no ray. */
function edgesOf(points: readonly GeoPoint[]): readonly Edge[] {
  return points.flatMap((end, at) => {
    const start = points.at(at - 1) ?? end;
    if (start.lat === end.lat) return [];
    return start.lat < end.lat ? [{ low: start, high: end }] : [{ low: end, high: start }];
  });
}

function boxAround(points: readonly GeoPoint[]): GeoBox {
  const lats = points.map(({ lat }) => lat);
  const lons = points.map(({ lon }) => lon);
  return {
    minLat: Math.min(...lats),
    maxLat: Math.max(...lats),
    minLon: Math.min(...lons),
    maxLon: Math.max(...lons),
  };
}
