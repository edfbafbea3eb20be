/**
 * A message, as a publish takes it and as a read gives it. Publishes are checked by hand, since a
 * schema over every message dominates the cost of a batch: these schemas describe what
 * `body/message-object.ts` and `services/batch-builder.ts` accept, and a property holds them together.
 */
import * as z from 'zod';
import { CONTENT_TYPE_BYTES_MAX } from '../../core/log/limits.ts';
import { delayMembers } from './delay.ts';
import { lazy } from './lazy.ts';
import { base64Value, CONTENT_TYPE_FORM, offsetValue, textValue, timeValue } from './log-values.ts';

const ONE_BODY = {
  oneOf: [{ required: ['json'] }, { required: ['text'] }, { required: ['base64'] }],
};

const properties = lazy(() => {
  const text = textValue().optional();
  const integer = z.int().min(0).optional();
  return z
    .strictObject({
      message_id: text,
      correlation_id: text,
      reply_to: text,
      type: text,
      app_id: text,
      user_id: text,
      content_encoding: text,
      expiration: z
        .string()
        .regex(/^[0-9]+$/)
        .optional()
        .describe('Milliseconds as digits. Kept; without effect on a stream.'),
      priority: integer.describe('Kept; without effect on a stream.'),
      timestamp: integer.describe('The publisher’s own time; the service keeps its own beside it.'),
      ingested_at: integer.describe('When a message came in that was delayed: set by the service.'),
    })
    .meta({ id: 'MessageProperties', description: 'Properties as AMQP 0.9.1 knows them.' });
});

/** The members that both directions have, but for the body. */
function sharedMembers() {
  return {
    key: textValue().optional().describe('What the message is about, for readers and routing.'),
    routing_key: textValue().optional(),
    properties: properties().optional(),
    content_type: z
      .string()
      .max(CONTENT_TYPE_BYTES_MAX)
      .regex(new RegExp(CONTENT_TYPE_FORM.pattern))
      .optional()
      .describe(
        'Of the body. By default application/json, text/plain; charset=utf-8 or application/octet-stream, as the body was given.',
      ),
  };
}

const ignored = () => z.unknown().optional().describe('Given by reads, and ignored here.');

export const publishMessage = lazy(() =>
  z
    .strictObject({
      json: z.unknown().optional().describe('The body, kept byte for byte as it is written here.'),
      text: textValue().optional().describe('The body as text.'),
      base64: base64Value().optional().describe('The body as bytes.'),
      ...sharedMembers(),
      headers: z
        .object({
          'x-stream-filter-value': z.string().optional(),
          CC: z.array(z.string()).optional(),
          BCC: z.array(z.string()).optional(),
        })
        .catchall(z.unknown())
        .optional()
        .describe(
          'Any values, at most 64 KiB, kept as written. `x-death` and `x-first-death-…` are dropped.',
        ),
      publishing_id: z
        .int()
        .min(0)
        .optional()
        .describe('Rises along the messages of a named publisher: given with every one, or none.'),
      ...delayMembers(),
      offset: ignored(),
      timestamp: ignored(),
      attempt: ignored(),
      delays: ignored(),
      redelivered: ignored(),
    })
    .refine((message) => ['json', 'text', 'base64'].filter((name) => name in message).length === 1)
    .meta({
      id: 'PublishMessage',
      description: 'A message to store: exactly one of `json`, `text` and `base64`, at most 1 MiB.',
      ...ONE_BODY,
    }),
);

export const message = lazy(() =>
  z
    .object({
      offset: offsetValue('Its position in the stream.'),
      timestamp: timeValue('When the service took it'),
      json: z.unknown().optional().describe('A JSON body, byte for byte as it was published.'),
      text: z.string().optional().describe('A body of text that is valid UTF-8.'),
      base64: base64Value()
        .optional()
        .describe('Any other body. In lines and events also one with CR or LF.'),
      ...sharedMembers(),
      headers: z.looseObject({}).optional(),
    })
    .meta({ id: 'Message', description: 'A stored message.', ...ONE_BODY }),
);
