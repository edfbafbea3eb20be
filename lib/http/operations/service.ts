/** What the description says of the service's health, and of the description itself. */
import * as z from 'zod';
import {
  entityOf,
  IF_NONE_MATCH,
  jsonAnswerOf,
  OF_STORE,
  type Operation,
  UNCHANGED,
} from '../openapi/operation.ts';
import { lazy } from '../schemas/lazy.ts';

const live = lazy(() => z.object({ status: z.literal('live') }));
const ready = lazy(() => z.object({ status: z.literal('ready') }));
const apiDocument = lazy(() =>
  z.looseObject({ openapi: z.literal('3.1.0') }).describe('This document.'),
);
const page = lazy(() => z.string().describe('HTML without scripts.'));

export const liveOperation: Operation = {
  id: 'getLive',
  tag: 'Service',
  summary: 'Ask whether the process answers',
  description: 'Never looks at the store.',
  answers: { 200: jsonAnswerOf('It does.', live) },
  errors: [],
  example: {},
};

export const readyOperation: Operation = {
  id: 'getReady',
  tag: 'Service',
  summary: 'Ask whether the service is ready',
  description: 'Reads from the store: while that fails it is 503, and no request should be sent.',
  answers: { 200: jsonAnswerOf('It is.', ready) },
  errors: OF_STORE,
  example: {},
};

export const apiDocumentOperation: Operation = {
  id: 'getApiDocument',
  tag: 'Service',
  summary: 'Describe the API',
  description: 'OpenAPI 3.1, made of the schemas that validate.',
  ...entityOf('The document.', apiDocument),
  errors: [],
  example: {},
};

export const referenceOperation: Operation = {
  id: 'getReference',
  tag: 'Service',
  summary: 'Show the API as a page',
  description: 'The same as a page to read.',
  headers: [IF_NONE_MATCH],
  answers: {
    200: {
      description: 'The page.',
      headers: ['ETag'],
      content: { 'text/html': { schema: page } },
    },
    304: UNCHANGED,
  },
  errors: [],
  example: {},
};
