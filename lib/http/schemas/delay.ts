/** How long a message is held, as it is asked for (SPEC L2, L3). */
import * as z from 'zod';
import { DELAY_MS_MAX } from '../../core/timer/delay.ts';
import { INSTANT_FORMS } from './position-forms.ts';

/** `of` is the beginning of their descriptions. */
export function delayMembers(of = '') {
  return {
    delay_ms: z
      .int()
      .max(DELAY_MS_MAX)
      .optional()
      .describe(`${of}holds it for so many ms, at most 10 years. 0 or less: at once.`),
    deliver_at: z
      .union([z.int(), z.string()])
      .optional()
      .meta({
        description: `${of}holds it until then, at most 10 years. A time that has passed: at once.`,
        ...INSTANT_FORMS,
      }),
  };
}
