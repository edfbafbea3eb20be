/** The headers of answers, described once for all operations. */
import type { z } from 'zod';
import { gap, resolved } from '../schemas/page.ts';
import type { HeaderObject } from './api-document.ts';
import type { JsonSchemas } from './json-schemas.ts';

const OFFSET = { type: 'integer', minimum: 0 } as const;
const JSON_TEXT = { type: 'string', contentMediaType: 'application/json' } as const;

export const HEADER_SCHEMAS: readonly (() => z.ZodType)[] = [gap, resolved];

export function describeHeaders(schemas: JsonSchemas): { readonly [name: string]: HeaderObject } {
  const always = (description: string, schema: HeaderObject['schema']) => {
    return { description, required: true, schema };
  };
  const unlessKept = (description: string, schema: HeaderObject['schema']) => {
    return {
      description: `${description} Not of a page with an \`ETag\`.`,
      required: false,
      schema,
    };
  };
  const json = (schema: () => z.ZodType) => ({ ...JSON_TEXT, contentSchema: schemas.of(schema()) });
  return {
    'X-Request-Id': always(
      'The id of the request, as it was given or drawn. Faults are logged with it.',
      { type: 'string', minLength: 1, maxLength: 128 },
    ),
    'Retry-After': always('Seconds to wait before the same request is sent again.', {
      type: 'integer',
      minimum: 0,
    }),
    'Server-Timing': {
      description:
        'Milliseconds, as `store;dur=…, total;dur=…`: of waiting for the store, and until the head of the answer. Absent when the store was not asked.',
      required: false,
      schema: {
        type: 'string',
        pattern: '^store;dur=[0-9]+\\.[0-9]{3}, total;dur=[0-9]+\\.[0-9]{3}$',
      },
    },
    Allow: always('The methods that the path takes.', { type: 'string' }),
    ETag: {
      description:
        'Changes with the content; `If-None-Match` asks for a change alone. A page of messages has one when it never changes.',
      required: false,
      schema: { type: 'string' },
    },
    'Varve-Next': always('Where to go on: the next request’s `from`.', OFFSET),
    'Varve-Stream-Id': always('Which stream of that name this is.', { type: 'string' }),
    'Varve-Resolved': always('Where the reader starts, and why, as JSON.', json(resolved)),
    'Varve-First': unlessKept('The first retained offset.', OFFSET),
    'Varve-Tail': unlessKept('What the next published message gets.', OFFSET),
    'Varve-Up-To-Date': unlessKept('Whether the answer reaches the tail.', { type: 'boolean' }),
    'Varve-Gap': {
      description: 'Messages that were asked for and are gone, as JSON.',
      required: false,
      schema: json(gap),
    },
    'Varve-Clamped': {
      description: 'The offset asked for has not been published yet.',
      required: false,
      schema: { type: 'string', const: 'true' },
    },
  };
}
