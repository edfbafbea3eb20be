/** What reading answers (SPEC O15): a page of messages, or where a position stands. */
import * as z from 'zod';
import { lazy } from './lazy.ts';
import { offsetValue, streamIdValue } from './log-values.ts';
import { message } from './message.ts';

export const gap = lazy(() =>
  z
    .object({
      requested: offsetValue('The first offset asked for.'),
      first_available: offsetValue('Where the messages go on.'),
      missing: z.int().min(1).describe('How many messages are gone in between.'),
    })
    .meta({
      id: 'Gap',
      description:
        'Messages that were asked for and are no longer retained: never left out silently.',
    }),
);

export const resolved = lazy(() =>
  z
    .object({
      from: z.string().describe('As it was asked for.'),
      offset: offsetValue('What it came to.'),
      why: z.string().describe('In words.'),
    })
    .meta({ id: 'Resolved', description: 'Where the reader starts, and why.' }),
);

/** The members of every answer that begins at a position. */
export function startMembers() {
  return {
    resolved: resolved(),
    gap: gap().optional(),
    clamped: z
      .literal(true)
      .optional()
      .describe('The offset asked for has not been published yet: it is the tail instead.'),
    first: offsetValue('The first retained offset.'),
    stream_id: streamIdValue('Which stream of that name this is.'),
  };
}

export const messagePage = lazy(() =>
  z
    .object({
      messages: z.array(message()),
      next: offsetValue('Where to go on: the next request’s `from`.'),
      ...startMembers(),
      first: offsetValue('The first retained offset.').optional(),
      tail: offsetValue('What the next published message gets.').optional(),
      up_to_date: z.boolean().optional().describe('Whether the page reaches the tail.'),
      poll_after_ms: z.int().min(0).describe('How long to wait before asking again.'),
    })
    .meta({ id: 'MessagePage', description: 'Messages, and how the stream stood.' }),
);

export const resolvedOffset = lazy(() =>
  z
    .object({ ...startMembers(), next: offsetValue('What the next published message gets.') })
    .meta({ id: 'ResolvedOffset', description: 'Where a position stands now.' }),
);
