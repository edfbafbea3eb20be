/** What the description says of streams, and the schema of a deletion's parameters. */
import * as z from 'zod';
import { listQuerySchema } from '../list-query.ts';
import {
  entityOf,
  jsonAnswerOf,
  jsonBody,
  OF_BODY,
  OF_STORE,
  OF_STREAM,
  type Operation,
} from '../openapi/operation.ts';
import { lazy } from '../schemas/lazy.ts';
import { listOf } from '../schemas/lists.ts';
import { streamDescription, streamEntry, streamSettings } from '../schemas/stream.ts';

export const deleteQuerySchema = z.strictObject({
  if_exists: z.boolean().optional().meta({
    description: 'Whether deleting what is not there succeeds.',
    default: false,
  }),
});

const streamList = lazy(() => listOf(streamEntry()));
const OF_SETTINGS = ['invalid_setting', 'setting_not_supported'] as const;

export const listStreamsOperation: Operation = {
  id: 'listStreams',
  tag: 'Streams',
  summary: 'List streams',
  description: 'A page at a time, each stream once, whatever is created or deleted in between.',
  query: listQuerySchema,
  ...entityOf('A page of the list.', streamList),
  errors: OF_STORE,
  example: { query: 'prefix=ord&limit=10' },
};

export const declareStreamOperation: Operation = {
  id: 'declareStream',
  tag: 'Streams',
  summary: 'Declare a stream',
  description:
    'Creates the stream, or confirms that it exists with these settings; with others it is 409 `settings_mismatch` and tells the first difference. Without a body the stream is to exist, whatever its settings.',
  body: {
    required: false,
    content: jsonBody(streamSettings, { max_age: '7D' }),
  },
  answers: {
    200: jsonAnswerOf('It exists so.', streamDescription),
    201: jsonAnswerOf('It was created.', streamDescription),
  },
  errors: [...OF_STREAM, ...OF_BODY, ...OF_SETTINGS, 'settings_mismatch'],
  example: {},
};

export const describeStreamOperation: Operation = {
  id: 'getStream',
  tag: 'Streams',
  summary: 'Describe a stream',
  description:
    'Its settings, those in force with their source, what is retained, and why nothing more was dropped.',
  ...entityOf('The stream.', streamDescription),
  errors: OF_STREAM,
  example: {},
};

export const changeStreamOperation: Operation = {
  id: 'changeStream',
  tag: 'Streams',
  summary: 'Change settings',
  description:
    'What is named is set, at once; a member that is null has its default again; the rest stays. What the new settings no longer keep is dropped before the answer.',
  body: {
    required: true,
    content: jsonBody(streamSettings, { max_length_bytes: 1_073_741_824 }),
  },
  answers: { 200: jsonAnswerOf('The stream as it is now.', streamDescription) },
  errors: [...OF_STREAM, ...OF_BODY, ...OF_SETTINGS],
  example: { body: '{"max_length_bytes":1073741824}' },
};

export const deleteStreamOperation: Operation = {
  id: 'deleteStream',
  tag: 'Streams',
  summary: 'Delete a stream',
  description:
    'Gone at once for every client; storage follows. A stream created again under the name is another one: it begins at 0 and has another `stream_id`.',
  query: deleteQuerySchema,
  answers: { 204: { description: 'There is no such stream now.' } },
  errors: OF_STREAM,
  example: { query: 'if_exists=true' },
};
