/** What the description says of fencing tokens, and the schema that validates one (SPEC P5). */
import * as z from 'zod';
import { FENCING_TOKEN_BYTES_MAX } from '../../core/log/limits.ts';
import {
  entityOf,
  jsonAnswerOf,
  jsonBody,
  OF_BODY,
  OF_STREAM,
  type Operation,
} from '../openapi/operation.ts';
import { lazy } from '../schemas/lazy.ts';
import { boundedText } from '../schemas/log-values.ts';

export const fencingTokenSchema = z.strictObject({
  fencing_token: boundedText(FENCING_TOKEN_BYTES_MAX).describe('1 to 255 characters.'),
});

const fencingToken = lazy(() => z.object({ fencing_token: z.string() }));
const shownToken = lazy(() =>
  z.object({ fencing_token: z.string().nullable().describe('Null when it carries none.') }),
);

export const showFencingTokenOperation: Operation = {
  id: 'getFencingToken',
  tag: 'Retention',
  summary: 'Show the fencing token',
  description: 'The token that fences off earlier writers.',
  ...entityOf('The token.', shownToken),
  errors: OF_STREAM,
  example: {},
};

export const setFencingTokenOperation: Operation = {
  id: 'setFencingToken',
  tag: 'Retention',
  summary: 'Set the fencing token',
  description:
    'A new writer sets a token of its own and names it with every publish. From then on a publish that names another one is 412 `fenced`; one that names none is not checked.',
  body: {
    required: true,
    content: jsonBody(() => fencingTokenSchema, { fencing_token: 'writer-2' }),
  },
  answers: {
    200: jsonAnswerOf('It replaced another token.', fencingToken),
    201: jsonAnswerOf('The stream carried none before.', fencingToken),
  },
  errors: [...OF_STREAM, ...OF_BODY],
  example: { body: '{"fencing_token":"writer-2"}' },
};

export const removeFencingTokenOperation: Operation = {
  id: 'removeFencingToken',
  tag: 'Retention',
  summary: 'Remove the fencing token',
  description: 'The stream then carries none, and a publish that names one is 412 `fenced`.',
  answers: { 204: { description: 'It carries none now.' } },
  errors: OF_STREAM,
  example: {},
};
