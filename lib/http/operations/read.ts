/** What the description says of reading: the same by GET and by POST. */
import * as z from 'zod';
import { essence } from '../body/parse-publish.ts';
import {
  type DescribedAnswer,
  IF_NONE_MATCH,
  jsonBody,
  OF_BODY,
  OF_START,
  OF_STREAM,
  type Operation,
  type RequestHeader,
  type Schema,
  UNCHANGED,
} from '../openapi/operation.ts';
import { FORMAT_TYPES, READ_FORMATS, type ReadFormat } from '../read-format.ts';
import { cloudEvent } from '../schemas/cloud-event.ts';
import { lazy } from '../schemas/lazy.ts';
import { messagePage } from '../schemas/page.ts';
import { readBodySchema, readSchema } from '../schemas/read-parameters.ts';

const messageLines = lazy(() =>
  z.string().describe('A `Message` as JSON a line. With `follow=true` it goes on without end.'),
);
const events = lazy(() =>
  z
    .unknown()
    .describe(
      'Server-sent events with an id each: `batch` with `messages`, `next` and `tail`; `ping` with `next` and `tail`, at the tail and then every 15 s, and each second while a filter passes over messages; `gap` with a `Gap`; `error` with a `Problem`. The last one has the data `[DONE]`.',
    ),
);
const bodies = lazy(() => z.string().describe('The bodies alone, each ended by a line feed.'));
const frames = lazy(() =>
  z.string().meta({ format: 'binary', description: 'Frames of records, as they are stored.' }),
);

const eventBatch = lazy(() => z.array(cloudEvent()).describe('The messages as CloudEvents.'));

const LAST_EVENT_ID: RequestHeader = {
  name: 'Last-Event-ID',
  description: 'With `as=sse`: the id of the last event seen. The stream goes on behind it.',
  example: '119,120,3840',
};

const FORMAT_SCHEMAS: { readonly [Format in ReadFormat]: Schema } = {
  json: messagePage,
  ndjson: messageLines,
  sse: events,
  text: bodies,
  binary: frames,
  cloudevents: eventBatch,
};

const answers: { readonly [status: string]: DescribedAnswer } = {
  200: {
    description:
      'Messages, in the format that `as` or `Accept` chose. The headers say in every format how the stream stood when the answer began.',
    headers: [
      'Varve-Next',
      'Varve-Stream-Id',
      'Varve-Resolved',
      'Varve-First?',
      'Varve-Tail?',
      'Varve-Up-To-Date?',
      'Varve-Gap?',
      'Varve-Clamped?',
      'ETag?',
    ],
    content: Object.fromEntries(
      READ_FORMATS.map((format) => {
        return [essence(FORMAT_TYPES[format]), { schema: FORMAT_SCHEMAS[format] }] as const;
      }),
    ),
  },
};
const cachedAnswers = { ...answers, 304: UNCHANGED };

const DESCRIPTION =
  'A page of messages from a position on, with `next` to go on from. `wait` holds the request until there is one. `as=sse` gives events and follows live, `follow=true` does so with lines.\n\nWhat was dropped before it was read is never silent: the answer carries a `gap`.\n\nWith a `filter` only messages that match are given. A page stops after it looked at about 32 MiB: it may then be empty with `up_to_date` false, and `next` is where to go on.';

const errors = [...OF_STREAM, ...OF_START, 'invalid_filter', 'not_acceptable'] as const;

export const readOperation: Operation = {
  id: 'readMessages',
  tag: 'Read',
  summary: 'Read messages',
  description: `${DESCRIPTION}\n\nA page that never changes, since it lies within sealed segments and was ended by \`limit\` or \`max_bytes\`, has an \`ETag\` and may be kept for ever; it leaves out what does change: \`first\`, \`tail\`, \`up_to_date\`.`,
  query: readSchema,
  headers: [LAST_EVENT_ID, IF_NONE_MATCH],
  answers: cachedAnswers,
  errors,
  example: { query: 'from=first&limit=100' },
};

export const readByBodyOperation: Operation = {
  id: 'readMessagesByBody',
  tag: 'Read',
  summary: 'Read messages, asked by JSON',
  description: `${DESCRIPTION}\n\nThe members are the parameters of the GET form.`,
  headers: [LAST_EVENT_ID],
  body: {
    required: false,
    content: jsonBody(() => readBodySchema, { from: -100, limit: 100, filter: { region: 'eu' } }),
  },
  answers,
  errors: [...errors, ...OF_BODY],
  example: { body: '{"from":-100}' },
};
