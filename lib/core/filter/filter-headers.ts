/**
 * What filters look at in the headers of a stored message: its filter values (SPEC F2: split at commas, not
 * trimmed), the place it is from when it has a usable one (SPEC G1), and whether a header equals a text (SPEC F3).
 */
import type { GeoPoint } from './filter.ts';
import { outerNumbers } from './outer-numbers.ts';

/** By name; the last one of a repeated name. */
export type HeaderMembers = Readonly<Record<string, unknown>>;

const VALUE = 'x-stream-filter-value';
const LAT = 'x-geo-lat';
const LON = 'x-geo-lon';
const LAT_MAX = 90;
const LON_MAX = 180;

const decoder = new TextDecoder();

/** Headers as they were stored. Those that are no JSON object have nothing that a filter could match. */
export class FilterHeaders {
  readonly #text: string;
  #members: HeaderMembers | undefined;
  /** Looked for once, as a filter may ask for a hundred areas. */
  #place: { readonly point: GeoPoint | undefined } | undefined;
  #digits: ReadonlyMap<string, string> | undefined;

  constructor(headers: Uint8Array) {
    this.#text = decoder.decode(headers);
  }

  get members(): HeaderMembers {
    this.#members ??= parseMembers(this.#text);
    return this.#members;
  }

  /** False only when no name and no value in them holds this text: a tenth of the time of parsing them. */
  mayHold(text: string): boolean {
    return this.#text.includes(text) || this.#text.includes('\\');
  }

  /** Undefined when it has none, which is not the same as one empty value. */
  values(): readonly string[] | undefined {
    const value = this.members[VALUE];
    return typeof value === 'string' ? value.split(',') : undefined;
  }

  /** Where it is from; undefined without usable coordinates. */
  point(): GeoPoint | undefined {
    this.#place ??= { point: pointOf(this.members) };
    return this.#place.point;
  }

  /** A number is compared by the digits it was written with; objects and arrays equal nothing. */
  equals(name: string, text: string): boolean {
    if (!Object.hasOwn(this.members, name)) return false;
    const value = this.members[name];
    if (typeof value !== 'number') return comparedText(value) === text;
    // Digits are looked for only when the number is the same, as that takes several times as long.
    if (Number(text) !== value) return false;
    this.#digits ??= outerNumbers(this.#text);
    return this.#digits.get(name) === text;
  }
}

/** Undefined for what equals no text. Of a number, its shortest form: many ways to write it have the same one. */
export function comparedText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return isObject(value) ? undefined : String(value);
}

function parseMembers(text: string): HeaderMembers {
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) && !Array.isArray(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is HeaderMembers {
  return typeof value === 'object' && value !== null;
}

function pointOf(members: HeaderMembers): GeoPoint | undefined {
  const [lat, lon] = [coordinate(members[LAT], LAT_MAX), coordinate(members[LON], LON_MAX)];
  return lat === undefined || lon === undefined ? undefined : { lat, lon };
}

/** A number, or a plain decimal one as text. */
function coordinate(value: unknown, max: number): number | undefined {
  const isPlain = typeof value === 'string' && /^-?[0-9]+(\.[0-9]+)?$/.test(value);
  const number = isPlain ? Number(value) : value;
  return typeof number === 'number' && Math.abs(number) <= max ? number : undefined;
}
