/** The arguments of geo filters (SPEC G1-G4): complete, in range, and nothing that is not known. */
import type { FilterPart, GeoPoint } from './filter.ts';
import { FilterFault, memberPlace } from './filter-fault.ts';
import { isWrittenObject, WrittenNumber, type WrittenObject } from './written-json.ts';

const LAT_MAX = 90;
const LON_MAX = 180;
const POLYGON_POINTS_MIN = 3;

type GeoParser = (value: unknown, place: string) => FilterPart;

/** By the key that they have in a filter. */
export const GEO_PARSERS: ReadonlyMap<string, GeoParser> = new Map([
  ['geo-within-radius', parseRadius],
  ['geo-bbox', parseBox],
  ['geo-polygon', parsePolygon],
]);

function parseRadius(value: unknown, place: string): FilterPart {
  const radius = argumentsOf(value, place, ['lat', 'lon', 'radius_km']);
  const center = { lat: lat(radius, place, 'lat'), lon: lon(radius, place, 'lon') };
  const written = radius['radius_km'];
  const radiusKm = written instanceof WrittenNumber ? Number(written.text) : Number.NaN;
  if (radiusKm > 0 && Number.isFinite(radiusKm)) return { kind: 'radius', center, radiusKm };
  throw new FilterFault(`${place}.radius_km`, 'must be a number of kilometres above 0');
}

function parseBox(value: unknown, place: string): FilterPart {
  const box = argumentsOf(value, place, ['min_lat', 'max_lat', 'min_lon', 'max_lon']);
  const [minLat, maxLat] = [lat(box, place, 'min_lat'), lat(box, place, 'max_lat')];
  const [minLon, maxLon] = [lon(box, place, 'min_lon'), lon(box, place, 'max_lon')];
  if (minLat > maxLat) throw new FilterFault(`${place}.min_lat`, 'is above max_lat');
  if (minLon > maxLon) {
    const hint = 'an area over the antimeridian is two boxes with match=any';
    throw new FilterFault(`${place}.min_lon`, `is above max_lon: ${hint}`);
  }
  return { kind: 'box', box: { minLat, maxLat, minLon, maxLon } };
}

function parsePolygon(value: unknown, place: string): FilterPart {
  const { points } = argumentsOf(value, place, ['points']);
  const inside = `${place}.points`;
  if (!Array.isArray(points) || points.length < POLYGON_POINTS_MIN) {
    throw new FilterFault(inside, `must be an array of at least ${POLYGON_POINTS_MIN} [lat, lon]`);
  }
  return {
    kind: 'polygon',
    points: points.map((point: unknown, at) => parsePoint(point, `${inside}[${at}]`)),
  };
}

function parsePoint(value: unknown, place: string): GeoPoint {
  if (!Array.isArray(value) || value.length !== 2) {
    throw new FilterFault(place, 'must be [lat, lon]');
  }
  return {
    lat: degrees(value[0], `${place}[0]`, LAT_MAX),
    lon: degrees(value[1], `${place}[1]`, LON_MAX),
  };
}

function argumentsOf(value: unknown, place: string, names: readonly string[]): WrittenObject {
  if (!isWrittenObject(value)) {
    throw new FilterFault(place, `must be an object with ${names.join(', ')}`);
  }
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown === undefined) return value;
  throw new FilterFault(memberPlace(place, unknown), `is not known: use ${names.join(', ')}`);
}

function lat(members: WrittenObject, place: string, name: string): number {
  return degrees(members[name], `${place}.${name}`, LAT_MAX);
}

function lon(members: WrittenObject, place: string, name: string): number {
  return degrees(members[name], `${place}.${name}`, LON_MAX);
}

function degrees(value: unknown, place: string, max: number): number {
  const number = value instanceof WrittenNumber ? Number(value.text) : Number.NaN;
  if (Math.abs(number) <= max) return number;
  throw new FilterFault(place, `must be a number from -${max} to ${max}`);
}
