/** What the description says of `/offsets`, `/trim` and `/purge`, and the schema of a trim. */
import * as z from 'zod';
import {
  jsonAnswerOf,
  jsonBody,
  OF_BODY,
  OF_START,
  OF_STREAM,
  type Operation,
} from '../openapi/operation.ts';
import { lazy } from '../schemas/lazy.ts';
import { offsetValue } from '../schemas/log-values.ts';
import { resolvedOffset } from '../schemas/page.ts';
import { startSchema } from '../schemas/read-parameters.ts';

export const trimSchema = z.strictObject({
  before: offsetValue('The first offset to keep; at most the next one of the stream.'),
});

const trimmed = lazy(() => z.object({ first: offsetValue('The first retained offset now.') }));
const purged = lazy(() =>
  z.object({ purged: z.int().min(0).describe('How many messages were dropped.') }),
);

export const offsetsOperation: Operation = {
  id: 'resolveOffset',
  tag: 'Read',
  summary: 'Resolve a position',
  description: 'Tells where a reader would start, without reading.',
  query: startSchema,
  answers: { 200: jsonAnswerOf('Where the position stands.', resolvedOffset) },
  errors: [...OF_STREAM, ...OF_START],
  example: { query: 'from=1h' },
};

export const trimOperation: Operation = {
  id: 'trimStream',
  tag: 'Retention',
  summary: 'Drop messages before an offset',
  description:
    'Moves the first retained offset up to `before`, at once and exactly; storage follows by segment. At or below the first retained offset nothing changes; beyond the end it is 400.',
  body: { required: true, content: jsonBody(() => trimSchema, { before: 1 }) },
  answers: { 200: jsonAnswerOf('What is retained now.', trimmed) },
  errors: [...OF_STREAM, ...OF_BODY],
  example: { body: '{"before":1}' },
};

export const purgeOperation: Operation = {
  id: 'purgeStream',
  tag: 'Retention',
  summary: 'Drop all messages',
  description: 'The stream is empty then, and its offsets go on where they were. Takes no body.',
  answers: { 200: jsonAnswerOf('How many there were.', purged) },
  errors: [...OF_STREAM, ...OF_BODY],
  example: {},
};
