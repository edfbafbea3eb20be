/**
 * Checks a value against a JSON Schema of the API's description, as far as that uses it; an unknown
 * keyword is an error and never passed over. Stricter than JSON Schema in one way: an object with
 * described members must have no others, since an answer is to be described whole.
 */
import type { ApiDocument, JsonSchema } from '../../lib/http/openapi/api-document.ts';

interface Place {
  readonly document: ApiDocument;
  readonly path: string;
}

type Check = (schema: JsonSchema, value: unknown, place: Place) => readonly string[];

/** What is wrong, each with its place; empty when nothing is. */
export function schemaFaults(schema: unknown, value: unknown, place: Place): readonly string[] {
  if (!isSchema(schema)) throw new Error(`${place.path}: no schema: ${JSON.stringify(schema)}`);
  const keywords = Object.keys(schema).filter((keyword) => !ANNOTATIONS.has(keyword));
  return keywords.flatMap((keyword) => {
    const check = CHECKS[keyword];
    if (check === undefined) throw new Error(`${place.path}: unknown keyword ${keyword}`);
    return check(schema, value, place);
  });
}

const ANNOTATIONS = new Set([
  'description',
  'default',
  'examples',
  'format',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
]);

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isObject = isSchema;

function fault(place: Place, value: unknown, expected: string): readonly string[] {
  return [`${place.path} is ${JSON.stringify(value)}, not ${expected}`];
}

const TYPES: { readonly [type: string]: (value: unknown) => boolean } = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
};

function count(holds: (limit: number, value: unknown) => boolean, keyword: string): Check {
  return (schema, value, place) => {
    const limit = Number(schema[keyword]);
    return holds(limit, value) ? [] : fault(place, value, `within ${keyword} ${limit}`);
  };
}

const chars = (value: unknown) => (typeof value === 'string' ? [...value].length : undefined);
const items = (value: unknown) => (Array.isArray(value) ? value.length : undefined);
const number = (value: unknown) => (typeof value === 'number' ? value : undefined);

const CHECKS: { readonly [keyword: string]: Check } = {
  type: ({ type }, value, place) =>
    [type].flat().some((name) => TYPES[String(name)]?.(value))
      ? []
      : fault(place, value, `of type ${type}`),
  enum: ({ enum: values = [] }, value, place) =>
    values.some((one) => one === value) ? [] : fault(place, value, `one of ${values}`),
  const: (schema, value, place) =>
    schema.const === value ? [] : fault(place, value, String(schema.const)),
  pattern: ({ pattern = '' }, value, place) =>
    typeof value !== 'string' || new RegExp(pattern, 'u').test(value)
      ? []
      : fault(place, value, `like ${pattern}`),
  minimum: count((limit, value) => (number(value) ?? limit) >= limit, 'minimum'),
  maximum: count((limit, value) => (number(value) ?? limit) <= limit, 'maximum'),
  minLength: count((limit, value) => (chars(value) ?? limit) >= limit, 'minLength'),
  maxLength: count((limit, value) => (chars(value) ?? limit) <= limit, 'maxLength'),
  minItems: count((limit, value) => (items(value) ?? limit) >= limit, 'minItems'),
  maxItems: count((limit, value) => (items(value) ?? limit) <= limit, 'maxItems'),
  items: (schema, value, place) =>
    Array.isArray(value)
      ? value.flatMap((item, index) =>
          schemaFaults(schema.items, item, { ...place, path: `${place.path}[${index}]` }),
        )
      : [],
  required: ({ required = [] }, value, place) =>
    required
      .filter((name) => isObject(value) && !Object.hasOwn(value, name))
      .map((name) => `${place.path}.${name} is missing`),
  properties: memberFaults,
  additionalProperties: ({ additionalProperties, properties = {} }, value, place) =>
    isSchema(additionalProperties) && isObject(value)
      ? Object.entries(value)
          .filter(([name]) => !Object.hasOwn(properties, name))
          .flatMap(([name, member]) =>
            schemaFaults(additionalProperties, member, { ...place, path: `${place.path}.${name}` }),
          )
      : [],
  anyOf: ({ anyOf = [] }, value, place) =>
    anyOf.some((one) => schemaFaults(one, value, place).length === 0)
      ? []
      : fault(place, value, 'any of its forms'),
  oneOf: ({ oneOf = [] }, value, place) =>
    oneOf.filter((one) => schemaFaults(one, value, place).length === 0).length === 1
      ? []
      : fault(place, value, 'exactly one of its forms'),
  not: ({ not }, value, place) =>
    schemaFaults(not, value, place).length > 0 ? [] : fault(place, value, 'what it must not be'),
  propertyNames: ({ propertyNames }, value, place) =>
    isObject(value)
      ? Object.keys(value).flatMap((name) => schemaFaults(propertyNames, name, place))
      : [],
  $ref: (schema, value, place) => schemaFaults(referenced(schema, place), value, place),
};

function memberFaults(schema: JsonSchema, value: unknown, place: Place): readonly string[] {
  if (!isObject(value)) return [];
  const { properties = {} } = schema;
  const known = { ...(schema.$ref && referenced(schema, place).properties), ...properties };
  const isOpen = typeof schema.additionalProperties === 'object';
  return Object.entries(value).flatMap(([name, member]) => {
    const inside = { ...place, path: `${place.path}.${name}` };
    if (Object.hasOwn(properties, name)) return schemaFaults(properties[name], member, inside);
    return isOpen || Object.hasOwn(known, name) ? [] : [`${inside.path} is not described`];
  });
}

function referenced({ $ref = '' }: JsonSchema, { document }: Place): JsonSchema {
  const found = document.components.schemas[$ref.replace('#/components/schemas/', '')];
  if (found === undefined) throw new Error(`${$ref} leads nowhere`);
  return found;
}
