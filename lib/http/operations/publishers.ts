/** What the description says of named publishers (SPEC D8). */
import * as z from 'zod';
import { listQuerySchema } from '../list-query.ts';
import { entityOf, OF_STREAM, type Operation } from '../openapi/operation.ts';
import { lazy } from '../schemas/lazy.ts';
import { listOf } from '../schemas/lists.ts';

const publisher = lazy(() =>
  z
    .object({
      name: z.string(),
      publisher: z.string().describe('The same as `name`.'),
      publishing_id: z.int().min(0).describe('The highest one that is stored.'),
      epoch: z.int().min(0).optional().describe('The highest one it has published with.'),
    })
    .meta({ id: 'Publisher', description: 'What a stream remembers of a named publisher.' }),
);

const publisherList = lazy(() => listOf(publisher()));

export const listPublishersOperation: Operation = {
  id: 'listPublishers',
  tag: 'Publishers',
  summary: 'List the publishers of a stream',
  description: 'The last 255 publishers of a stream are remembered.',
  query: listQuerySchema,
  ...entityOf('A page of the list.', publisherList),
  errors: OF_STREAM,
  example: {},
};

export const showPublisherOperation: Operation = {
  id: 'getPublisher',
  tag: 'Publishers',
  summary: 'Show a publisher',
  description:
    'Where a publisher that starts again goes on: behind its highest publishing id. One that is not known is 404, never 0.',
  ...entityOf('The publisher.', publisher),
  errors: [...OF_STREAM, 'publisher_not_found'],
  example: {},
};
