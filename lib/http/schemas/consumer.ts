/** A consumer's stored offset as it is answered (SPEC C2). */
import * as z from 'zod';
import { lazy } from './lazy.ts';
import { listOf } from './lists.ts';
import { offsetValue, timeValue } from './log-values.ts';

const lag = lazy(() =>
  z
    .object({
      messages: z.int().min(0).describe('Retained messages that it has not read.'),
      ms: z
        .int()
        .min(0)
        .optional()
        .describe(
          'The age of the oldest of them, in ms; told when there are none, or of one consumer.',
        ),
    })
    .meta({ id: 'ConsumerLag', description: 'How far a consumer is behind.' }),
);

export const consumer = lazy(() =>
  z
    .object({
      name: z.string(),
      consumer: z.string().describe('The same as `name`.'),
      next: offsetValue('The first message that it has not read.'),
      processed: offsetValue('The message before that, null when there is none.').nullable(),
      updated_at: timeValue('When it was written last'),
      lag: lag(),
    })
    .meta({ id: 'Consumer', description: 'The offset that is stored for a consumer.' }),
);

export const consumerList = lazy(() => listOf(consumer()));
