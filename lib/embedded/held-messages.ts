/**
 * Releases what is due: read, planned by the caller, and then stored and forgotten in one transaction, so that
 * neither a crash nor a cancellation in between gives a message twice or not at all (SPEC L5).
 */
import type { CommitOutcome } from '../core/log/commit-batch.ts';
import { dueMsOf, type HeldId, heldIdAfter } from '../core/timer/held-id.ts';
import { RELEASED_MAX, type ReleasePlan, type Sending } from '../core/timer/release-plan.ts';
import type { Append } from '../ports/log-store.ts';
import type { DueMessage, ReleaseOptions, ReleaseReport } from '../ports/timers.ts';
import { joinBytes } from '../wire/record-list.ts';
import type { DueRow, HeldTable } from './held-table.ts';

/** Read together: a plan takes at most 4 MiB for one stream. */
const READ_BYTES_MAX = 8 * 1024 * 1024;

export interface HeldParts {
  readonly held: HeldTable;
  /** Undefined when one of them is held no longer: then nothing is changed. */
  release(
    ids: readonly HeldId[],
    appends: readonly Append[],
  ): Promise<readonly CommitOutcome[] | undefined>;
  failed(error: unknown): void;
}

export async function releaseHeld(
  parts: HeldParts,
  options: ReleaseOptions,
): Promise<ReleaseReport> {
  const { held } = parts;
  let [released, failed] = [0, 0];
  while (!options.signal.aborted && failed === 0) {
    const before = heldIdAfter(options.nowMs());
    const due = held.due(before, { limit: RELEASED_MAX, bytesMax: READ_BYTES_MAX });
    if (due.length === 0) break;
    try {
      released += await releaseSome(parts, options, due);
    } catch (error) {
      parts.failed(error);
      failed++;
    }
  }
  const first = held.firstId();
  const nextDueMs = first && dueMsOf(first);
  const overdueMs = nextDueMs === undefined ? 0 : Math.max(options.nowMs() - nextDueMs, 0);
  return { released, failed, overdueMs, ...(nextDueMs !== undefined && { nextDueMs }) };
}

const NOTHING: ReleasePlan = {
  count: 0,
  sendings: [],
  dropped: { unroutable: 0, target_deleted: 0 },
};

/** How many of them; none when one was cancelled meanwhile. */
async function releaseSome(
  parts: HeldParts,
  { nowMs, plan: planDue, released }: ReleaseOptions,
  due: readonly DueRow[],
): Promise<number> {
  const [living, orphans] = [due.filter(hasTarget), due.filter((row) => !hasTarget(row))];
  const plan = living.length === 0 ? NOTHING : await planDue(living);
  const going = living.slice(0, plan.count);
  const ids = [...going, ...orphans].map(({ id }) => id);
  const timeMs = nowMs();
  const appends = plan.sendings.map((sending) => appendOf(sending, { going, timeMs }));
  const outcomes = await parts.release(ids, appends);
  if (outcomes === undefined) return 0;

  const first = due[0];
  released({
    messages: ids.length,
    oldestDueMs: first === undefined ? timeMs : dueMsOf(first.id),
    dropped: droppedBy(plan, { outcomes, orphans: orphans.length }),
    stored: outcomes.flatMap((one) => (one.kind === 'stored' ? [one.streamId] : [])),
  });
  return ids.length;
}

function hasTarget(row: DueRow): row is DueMessage {
  return row.target !== undefined;
}

function appendOf(
  { destination, indexes, recordedBefore }: Sending,
  { going, timeMs }: { readonly going: readonly DueMessage[]; readonly timeMs: number },
): Append {
  const messages = indexes.flatMap((index) => going[index] ?? []);
  const batch = {
    count: messages.length,
    records: joinBytes(messages.map(({ record }) => record)),
    bytes: messages.reduce((sum, { bytes }) => sum + bytes, 0),
    jsonChecked: messages.every(({ jsonChecked }) => jsonChecked),
  };
  const { name: stream, id: ifStreamId } = destination;
  return { stream, ifStreamId, batch, timeMs, recordedBefore };
}

/** A message that only streams were to get which are gone by now has lost its targets too. */
function droppedBy(
  plan: ReleasePlan,
  { outcomes, orphans }: { readonly outcomes: readonly CommitOutcome[]; readonly orphans: number },
): ReleasePlan['dropped'] {
  const taken = new Set<number>();
  const missed = new Set<number>();
  plan.sendings.forEach(({ indexes }, at) => {
    const isTaken = outcomes[at]?.kind !== 'reject';
    for (const index of indexes) (isTaken ? taken : missed).add(index);
  });
  const lost = missed.difference(taken).size;
  const { unroutable, target_deleted } = plan.dropped;
  return { unroutable, target_deleted: target_deleted + lost + orphans };
}
