/** An error as it is answered (RFC 9457): the members of every one, and those that some have. */
import * as z from 'zod';
import { lazy } from './lazy.ts';

const value = () => z.union([z.int(), z.string(), z.boolean(), z.null()]).optional();

export const problem = lazy(() =>
  z
    .object({
      type: z.string().describe('`urn:varve:error:` and the code.'),
      title: z.string().describe('The same for every occurrence of the code.'),
      status: z.int(),
      detail: z.string().describe('What is wrong, and how to mend it.'),
      instance: z.string().describe('The path of the request.'),
      code: z.string().describe('Stable: what programs go by.'),
      message: z.string().describe('The same as `detail`.'),
      retryable: z.boolean().describe('Whether the very same request may succeed later.'),
      side_effects: z
        .enum(['none', 'possible'])
        .describe('Whether the request may have changed something: `none` only when it is proven.'),
      request_id: z.string(),
      field: z.string().optional().describe('The parameter, member, header or message at fault.'),
      limit: z.int().optional().describe('What may be given at most.'),
      expected: value().describe('What the request took for granted, or asked for.'),
      actual: value().describe('What there is instead.'),
      stream: z.string().optional().describe('The stream that does not exist.'),
      delayed: z.string().optional().describe('The id that no delayed message has.'),
      exchange: z.string().optional().describe('The exchange that does not exist, or is internal.'),
      publisher: z.string().optional().describe('The publisher that is not known.'),
      consumer: z.string().optional().describe('The consumer for which nothing is stored.'),
      next: z.int().optional().describe('The offset that the next published message gets.'),
      first_available: z.int().optional().describe('The first offset that is still retained.'),
      missing: z.int().optional().describe('How many of the messages asked for are gone.'),
      epoch: z.int().optional().describe('The epoch that the publisher has published with.'),
      allow: z.string().optional().describe('The methods that the path takes.'),
    })
    .meta({
      id: 'Problem',
      description: 'What went wrong, whether it may be tried again, and what is needed to go on.',
    }),
);
