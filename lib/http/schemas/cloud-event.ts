/**
 * A CloudEvent in JSON (CloudEvents 1.0), as publishes take it and reads give it. Core decides what an
 * attribute may be (`core/log/event-attribute.ts`); the schema describes that, and a property holds both
 * together.
 */
import * as z from 'zod';
import { parseAttribute } from '../../core/log/event-attribute.ts';
import { CONTENT_TYPE_BYTES_MAX } from '../../core/log/limits.ts';
import { isJsonData } from '../event-data.ts';
import { lazy } from './lazy.ts';
import { base64Value, CONTENT_TYPE_FORM } from './log-values.ts';

/** Without control characters and noncharacters; those beyond U+FFFF a pattern cannot name. */
const CHARACTER = '[^\\u0000-\\u001f\\u007f-\\u009f\\ufdd0-\\ufdef\\ufffe\\uffff]';

interface AttributeForm {
  readonly description: string;
  readonly [keyword: string]: unknown;
}

function attribute(name: string, form: AttributeForm) {
  return z
    .string()
    .refine((text) => parseAttribute(name, text).kind === 'ok')
    .meta({ pattern: `^${CHARACTER}+$`, ...form });
}

function optional(name: string, form: AttributeForm) {
  return attribute(name, form).nullable().optional().describe(form.description);
}

const extension = () =>
  z.union([
    z
      .string()
      .refine((text) => parseAttribute('extension', text).kind === 'ok')
      .meta({ pattern: `^${CHARACTER}*$` }),
    z.boolean(),
    z.int32(),
    z.null(),
  ]);

/** What no single member tells. */
function isWhole(event: { readonly [name: string]: unknown }): boolean {
  const { data, datacontenttype: type, data_base64: base64 } = event;
  const names = Object.keys(event).every((name) => name === 'data_base64' || NAME.test(name));
  const isText = typeof type === 'string' && !isJsonData(type);
  const isDataTaken = !('data' in event) || !isText || typeof data === 'string' || base64 != null;
  return names && isDataTaken && !('data' in event && base64 != null);
}

const NAME = /^[a-z0-9]+$/;

export const cloudEvent = lazy(() =>
  z
    .object({
      specversion: z.literal('1.0'),
      id: attribute('id', { description: 'Unique with the source.' }),
      source: attribute('source', { description: 'A URI reference.', format: 'uri-reference' }),
      type: attribute('type', { description: 'What kind of event it is.' }),
      subject: optional('subject', { description: 'What of the source it is about.' }),
      time: optional('time', { description: 'RFC 3339.', format: 'date-time' }),
      dataschema: optional('dataschema', { description: 'A URI.', format: 'uri' }),
      datacontenttype: optional('datacontenttype', {
        description: 'Of the data. By default application/json, of `data_base64` bytes.',
        ...CONTENT_TYPE_FORM,
        maxLength: CONTENT_TYPE_BYTES_MAX,
      }),
      partitionkey: optional('partitionkey', { description: 'The key of the message.' }),
      data: z
        .unknown()
        .optional()
        .describe('Any JSON, kept byte for byte; text where the type is none of JSON.'),
      data_base64: base64Value()
        .nullable()
        .optional()
        .describe('The data as bytes, in place of `data`.'),
    })
    .catchall(extension())
    .refine(isWhole)
    .meta({
      id: 'CloudEvent',
      description:
        'An event as CloudEvents 1.0 has it. Any other member with a name of the letters a to z and digits is an extension.',
      propertyNames: { pattern: '^(?:[a-z0-9]+|data_base64)$' },
      not: { required: ['data', 'data_base64'] },
    }),
);
