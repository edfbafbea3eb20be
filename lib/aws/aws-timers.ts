/** Held messages on the table: the port, put together from its parts (PROTOCOL R12). */
import type { Timers } from '../ports/timers.ts';
import type { AwakeSigns } from './awake-signs.ts';
import type { AwsContext } from './aws-context.ts';
import { cancelHeld } from './cancel-held.ts';
import { withRecord } from './held-bodies.ts';
import { countHeld, findTimer, hasTarget, listHeld } from './list-held.ts';
import { releaseHeld } from './release-held.ts';

export function createAwsTimers(context: AwsContext, signs: AwakeSigns): Timers {
  const { table } = context;
  return {
    async load(id) {
      const timer = await findTimer(table, id);
      const isThere = timer !== undefined && (await hasTarget(table, timer.message));
      return isThere ? await withRecord(context, timer) : undefined;
    },
    list: (query) => listHeld(table, query),
    count: (target) => countHeld(table, target),
    cancel: (id) => cancelHeld(context, id),
    release: (options) => releaseHeld({ context, signs }, options),
  };
}
