/** Held messages together with their records, which are read where they lie. */
import type { DueMessage } from '../ports/timers.ts';
import type { AwsContext } from './aws-context.ts';
import { withRecord } from './held-bodies.ts';
import { keyOfTimer, type StoredTimer } from './timer-item.ts';

export interface LoadedTimer {
  readonly timer: StoredTimer;
  readonly due: DueMessage;
}

/** Objects read at a time. */
const READS_MAX = 8;
const KEYS_PER_READ_MAX = 100;

/**
 * In their order. Undefined when one of them has gone with its object since it was read. One without a record has
 * lost its target, with which the object was swept.
 */
export async function loadRecords(
  context: AwsContext,
  timers: readonly StoredTimer[],
): Promise<readonly LoadedTimer[] | undefined> {
  const loaded: LoadedTimer[] = [];
  for (let at = 0; at < timers.length; at += READS_MAX) {
    const some = timers.slice(at, at + READS_MAX).map(async (timer) => {
      return { timer, due: await withRecord(context, timer) };
    });
    loaded.push(...(await Promise.all(some)));
  }
  const lost = loaded.filter(({ due: { record } }) => record.length === 0);
  const areThere = await areStillThere(
    context,
    lost.map(({ timer }) => timer),
  );
  return areThere ? loaded : undefined;
}

async function areStillThere(
  { table }: AwsContext,
  timers: readonly StoredTimer[],
): Promise<boolean> {
  for (let at = 0; at < timers.length; at += KEYS_PER_READ_MAX) {
    const keys = timers.slice(at, at + KEYS_PER_READ_MAX).map(({ message }) => keyOfTimer(message));
    if ((await table.getMany(keys)).length < keys.length) return false;
  }
  return true;
}
