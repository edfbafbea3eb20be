/**
 * A stream: its settings as they are declared, and what is told of it. Core decides what a setting may
 * be (`core/log/settings.ts`); the schema describes that, and a property holds both together.
 */
import * as z from 'zod';
import { CACHE_SIZE_MAX, SMALL_CACHE_MAX } from '../../core/log/deduplication.ts';
import { DEDUPLICATION_HEADER, HEADER_NAME_MAX } from '../../core/log/deduplication-setting.ts';
import { parseDuration } from '../../core/log/duration.ts';
import { CONSUMERS_PER_STREAM_DEFAULT, SEGMENT_BYTES_DEFAULT } from '../../core/log/limits.ts';
import type { SettingName } from '../../core/log/settings.ts';
import { lazy } from './lazy.ts';
import { offsetValue, streamIdValue, timeValue } from './log-values.ts';
import { DURATION_FORM } from './position-forms.ts';
import { holder, retention } from './segment.ts';

function durationSetting() {
  const isDuration = (text: string) => {
    const parsed = parseDuration(text);
    return parsed.kind === 'ok' && parsed.ms > 0;
  };
  return z.union([
    z
      .string()
      .refine(isDuration)
      .meta({ ...DURATION_FORM, description: 'An integer with a unit: Y M D h m s ms.' }),
    z.int().min(1).describe('Milliseconds.'),
  ]);
}

const REMEMBERS =
  'A message with a value that the stream remembers is answered as a duplicate and not stored.';

/** `what` it makes the resource do. */
export function deduplicationSetting(what: string) {
  return z
    .strictObject({
      header: z.string().min(1).max(HEADER_NAME_MAX).nullable().optional().meta({
        description:
          'The header whose value is looked at: text, a number or a boolean. Messages without one are never duplicates.',
        default: DEDUPLICATION_HEADER,
      }),
      cache_size: z
        .int()
        .min(1)
        .max(CACHE_SIZE_MAX)
        .nullable()
        .optional()
        .meta({
          description: `How many values are remembered, the latest ones. With more than ${SMALL_CACHE_MAX} a request has at most 99 messages that carry one.`,
          default: SMALL_CACHE_MAX,
        }),
      cache_ttl: durationSetting().nullable().optional().meta({
        description:
          'How long each is remembered. Without it until others push it out. The header `x-cache-ttl` of a message, in ms, stands above it.',
      }),
    })
    .meta({
      description: `${what} Given whole: a member left out has its default.`,
    });
}

export function deduplicationShown() {
  return z.object({
    header: z.string(),
    cache_size: z.int().min(1).max(CACHE_SIZE_MAX),
    cache_ttl: z.string().nullable(),
  });
}

export const streamSettings = lazy(() =>
  z
    .strictObject({
      max_age: durationSetting().nullable().optional().meta({
        description: 'A segment is dropped when its last message is so old. Without it none is.',
      }),
      max_length: z.int().min(0).nullable().optional().meta({
        description: 'Segments are dropped as long as so many messages remain.',
      }),
      max_length_bytes: z.int().min(0).nullable().optional().meta({
        description: 'Segments are dropped as long as so many logical bytes remain.',
      }),
      segment_max_bytes: z.int().min(1).nullable().optional().meta({
        description: 'A publish opens a new segment when the last one has reached this size.',
        default: SEGMENT_BYTES_DEFAULT,
      }),
      segment_max_age: durationSetting().nullable().optional().meta({
        description:
          'A publish opens a new segment when the first message of the last is older: a tenth of `max_age` by default, from a second to a day.',
        default: '1D',
      }),
      allow_drop_past_committed: z.boolean().nullable().optional().meta({
        description: 'Whether retention goes on past what groups have not finished.',
        default: false,
      }),
      consumer_limit: z.int().min(1).nullable().optional().meta({
        description: 'Stored offsets at most; beyond it the least recently written go.',
        default: CONSUMERS_PER_STREAM_DEFAULT,
      }),
      deduplication: deduplicationSetting(REMEMBERS).nullable().optional(),
    } satisfies { readonly [Name in SettingName]: z.ZodType })
    .meta({
      id: 'StreamSettings',
      description: 'Settings of a stream. One left out, or null, has its default.',
    }),
);

function effective<Value extends z.ZodType>(value: Value) {
  return z.object({
    value,
    source: z.enum(['argument', 'default']).describe('Where the value comes from.'),
  });
}

function entryMembers() {
  const bytes = z.int().min(1);
  const length = z.int().min(0);
  const duration = z.string().describe('In the largest unit that divides it.');
  return {
    name: z.string(),
    stream_id: streamIdValue('A stream created again under the name has another one.'),
    created_at: timeValue('When it was created'),
    settings: z
      .object({
        max_age: duration.optional(),
        max_length: length.optional(),
        max_length_bytes: length.optional(),
        segment_max_bytes: bytes.optional(),
        segment_max_age: duration.optional(),
        allow_drop_past_committed: z.boolean().optional(),
        consumer_limit: z.int().min(1).optional(),
        deduplication: deduplicationShown().optional(),
      } satisfies { readonly [Name in SettingName]: z.ZodType })
      .describe('As declared.'),
    effective_settings: z
      .object({
        max_age: effective(duration.nullable()),
        max_length: effective(length.nullable()),
        max_length_bytes: effective(length.nullable()),
        segment_max_bytes: effective(bytes),
        segment_max_age: effective(duration),
        allow_drop_past_committed: effective(z.boolean()),
        consumer_limit: effective(z.int().min(1)),
        deduplication: effective(deduplicationShown().nullable()),
      } satisfies { readonly [Name in SettingName]: z.ZodType })
      .describe('As in force; null for a limit that is not set.'),
  };
}

export const streamEntry = lazy(() =>
  z.object(entryMembers()).meta({ id: 'StreamEntry', description: 'A stream, in a list.' }),
);

export const streamDescription = lazy(() =>
  z
    .object({
      ...entryMembers(),
      first: offsetValue('The first retained offset.'),
      next: offsetValue('What the next published message gets.'),
      messages: z.int().min(0).describe('How many are retained.'),
      bytes: z.int().min(0).describe('Of the segments that hold a retained message.'),
      segments: z.int().min(0),
      oldest: timeValue('The timestamp of the first retained message').nullable(),
      held_by: z.array(holder()).describe('Groups that keep retention from going on.'),
      retention: retention(),
    })
    .meta({ id: 'StreamDescription', description: 'A stream, and what of it is retained.' }),
);
