/** What the description says of stored offsets, and the schemas that validate them (SPEC C1-C7). */
import * as z from 'zod';
import { listQuerySchema } from '../list-query.ts';
import {
  entityOf,
  jsonAnswerOf,
  jsonBody,
  OF_BODY,
  OF_STREAM,
  type Operation,
} from '../openapi/operation.ts';
import { consumer, consumerList } from '../schemas/consumer.ts';

/** The message behind it is still an exact number. */
function messageValue(description: string) {
  return z
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER - 1)
    .describe(description);
}

export const storeOffsetSchema = z.strictObject({
  next: z.int().min(0).optional().describe('The first message that it has not read.'),
  processed: messageValue(
    'The last message that it has read: the same as the `next` behind it.',
  ).optional(),
});

export const acknowledgeSchema = z.strictObject({
  through: messageValue('The last message that it has read.'),
});

export const removeConsumerSchema = z.strictObject({
  if_exists: z.boolean().optional().meta({
    description: 'Takes it well when there is none.',
    default: false,
  }),
});

const BOUNDS = 'At most the end of the stream, else 400.';

export const listConsumersOperation: Operation = {
  id: 'listConsumers',
  tag: 'Consumers',
  summary: 'List the consumers of a stream',
  description: 'Those that have an offset stored.',
  query: listQuerySchema,
  ...entityOf('A page of the list.', consumerList),
  errors: OF_STREAM,
  example: {},
};

export const showConsumerOperation: Operation = {
  id: 'getConsumer',
  tag: 'Consumers',
  summary: 'Show a consumer',
  description:
    'The offset that is stored for it, and how far it is behind. Nothing stored is 404, never 0.',
  answers: { 200: jsonAnswerOf('What is stored.', consumer) },
  errors: [...OF_STREAM, 'no_stored_offset'],
  example: {},
};

export const storeOffsetOperation: Operation = {
  id: 'storeOffset',
  tag: 'Consumers',
  summary: 'Store an offset',
  description: `Replaces what is stored, and may go back. ${BOUNDS} Give one of \`next\` and \`processed\`.`,
  body: { required: true, content: jsonBody(() => storeOffsetSchema, { next: 1 }) },
  answers: { 200: jsonAnswerOf('It is stored.', consumer) },
  errors: [...OF_STREAM, ...OF_BODY],
  example: { body: '{"next":1}' },
};

export const acknowledgeOperation: Operation = {
  id: 'acknowledge',
  tag: 'Consumers',
  summary: 'Acknowledge messages',
  description: `Stores the offset behind \`through\`, unless a later one is stored: acknowledgements may come twice, and in any order. ${BOUNDS}`,
  body: { required: true, content: jsonBody(() => acknowledgeSchema, { through: 0 }) },
  answers: { 200: jsonAnswerOf('What is stored now.', consumer) },
  errors: [...OF_STREAM, ...OF_BODY],
  example: { body: '{"through":0}' },
};

export const removeConsumerOperation: Operation = {
  id: 'removeConsumer',
  tag: 'Consumers',
  summary: 'Forget a consumer',
  description: 'Its next read starts where a reader starts that has nothing stored.',
  query: removeConsumerSchema,
  answers: { 204: { description: 'Nothing is stored for it.' } },
  errors: [...OF_STREAM, 'consumer_not_found'],
  example: { query: 'if_exists=true' },
};
