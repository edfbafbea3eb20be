/**
 * What filters look at in the headers of a stored message: its filter values (SPEC P10: the header is a
 * string, split at commas and not trimmed) and the place it is from, when it has a usable one.
 */

export interface GeoPoint {
  readonly lat: number;
  readonly lon: number;
}

export interface FilterHeaders {
  readonly values?: readonly string[];
  readonly point?: GeoPoint;
}

const VALUE = 'x-stream-filter-value';
const LAT = 'x-geo-lat';
const LON = 'x-geo-lon';
const LAT_MAX = 90;
const LON_MAX = 180;

const NOTHING: FilterHeaders = {};
const decoder = new TextDecoder();

/** Headers that are no JSON object have nothing that a filter could match. */
export function parseFilterHeaders(headers: Uint8Array): FilterHeaders {
  const text = decoder.decode(headers);
  if (!maySpeakOfFilters(text)) return NOTHING;
  const members = parseMembers(text);
  const value = members[VALUE];
  const [lat, lon] = [coordinate(members[LAT], LAT_MAX), coordinate(members[LON], LON_MAX)];
  return {
    ...(typeof value === 'string' && { values: value.split(',') }),
    ...(lat !== undefined && lon !== undefined && { point: { lat, lon } }),
  };
}

/** Most headers do not, and parsing is what takes long. A name can also be written with escapes. */
function maySpeakOfFilters(text: string): boolean {
  return text.includes(VALUE) || text.includes(LAT) || text.includes('\\');
}

function parseMembers(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** A number, or a plain decimal one as text. */
function coordinate(value: unknown, max: number): number | undefined {
  const isPlain = typeof value === 'string' && /^-?[0-9]+(\.[0-9]+)?$/.test(value);
  const number = isPlain ? Number(value) : value;
  return typeof number === 'number' && Math.abs(number) <= max ? number : undefined;
}
