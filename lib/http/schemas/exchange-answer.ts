/** What a publish through an exchange came to, destination by destination (SPEC X7, X8). */
import * as z from 'zod';
import { heldAnswer } from './delayed.ts';
import { lazy } from './lazy.ts';
import { offsetValue, streamIdValue, timeValue } from './log-values.ts';

const destination = lazy(() =>
  z
    .object({
      stream: z.string().optional().describe('The name of the stream.'),
      stream_id: streamIdValue('Which stream of that name it is.').optional(),
      exchange: z.string().optional().describe('The name of the exchange that holds messages.'),
      exchange_id: z.string().optional().describe('Which exchange of that name it is.'),
      outcome: z
        .enum(['stored', 'duplicate', 'held', 'rejected', 'failed'])
        .describe(
          '`duplicate`: all of them were taken before. `held`: the exchange routes them when they are due. `rejected`: by a rule of the stream, nothing is stored. `failed`: the store did not do it.',
        ),
      stored: z.int().min(0).describe('How many messages were stored.'),
      duplicates: z.int().min(0).describe('How many were stored before.'),
      start: z.int().min(0).nullable().optional().describe('The offset of the first message.'),
      end: z.int().min(0).nullable().optional().describe('The offset behind the last message.'),
      tail: offsetValue('What the next published message gets.').optional(),
      timestamp: timeValue('What the messages are stamped with').nullable().optional(),
      deduplicated: z
        .array(z.int().min(0))
        .optional()
        .describe('Which of its messages are duplicates by the value of a header.'),
      code: z.string().optional().describe('Of what was rejected or failed: as of an error.'),
      message: z.string().optional().describe('What is wrong, and how to mend it.'),
      side_effects: z
        .enum(['none', 'possible'])
        .optional()
        .describe('Of what was rejected or failed: whether something may be stored all the same.'),
    })
    .meta({ id: 'DestinationOutcome' }),
);

export const exchangeAnswer = lazy(() =>
  z
    .object({
      routed: z.boolean().describe('Whether any destination took it, now or before.'),
      destinations: z.array(destination()),
      unrouted: z.int().min(0).describe('How many of the messages nothing is bound for.'),
      deduplicated: z
        .array(z.int().min(0))
        .optional()
        .describe('Which of the messages the exchange remembered by the value of a header.'),
      repeat: z
        .object({
          safe: z.boolean().describe('Whether it stores no second copy where one is stored.'),
          message: z.string(),
        })
        .optional()
        .describe('What sending the request again does; told when a destination did not take it.'),
      held: z.array(heldAnswer()).describe('Those that are delivered at a later time.'),
    })
    .meta({ id: 'ExchangeAnswer' }),
);
