/** What the description says of a publish. */
import * as z from 'zod';
import { MESSAGES_PER_REQUEST_MAX } from '../../core/log/limits.ts';
import { MESSAGES_TYPE } from '../../wire/frame.ts';
import { PUBLISH_OPTIONS, publishQuerySchema } from '../body/publish-options.ts';
import { jsonAnswerOf, OF_BODY, OF_STREAM, type Operation } from '../openapi/operation.ts';
import { cloudEvent } from '../schemas/cloud-event.ts';
import { heldAnswer } from '../schemas/delayed.ts';
import { lazy } from '../schemas/lazy.ts';
import { offsetValue, streamIdValue, timeValue } from '../schemas/log-values.ts';
import { publishMessage } from '../schemas/message.ts';

const envelope = lazy(() =>
  z
    .strictObject({
      messages: z.array(publishMessage()).min(1).max(MESSAGES_PER_REQUEST_MAX),
      ...PUBLISH_OPTIONS,
    })
    .meta({
      id: 'PublishRequest',
      description: 'Messages, and options that may as well be query parameters: given once.',
    }),
);
const lines = lazy(() =>
  z.string().describe('JSON, a message a line: the line without its end is the body, verbatim.'),
);
const messageLines = lazy(() =>
  z.string().describe('A `PublishMessage` as JSON a line: what reads give as lines.'),
);
const frames = lazy(() =>
  z.string().meta({ format: 'binary', description: 'Frames of records, without positions.' }),
);
const eventBatch = lazy(() => z.array(cloudEvent()).min(1).max(MESSAGES_PER_REQUEST_MAX));
const EVENT = {
  specversion: '1.0',
  id: '17',
  source: '/sensors/ak',
  type: 'quake',
  data: { magnitude: 5.1 },
};

const text = lazy(() => z.string().describe('One message with this body, as of any other type.'));
const bytes = lazy(() =>
  z.string().meta({ format: 'binary', description: 'One message with this body.' }),
);

const answer = lazy(() =>
  z
    .object({
      start: z
        .int()
        .min(0)
        .nullable()
        .describe(
          'The offset of the first message. Null when nothing was stored, but for a repeat of the latest request of its publisher.',
        ),
      end: z.int().min(0).nullable().describe('The offset behind the last message.'),
      tail: offsetValue('What the next published message gets.'),
      stored: z.int().min(0).describe('How many messages were stored.'),
      duplicates: z.int().min(0).describe('How many were stored before.'),
      deduplicated: z
        .array(z.int().min(0))
        .optional()
        .describe(
          'Which of the messages, by their place in the request, are duplicates by the value of a header (`deduplication`). Absent when none is.',
        ),
      timestamp: timeValue('What the messages are stamped with').nullable(),
      held: z.array(heldAnswer()).describe('Those that are delivered at a later time.'),
      stream_id: streamIdValue('Which stream of that name this is.'),
    })
    .meta({ id: 'PublishAnswer', description: 'On disk: every read that begins now sees it.' }),
);

export const publishOperation: Operation = {
  id: 'publishMessages',
  tag: 'Publish',
  summary: 'Publish messages',
  description:
    'Stores all messages of the request in a row, or none of them, and answers when they are on disk. Messages with `delay_ms` or `deliver_at` are held instead, and stored at that time: never before, and once.\n\nA request whose answer was lost can be sent again safely when it names a `publisher` and a `publishing_id`: what was stored already is counted in `duplicates`. A publisher has one request in flight at a time.',
  query: publishQuerySchema,
  body: {
    required: false,
    description:
      'The content type says what the body is. One that is not listed here makes it one message with that content type, and so does `?raw=true` with any; headers `varve-header-<name>` become headers of that message, and headers `ce-<name>` make it a CloudEvent.',
    content: {
      'application/json': {
        schema: envelope,
        example: { messages: [{ json: { magnitude: 5.1 }, key: 'ak' }, { text: 'hello' }] },
      },
      'application/x-ndjson': { schema: lines, example: '{"magnitude":5.1}\n{"magnitude":4.4}\n' },
      [`${MESSAGES_TYPE}+ndjson`]: {
        schema: messageLines,
        example: '{"json":{"magnitude":5.1},"key":"ak"}\n{"text":"hello"}\n',
      },
      [MESSAGES_TYPE]: { schema: frames },
      'application/cloudevents+json': { schema: cloudEvent, example: EVENT },
      'application/cloudevents-batch+json': { schema: eventBatch, example: [EVENT] },
      'text/plain': { schema: text, example: 'hello' },
      'application/octet-stream': { schema: bytes },
    },
  },
  answers: { 200: jsonAnswerOf('Stored, or recognised as a repeat.', answer) },
  errors: [
    ...OF_STREAM,
    ...OF_BODY,
    'setting_not_supported',
    'publisher_fenced',
    'offset_mismatch',
    'fenced',
    'message_too_large',
    'too_many_messages',
    'too_many_delayed',
  ],
  example: {
    query: 'create=true',
    contentType: 'application/json',
    body: '{"messages":[{"json":{"magnitude":5.1},"key":"ak"}]}',
  },
};
