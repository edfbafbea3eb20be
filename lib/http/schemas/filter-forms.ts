/**
 * How filters are written, for descriptions: what the forms name is accepted by the parser of core, which takes a
 * little more (values with other characters, arrays within arrays).
 */

/** U+FEFF is trimmed too, and only some dialects count it as white space. */
const INSIDE = '[^,\\s\\uFEFF]';
const VALUE = `${INSIDE}(?:[^,]*${INSIDE})?`;
const FIRST_VALUE = `[^,\\s\\uFEFF\\[{](?:[^,]*${INSIDE})?`;
const VALUE_LIST = {
  type: 'string',
  pattern: `^${VALUE}(?:,${VALUE})*$`,
  description: 'Filter values, with a comma between them.',
} as const;
const LAT = { type: 'number', minimum: -90, maximum: 90 } as const;
const LON = { type: 'number', minimum: -180, maximum: 180 } as const;

const OBJECT = {
  type: 'object',
  description: 'All of its members are parts of the filter.',
  properties: {
    'x-stream-filter': VALUE_LIST,
    'geo-within-radius': {
      type: 'object',
      description: 'Places at most so far from a point, on a sphere.',
      properties: {
        lat: LAT,
        lon: LON,
        radius_km: { type: 'number', exclusiveMinimum: 0 },
      },
      required: ['lat', 'lon', 'radius_km'],
      additionalProperties: false,
    },
    'geo-bbox': {
      type: 'object',
      description: 'Places in a box, its edges included. No minimum is above its maximum.',
      properties: { min_lat: LAT, max_lat: LAT, min_lon: LON, max_lon: LON },
      required: ['min_lat', 'max_lat', 'min_lon', 'max_lon'],
      additionalProperties: false,
    },
    'geo-polygon': {
      type: 'object',
      description: 'Places in a polygon, without its northern and eastern edges.',
      properties: {
        points: {
          type: 'array',
          minItems: 3,
          maxItems: 1_000,
          items: { type: 'array', prefixItems: [LAT, LON], minItems: 2, maxItems: 2 },
        },
      },
      required: ['points'],
      additionalProperties: false,
    },
  },
  additionalProperties: {
    description: 'A header equals it, both as text. An array or object equals nothing.',
  },
} as const;

/** The values of `filter` in a body (SPEC F1-F3). */
export const FILTER_FORMS = {
  anyOf: [
    VALUE_LIST,
    OBJECT,
    {
      type: 'array',
      description: 'Filters, of which all parts count alike.',
      maxItems: 100,
      items: { anyOf: [VALUE_LIST, OBJECT] },
    },
  ],
  examples: [
    'north,south',
    { region: 'eu', 'geo-within-radius': { lat: 48.86, lon: 2.35, radius_km: 25 } },
  ],
} as const;

const PLAIN_TEXT = '[A-Za-z0-9_ .-]*';

/** In a query (SPEC F1). */
export const FILTER_TEXT_FORMS = {
  anyOf: [
    { ...VALUE_LIST, pattern: `^${FIRST_VALUE}(?:,${VALUE})*$` },
    {
      type: 'string',
      pattern: `^\\{"${PLAIN_TEXT}":"${PLAIN_TEXT}"\\}$`,
      description: 'JSON as in the body of `POST …/read`; here an object with one header.',
    },
  ],
  examples: ['north,south', '{"region":"eu"}'],
} as const;

/** The values of `match` (SPEC F4). */
export const MATCH_FORM = { pattern: '^(?:[Aa][Ll][Ll]|[Aa][Nn][Yy])$' } as const;
