/**
 * How positions, times and durations are written, for descriptions: what the forms name is accepted by
 * the parsers of core, which take a little more (more digits, February 29). Tests hold both together.
 */

const UP_TO_15_DIGITS = '[0-9]{1,15}';
/** From 2001 to 2286; the other integers are described as numbers. */
const MILLISECONDS = '[1-9][0-9]{12}';
const MONTH_AND_DAY =
  '(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)';
const HOUR_AND_MINUTE = '(?:[01][0-9]|2[0-3]):[0-5][0-9]';
const RFC_3339 = `[0-9]{4}-${MONTH_AND_DAY}T${HOUR_AND_MINUTE}:[0-5][0-9](?:\\.[0-9]{1,9})?(?:Z|[+-]${HOUR_AND_MINUTE})`;
const DURATION = `(?:[0-9]{1,5}(?:Y|M|D|h|m|s)|${UP_TO_15_DIGITS}ms)`;

/** Below it an integer is taken for seconds, and refused (SPEC O8). */
const EARLIEST_MS = 631_152_000_000;

const EXACT = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

/** Positions (SPEC O1-O9). */
export const POSITION_FORMS = {
  anyOf: [
    { enum: ['first', 'last', 'next'] },
    {
      type: 'integer',
      ...EXACT,
      description: 'An offset; below 0, so many messages before the end.',
    },
    {
      type: 'string',
      pattern: `^(?:${UP_TO_15_DIGITS}|-[0-9]{1,18})$`,
      description: 'The same as text, down to -2^63.',
    },
    {
      type: 'string',
      pattern: `^ts:(?:${MILLISECONDS}|${RFC_3339})$`,
      description: 'The first message at or after a time, in ms or as RFC 3339.',
    },
    {
      type: 'string',
      pattern: `^(?:ago:)?${DURATION}$`,
      description: 'The first message at or after so long ago.',
    },
  ],
} as const;

/** The values of `from`, which a consumer can leave to what is stored for it (SPEC O10). */
export const FROM_FORMS = {
  anyOf: [
    ...POSITION_FORMS.anyOf,
    { enum: ['stored'], description: 'With `consumer`: the offset that is stored for it.' },
  ],
} as const;

/** The values of `until`. */
export const INSTANT_FORMS = {
  anyOf: [
    {
      type: 'integer',
      minimum: EARLIEST_MS,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Milliseconds since 1970 UTC.',
    },
    {
      type: 'string',
      pattern: `^(?:${MILLISECONDS}|${RFC_3339})$`,
      description: 'The same as text, or RFC 3339.',
    },
  ],
} as const;

/** A duration above 0, in a setting. */
export const DURATION_FORM = {
  pattern: '^(?:[1-9][0-9]{0,4}(?:Y|M|D|h|m|s)|[1-9][0-9]{0,14}ms)$',
} as const;
