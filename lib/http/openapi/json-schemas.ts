/**
 * Turns the schemas of all operations into JSON Schema in one go, so that a named one (`meta({ id })`)
 * becomes one component that all others refer to.
 */
import * as z from 'zod';
import type { JsonSchema } from './api-document.ts';

export interface JsonSchemas {
  /** The schema, or a reference to it when it has a name. */
  of(schema: z.ZodType): JsonSchema;
  readonly components: { readonly [name: string]: JsonSchema };
}

export function convertSchemas(schemas: Iterable<z.ZodType>): JsonSchemas {
  const distinct = [...new Set(schemas)];
  const nameOf = (schema: z.ZodType) => `schema${distinct.indexOf(schema)}`;
  const whole = z.object(Object.fromEntries(distinct.map((schema) => [nameOf(schema), schema])));
  // As requests are sent: with `output`, answers would be closed to members that come later.
  const { $defs = {}, properties = {} } = z.toJSONSchema(whole, { io: 'input' });
  return {
    of(schema) {
      const found = properties[nameOf(schema)];
      if (typeof found !== 'object') throw new Error('a schema is used that was not collected');
      return withComponents(found);
    },
    components: Object.fromEntries(
      Object.entries($defs)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, schema]) => [name, withComponents(schema)]),
    ),
  };
}

function withComponents(schema: JsonSchema): JsonSchema {
  const text = JSON.stringify(schema);
  return JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/'));
}
