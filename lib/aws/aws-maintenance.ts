/**
 * Does what streams left for later: cancelled ids leave their tails, full tails are spilled, what was
 * dropped is removed, deleted streams are swept. Any number may run at the same time: every step is
 * conditional, and done twice it changes nothing.
 */
import { type Ulid, ulidTimeMs } from '../format/ulid.ts';
import type { Maintenance, WorkReport } from '../ports/maintenance.ts';
import type { AwsContext } from './aws-context.ts';
import { callsUntil } from './calls-until.ts';
import { collectObjects } from './collect-objects.ts';
import { type DueItem, type DueKind, deleteDue, findDue, laterMs, putDue } from './due-work.ts';
import { raiseHorizon } from './fence-ulid.ts';
import { GRACE_MS, horizonAt } from './horizon.ts';
import type { KnownStream } from './known-stream.ts';
import { removeDropped } from './remove-dropped.ts';
import { firstRefs } from './stream-index.ts';
import { dueGraves, sweepGrave } from './sweep-streams.ts';
import { keepTail } from './tail-upkeep.ts';

/** Gives the time at which it is to be done again, if it is. */
type Work = (context: AwsContext, stream: KnownStream) => Promise<number | undefined>;

const WORK: { readonly [Kind in DueKind]: Work } = {
  cancelled: passCancelled,
  dropped: dropMessages,
  spill: spillTail,
};

export function createAwsMaintenance(context: AwsContext): Maintenance {
  return { run: (signal) => runDue(context, signal) };
}

async function runDue(parts: AwsContext, signal: AbortSignal): Promise<WorkReport> {
  const { table, clock, telemetry } = parts;
  const context = {
    ...parts,
    table: callsUntil(table, signal),
    objects: callsUntil(parts.objects, signal),
  };
  const nowMs = clock.nowMs();
  const graves = (await dueGraves(table, nowMs)).map((grave) => ({
    dueMs: grave.dueMs,
    run: () => sweepGrave(context, grave),
  }));
  const items = (await findDue(table, nowMs)).map((item) => ({
    dueMs: item.dueMs,
    run: () => runItem(context, item),
  }));
  const due = [...graves, ...items].sort((a, b) => a.dueMs - b.dueMs);
  const left = [...due];
  let failed = 0;
  for (const work of due) {
    if (signal.aborted) break;
    try {
      await work.run();
      left.splice(left.indexOf(work), 1);
    } catch (error) {
      if (signal.aborted) break;
      failed++;
      telemetry.error('maintenance_failed', { error });
    }
  }
  const [oldest] = left;
  return {
    done: due.length - left.length,
    failed,
    overdueMs: oldest === undefined ? 0 : nowMs - oldest.dueMs,
  };
}

/** What is to be done again is put before the item goes (PROTOCOL R14). */
async function runItem(context: AwsContext, item: DueItem): Promise<void> {
  const { kind, streamId } = item;
  const stream = await context.streams.loadById(streamId);
  const againMs = stream && (await WORK[kind](context, stream));
  if (againMs !== undefined) await putDue(context, { kind, streamId, dueMs: againMs });
  await deleteDue(context.table, item);
}

/** The horizon passes over those that are old enough that raising it holds up nobody. */
async function passCancelled(
  { table, clock, streams }: AwsContext,
  stream: KnownStream,
): Promise<number | undefined> {
  const nowMs = clock.nowMs();
  await raiseHorizon(table, stream, horizonAt(nowMs - GRACE_MS));
  const now = await streams.load(stream.name);
  return now !== undefined && now.tail.cancelled.length > 0 ? laterMs(nowMs) : undefined;
}

async function dropMessages(context: AwsContext, stream: KnownStream): Promise<undefined> {
  await removeDropped(context, stream);
  await collectObjects(context, stream, await horizonOfDropped(context, stream));
  return undefined;
}

/**
 * Objects of dropped messages have ids up to about those of the first that are left; with a margin for
 * clocks, and commits that took long. Listing all behind them would cost a request for each thousand.
 */
async function horizonOfDropped(
  { table, clock }: AwsContext,
  { tail: { streamId, refs } }: KnownStream,
): Promise<Ulid> {
  const agedMs = clock.nowMs() - GRACE_MS;
  const indexed = await firstRefs(table, streamId);
  const left = indexed.length > 0 ? indexed : refs;
  if (left.length === 0) return horizonAt(agedMs);
  const mintedMs = Math.max(...left.map(({ ulid }) => ulidTimeMs(ulid)));
  return horizonAt(Math.min(agedMs, mintedMs + GRACE_MS));
}

async function spillTail(context: AwsContext, stream: KnownStream): Promise<undefined> {
  await keepTail(context, stream, { mustSeal: true });
  return undefined;
}
