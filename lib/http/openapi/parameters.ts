/** Parameters in the path, the query and the headers of a request. */
import { CONSUMER_NAME_FORM, EXCHANGE_NAME_FORM, NAME_FORM } from '../schemas/log-values.ts';
import type { JsonSchema, Parameter } from './api-document.ts';
import type { JsonSchemas } from './json-schemas.ts';
import type { Operation } from './operation.ts';

/** In paths they stand as `:stream` in the table of routes and as `{stream}` here. */
export const SHARED_PARAMETERS: { readonly [name: string]: Parameter } = {
  stream: nameInPath(
    'stream',
    'The name of the stream, up to 255 bytes, percent-encoded.',
    'orders',
  ),
  publisher: nameInPath(
    'publisher',
    'The name of the publisher, up to 255 bytes, percent-encoded.',
    'press-1',
  ),
  consumer: {
    ...nameInPath(
      'consumer',
      'The name of the consumer, up to 255 bytes, percent-encoded.',
      'audit',
    ),
    schema: { type: 'string', ...CONSUMER_NAME_FORM },
  },
  exchange: {
    ...nameInPath(
      'exchange',
      'The name of the exchange, up to 255 bytes, percent-encoded; `amq.default` for the one that routes by names of streams.',
      'quakes',
    ),
    schema: { type: 'string', ...EXCHANGE_NAME_FORM },
  },
  kind: {
    name: 'kind',
    in: 'path',
    required: true,
    description: 'What the binding leads to.',
    schema: { type: 'string', enum: ['stream', 'queue', 'exchange'] },
    example: 'stream',
  },
  destination: nameInPath(
    'destination',
    'The name of the stream or exchange that is bound, percent-encoded.',
    'orders',
  ),
  properties_key: {
    name: 'properties_key',
    in: 'path',
    required: true,
    description: 'The `properties_key` of the binding, percent-encoded once more.',
    schema: { type: 'string', minLength: 1 },
    example: 'eu.*',
  },
  delayed: {
    name: 'delayed',
    in: 'path',
    required: true,
    description: 'The id of a delayed message.',
    schema: { type: 'string' },
    example: '019ad0c4e3a0019ad0c4e3a00123456789abcdef0123',
  },
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    description:
      'Comes back in the answer, in a problem and in the log. One that is not 1 to 128 printable ASCII characters is replaced.',
    schema: { type: 'string' },
  },
};

function nameInPath(name: string, description: string, example: string): Parameter {
  return {
    name,
    in: 'path',
    required: true,
    description,
    schema: { type: 'string', ...NAME_FORM },
    example,
  };
}

export function pathTemplate(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

export function describeParameters(path: string, operation: Operation, schemas: JsonSchemas) {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => reference(name ?? ''));
  const inQuery = operation.query === undefined ? [] : queryParameters(schemas.of(operation.query));
  const inHeaders = (operation.headers ?? []).map(headerParameter);
  return [...inPath, ...inQuery, ...inHeaders, reference('X-Request-Id')];
}

function reference(name: string) {
  return { $ref: `#/components/parameters/${name}` };
}

function queryParameters({ properties = {}, required = [] }: JsonSchema): Parameter[] {
  return Object.entries(properties).flatMap(([name, property]) => {
    if (typeof property !== 'object') return [];
    const { description = '', ...schema } = property;
    return [{ name, in: 'query', required: required.includes(name), description, schema }];
  });
}

function headerParameter(header: NonNullable<Operation['headers']>[number]): Parameter {
  const { name, description, example } = header;
  return { name, in: 'header', required: false, description, schema: { type: 'string' }, example };
}
