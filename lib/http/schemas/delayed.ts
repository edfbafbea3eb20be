/** What is held until its time, as it is asked for and listed (SPEC L6, L10). */
import * as z from 'zod';
import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX } from '../../core/log/limits.ts';
import { lazy } from './lazy.ts';
import { NAME_FORM, timeValue } from './log-values.ts';
import { message } from './message.ts';

const heldId = () =>
  z
    .string()
    .regex(/^[0-9a-f]{44}$/)
    .describe('Names the held message. Ids sort in the order of release.');

const due = () => timeValue('When it is delivered');

/** In the answer of a publish. */
export const heldAnswer = lazy(() =>
  z
    .object({
      index: z.int().min(0).describe('Which message of the request it is.'),
      id: heldId(),
      due: due(),
    })
    .meta({ id: 'Held', description: 'A message that is held until its time.' }),
);

export const heldQuerySchema = z.strictObject({
  stream: z
    .string()
    .optional()
    .meta({ description: 'Only those held for it.', ...NAME_FORM }),
  exchange: z
    .string()
    .optional()
    .meta({ description: 'Only those that it holds.', ...NAME_FORM }),
  start_after: z.string().optional().describe('Only those behind this id.'),
  limit: z.int().min(1).max(LIST_LIMIT_MAX).optional().meta({
    description: 'Items at most.',
    default: LIST_LIMIT_DEFAULT,
  }),
  count: z.boolean().optional().meta({
    description: 'Tells how many there are in all, which takes a look at each.',
    default: false,
  }),
});

const members = () => ({
  id: heldId(),
  due: due(),
  held_at: timeValue('When the service took it'),
  stream: z.string().optional().describe('It is stored there.'),
  exchange: z.string().optional().describe('It is routed by this exchange, as it is bound then.'),
  bytes: z.int().min(0).describe('Logical size of the message.'),
});

export const heldMessage = lazy(() =>
  z
    .object({
      ...members(),
      message: message().omit({ offset: true, timestamp: true }).describe('As it will be stored.'),
    })
    .meta({ id: 'HeldMessage' }),
);

export const heldList = lazy(() =>
  z.object({
    items: z.array(z.object(members())).describe('In the order of release.'),
    has_more: z.boolean().describe('Go on with `start_after` and the last id.'),
    count: z.int().min(0).optional().describe('How many there are in all, if that was asked.'),
  }),
);
