/**
 * A commit that stores nothing now and holds some messages (PROTOCOL R12a): a transaction that holds the stream to
 * what the plan assumed, and puts them; one message about which nothing is assumed is one put. What got lost is
 * looked for by the messages themselves; where they may be released already, nobody can tell.
 */
import type { RecordClaim } from '../core/routing/routing-record.ts';
import { StoreError } from '../ports/store-error.ts';
import type { AwsContext } from './aws-context.ts';
import type { CommitPlan } from './commit-plan.ts';
import { fenceUlid } from './fence-ulid.ts';
import { removeForgotten } from './forgotten-values.ts';
import { heldStep } from './hear-publishers.ts';
import { isInline, storedTimers, timerPuts } from './held-bodies.ts';
import type { KnownStream } from './known-stream.ts';
import { mintUlid } from './mint-ulid.ts';
import { storeNewNames } from './publisher-list.ts';
import { takeSteps } from './record-item.ts';
import { outcomeUnknown } from './recover-commit.ts';
import type { PlannedCommit } from './send-commit.ts';
import { publisherHash } from './table-key.ts';
import { tidyTail } from './tail-upkeep.ts';
import { encodeTimer, keyOfTimer } from './timer-item.ts';
import { hasOwnItems, valuePuts } from './value-update.ts';
import { wakeForHeld } from './wake-deliverer.ts';

export type Held =
  | { readonly kind: 'done' }
  | {
      readonly kind: 'again';
      readonly stream: KnownStream | undefined;
      /** Its answer was lost. */
      readonly mayLand: boolean;
      /** Claims whose records are others by now. */
      readonly changed?: readonly RecordClaim[];
    };

/** Nothing is said of the stream but that it is there. */
export function isAlone(plan: CommitPlan): boolean {
  const { parts, timers, changed, hasValues, token, taken } = plan;
  const isOne = parts.length === 0 && timers.length === 1 && timers.every(isInline);
  const isUnbound = changed.size === 0 && !hasValues && taken.length === 0;
  return isOne && isUnbound && token === undefined;
}

export async function holdMessages(context: AwsContext, commit: PlannedCommit): Promise<Held> {
  const held = await (isAlone(commit.plan)
    ? holdAlone(context, commit)
    : holdTogether(context, commit));
  if (held.kind === 'done') await wakeForHeld(context, commit.plan.timers);
  return held;
}

/** Never sent twice: the first may have been released by then, and the second would be once more. */
async function holdAlone(context: AwsContext, { plan, ulid }: PlannedCommit): Promise<Held> {
  const [timer] = storedTimers(plan.timers, ulid);
  if (timer === undefined) return { kind: 'done' };
  try {
    await context.table.put({ item: encodeTimer(timer) }, 'once');
  } catch (error) {
    const isHeld = isLost(error) && (await isAnyHeld(context, plan).catch(() => false));
    if (!isHeld) throw error;
  }
  return { kind: 'done' };
}

async function holdTogether(context: AwsContext, commit: PlannedCommit): Promise<Held> {
  const { stream, plan, side, ulid } = commit;
  const values = hasOwnItems(commit) ? valuePuts(commit) : [];
  await storeNewNames(context, commit);
  try {
    const result = await context.table.transact(
      [
        heldStep({ stream, plan, ulid, sideVersion: side.version }),
        ...values,
        ...takeSteps(stream.name, plan.taken),
        ...timerPuts(plan.timers, ulid),
      ],
      Buffer.from(mintUlid(context)).toString('hex'),
    );
    if (result.kind === 'refused') {
      const [tail] = result.steps;
      const { name } = stream;
      const now = await (tail?.refused
        ? context.streams.adopt(name, tail.item)
        : context.streams.load(name));
      const changed = plan.taken.filter((_, at) => result.steps[1 + values.length + at]?.refused);
      return { kind: 'again', stream: now, mayLand: false, changed };
    }
  } catch (error) {
    if (!isLost(error)) throw error;
    const found = await afterLostAnswer(context, commit);
    if (found.kind === 'again') return found;
  }
  await tidyAfter(context, commit);
  return { kind: 'done' };
}

/** All are held or none; those of named publishers are sent again, as their ids refuse them the second time. */
async function afterLostAnswer(
  context: AwsContext,
  { stream, plan, ulid }: PlannedCommit,
): Promise<Held> {
  const { name, tail } = stream;
  try {
    // Otherwise it could land after the look.
    if (!plan.isNamed) await context.streams.adopt(name, await fenceUlid(context, stream, ulid));
    if (await isAnyHeld(context, plan)) return { kind: 'done' };
    const now = plan.isNamed ? await context.streams.load(name) : undefined;
    if (now?.tail.streamId === tail.streamId) return { kind: 'again', stream: now, mayLand: true };
  } catch (cause) {
    throw outcomeUnknown(cause);
  }
  throw outcomeUnknown();
}

async function isAnyHeld({ table }: AwsContext, { timers }: CommitPlan): Promise<boolean> {
  return (await table.getMany(timers.map(({ message }) => keyOfTimer(message)))).length > 0;
}

function isLost(error: unknown): boolean {
  return error instanceof StoreError && error.sideEffects === 'possible';
}

/** A transaction does not say how it left the tail, which may have got publishers that it has no room for. */
async function tidyAfter(context: AwsContext, { stream, plan }: PlannedCommit): Promise<void> {
  const isKnown = [...plan.changed.keys()].every((publisher) =>
    stream.tail.publishers.has(publisherHash(publisher)),
  );
  try {
    const now = isKnown ? stream : await context.streams.load(stream.name);
    if (now !== undefined && !isKnown) await tidyTail(context, now);
    await removeForgotten(context, now ?? stream, plan.recorded);
  } catch (error) {
    context.telemetry.error('tail_upkeep_failed', { stream_id: stream.tail.streamId, error });
  }
}
