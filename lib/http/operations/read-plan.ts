/** What the description says of `/read-plan`, and the schema of its body. */
import * as z from 'zod';
import {
  jsonAnswerOf,
  jsonBody,
  OF_BODY,
  OF_START,
  OF_STREAM,
  type Operation,
} from '../openapi/operation.ts';
import { lazy } from '../schemas/lazy.ts';
import { offsetValue, timeValue } from '../schemas/log-values.ts';
import { startMembers } from '../schemas/page.ts';
import { startSchema } from '../schemas/read-parameters.ts';

const MIB = 1024 * 1024;
export const PLAN_BYTES_DEFAULT = 64 * MIB;
/** A thousand objects of the largest requests: as many as a plan names. */
const PLAN_BYTES_MAX = 4_096 * MIB;

export const planSchema = z.strictObject({
  ...startSchema.shape,
  max_bytes: z.int().min(1).max(PLAN_BYTES_MAX).optional().meta({
    description: 'Logical bytes of messages at most; one object is always given.',
    default: PLAN_BYTES_DEFAULT,
  }),
});

const plannedObject = lazy(() =>
  z
    .object({
      kind: z
        .enum(['chunks', 'segment'])
        .describe('What one commit stored, or a piece of a packed segment.'),
      start: offsetValue('Of its first message.'),
      end: offsetValue('Behind its last one.'),
      timestamp_below: timeValue(
        'The time of the messages before it: a message has this timestamp if its own is lower.',
      ),
      url: z.string().describe('A GET of it gives the object; ranges are taken.'),
    })
    .meta({ id: 'PlannedObject', description: 'A stored object, in the format of FORMAT.md.' }),
);

const readPlan = lazy(() =>
  z
    .object({
      objects: z.array(plannedObject()),
      next: offsetValue('Where the next plan goes on.'),
      ...startMembers(),
      tail: offsetValue('What the next published message gets.'),
      expires_at: timeValue('When the URLs stop working.'),
    })
    .meta({ id: 'ReadPlan', description: 'Objects that hold messages, one after the other.' }),
);

export const readPlanOperation: Operation = {
  id: 'planRead',
  tag: 'Read',
  summary: 'Read past the service',
  description:
    'Gives URLs of the stored objects that hold the messages from a position on: many readers of much history then cost the service nothing. The objects are as they are stored: trimmed messages may be in them, and headers that reads leave out (`BCC`), so plans are for readers who may see those. A store whose objects cannot be reached answers 404 `not_supported`.',
  body: { required: false, content: jsonBody(() => planSchema, { from: 'first' }) },
  answers: { 200: jsonAnswerOf('The objects.', readPlan) },
  errors: [...OF_STREAM, ...OF_START, ...OF_BODY, 'not_supported'],
  example: { body: '{"from":"first"}' },
};
