/** What the description says of `/segments`, and the schema of its parameters. */
import * as z from 'zod';
import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX } from '../../core/log/limits.ts';
import { jsonAnswerOf, OF_STREAM, type Operation } from '../openapi/operation.ts';
import { lazy } from '../schemas/lazy.ts';
import { offsetValue, streamIdValue } from '../schemas/log-values.ts';
import { segment } from '../schemas/segment.ts';

export const segmentsQuerySchema = z.strictObject({
  from: offsetValue('Only segments that hold a message at or above it.').optional(),
  limit: z.int().min(1).max(LIST_LIMIT_MAX).optional().meta({
    description: 'Segments at most.',
    default: LIST_LIMIT_DEFAULT,
  }),
});

const segmentPage = lazy(() =>
  z
    .object({
      segments: z.array(segment()).describe('In the order of their offsets.'),
      next: offsetValue('Where the next page begins: its `from`.').nullable(),
      stream_id: streamIdValue('Which stream of that name this is.'),
    })
    .meta({ id: 'SegmentPage', description: 'Segments that hold a retained message.' }),
);

export const segmentsOperation: Operation = {
  id: 'listSegments',
  tag: 'Retention',
  summary: 'List segments',
  description:
    'What retention keeps or drops as a whole, the oldest first; only the last one is active. A packed one names the objects that its messages were packed into.',
  query: segmentsQuerySchema,
  answers: { 200: jsonAnswerOf('A page of them.', segmentPage) },
  errors: [...OF_STREAM, 'invalid_offset'],
  example: { query: 'limit=10' },
};
