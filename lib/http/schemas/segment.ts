/** Segments, and why the oldest of them is kept (SPEC T1-T8). */
import * as z from 'zod';
import { lazy } from './lazy.ts';
import { offsetValue, timeValue } from './log-values.ts';

const segmentObject = lazy(() =>
  z
    .object({
      name: z.string().describe('In the bucket, or below the folder of the store.'),
      start: offsetValue('Of its first message.'),
      end: offsetValue('Behind its last one.'),
      bytes: z.int().min(1).describe('As stored.'),
    })
    .meta({ id: 'SegmentObject', description: 'A piece of a packed segment.' }),
);

export const segment = lazy(() =>
  z
    .object({
      first: offsetValue('Of its first message, which may be dropped already.'),
      end: offsetValue('Behind its last one.'),
      state: z
        .enum(['active', 'sealed', 'packed'])
        .describe('The active one still grows; a sealed one never changes again.'),
      messages: z.int().min(1).describe('How many it holds, dropped ones among them.'),
      bytes: z.int().min(0).nullable().describe('Logical bytes of them; null when not known.'),
      last_timestamp: timeValue('Of its last message; null when not known').nullable(),
      objects: z.array(segmentObject()).describe('Of a packed one.'),
    })
    .meta({ id: 'Segment', description: 'A part of a stream that is kept or dropped as a whole.' }),
);

export const holder = lazy(() =>
  z
    .object({
      group: z.string(),
      committed: offsetValue('The first offset that it has not finished.'),
    })
    .meta({ id: 'RetentionHolder', description: 'A group that keeps retention from going on.' }),
);

export const retention = lazy(() =>
  z
    .object({
      oldest: segment().nullable().describe('What would be dropped next.'),
      kept: z
        .enum(['empty', 'active', 'no-limit', 'within-limits', 'held', 'unknown', 'due'])
        .describe('Why it is kept: `due` when it goes with the next look at it.'),
      why: z.string().describe('The same in words, with numbers.'),
      expires_at: timeValue('When it reaches `max_age`, where it would').optional(),
    })
    .meta({ id: 'Retention', description: 'Why a stream keeps what it keeps.' }),
);
