/**
 * Does what streams left for later: segments are sealed, dropped and packed, what nothing needs any more is
 * removed, cancelled ids leave their tails, stored offsets beyond a limit go, deleted streams are swept. Found by the time it is due, the oldest
 * first, a bounded piece of a stream's at a time. Any number may run at the same time: every step is
 * conditional, and done twice it changes nothing.
 */
import type { StreamId } from '../core/log/ids.ts';
import { type Ulid, ulidTimeMs } from '../format/ulid.ts';
import type { Maintenance, WorkReport } from '../ports/maintenance.ts';
import { auditSample } from './audit-sample.ts';
import type { AwsContext } from './aws-context.ts';
import { callsUntil } from './calls-until.ts';
import { collectObjects } from './collect-objects.ts';
import { type DueItem, type DueKind, deleteDue, findDue, laterMs, putDue } from './due-work.ts';
import { endWork } from './end-work.ts';
import { raiseHorizon } from './fence-ulid.ts';
import { GRACE_MS, horizonAt } from './horizon.ts';
import { keepConsumers, keepToChangedLimit } from './keep-consumers.ts';
import { keepSegments } from './keep-segments.ts';
import type { KnownStream } from './known-stream.ts';
import { removeDropped } from './remove-dropped.ts';
import { removePacked } from './remove-packed.ts';
import { firstRefs } from './stream-index.ts';
import { dueGraves, sweepGrave } from './sweep-streams.ts';

interface WorkDone {
  /** When it is to be done again, if it is. */
  readonly againMs?: number;
  /** The tail's, if messages were dropped, and so it was raised. */
  readonly workVersion?: number;
}

/** Stored offsets beyond a limit have an item to themselves, and no part in a stream's version of work. */
type TailWork = Exclude<DueKind, 'consumers'>;

const WORK: {
  readonly [Kind in TailWork]: (context: AwsContext, stream: KnownStream) => Promise<WorkDone>;
} = {
  cancelled: passCancelled,
  removal: removeUnneeded,
  segments: keepToSettings,
};

export function createAwsMaintenance(context: AwsContext): Maintenance {
  return { run: (signal) => new DueRun(context, signal).run() };
}

/** A piece of work that is due, whatever it is. */
interface DueTask {
  readonly id: string;
  readonly dueMs: number;
  perform(): Promise<void>;
}

class DueRun {
  readonly #context: AwsContext;
  readonly #signal: AbortSignal;
  /** By their id, when they were due: they stay so, and are not tried again in this run. */
  readonly #failed = new Map<string, number>();
  readonly #trimmed = new Set<StreamId>();
  #done = 0;

  constructor(context: AwsContext, signal: AbortSignal) {
    this.#signal = signal;
    this.#context = {
      ...context,
      table: callsUntil(context.table, signal),
      objects: callsUntil(context.objects, signal),
    };
  }

  async run(): Promise<WorkReport> {
    let left: readonly DueTask[] = [];
    while (!this.#signal.aborted) {
      left = await this.#round();
      if (left.length === 0) break;
      // What was left of a turn may be due again by now: behind what others have waited for longer.
    }
    return this.#report(left);
  }

  /** Does what is due, and gives what of it there was; or what is left of it when the time is up. */
  async #round(): Promise<readonly DueTask[]> {
    const due = await this.#due();
    for (const [index, task] of due.entries()) {
      if (this.#signal.aborted) return due.slice(index);
      try {
        await task.perform();
        this.#done++;
      } catch (error) {
        if (this.#signal.aborted) return due.slice(index);
        this.#failed.set(task.id, task.dueMs);
        this.#context.telemetry.error('maintenance_failed', { error });
      }
    }
    return due;
  }

  async #due(): Promise<readonly DueTask[]> {
    const { table, clock } = this.#context;
    const nowMs = clock.nowMs();
    const graves = (await dueGraves(table, nowMs)).map((grave) => ({
      id: grave.streamId,
      dueMs: grave.dueMs,
      perform: () => sweepGrave(this.#context, grave),
    }));
    const items = (await findDue(table, nowMs)).map((item) => ({
      id: `${item.key.k} ${item.key.s}`,
      dueMs: item.dueMs,
      perform: () => this.#perform(item),
    }));
    return [...graves, ...items]
      .filter(({ id }) => !this.#failed.has(id))
      .sort((a, b) => a.dueMs - b.dueMs);
  }

  /** What is to be done again is put before the work ends, and that before the item goes (PROTOCOL R14). */
  async #perform(item: DueItem): Promise<void> {
    const { kind, streamId } = item;
    const context = this.#context;
    if (kind === 'consumers') {
      await this.#keepConsumers(item);
      return;
    }
    const stream = await context.streams.loadById(streamId);
    if (stream !== undefined) {
      const { againMs, workVersion } = await WORK[kind](context, stream);
      if (workVersion !== undefined) this.#trimmed.add(streamId);
      if (againMs !== undefined) await putDue(context, { kind, streamId, dueMs: againMs });
      // What came to be necessary meanwhile was left by this item, so it is looked at again.
      if (!(await endWork(context, stream, workVersion ?? stream.tail.workVersion))) return;
    }
    await deleteDue(context.table, item);
  }

  /** What is stored beyond the limit meanwhile puts this item anew (PROTOCOL R16). */
  async #keepConsumers(item: DueItem): Promise<void> {
    const stream = await this.#context.streams.loadById(item.streamId);
    const isKept = stream === undefined || (await keepConsumers(this.#context, stream));
    if (isKept) await deleteDue(this.#context.table, item);
  }

  #report(left: readonly DueTask[]): WorkReport {
    const nowMs = this.#context.clock.nowMs();
    const oldestMs = Math.min(nowMs, ...left.map(({ dueMs }) => dueMs), ...this.#failed.values());
    return {
      done: this.#done,
      failed: this.#failed.size,
      overdueMs: nowMs - oldestMs,
      trimmed: [...this.#trimmed],
    };
  }
}

/** What a publish or a change of settings makes necessary. */
async function keepToSettings(context: AwsContext, stream: KnownStream): Promise<WorkDone> {
  const isKept = await keepToChangedLimit(context, stream);
  const done = await keepSegments(context, stream);
  return isKept ? done : { ...done, againMs: context.clock.nowMs() };
}

/** The horizon passes over those that are old enough that raising it holds up nobody. */
async function passCancelled(
  { table, clock, streams }: AwsContext,
  stream: KnownStream,
): Promise<WorkDone> {
  const nowMs = clock.nowMs();
  await raiseHorizon(table, stream, horizonAt(nowMs - GRACE_MS));
  const now = await streams.load(stream.name);
  return now !== undefined && now.tail.cancelled.length > 0 ? { againMs: laterMs(nowMs) } : {};
}

/** Of what was dropped or packed: what describes it, then its objects, and what crashes left beside them. */
async function removeUnneeded(context: AwsContext, stream: KnownStream): Promise<WorkDone> {
  const nowMs = context.clock.nowMs();
  await removeDropped(context, stream);
  const { end } = await removePacked(context, stream);
  await collectObjects(context, stream, {
    horizon: horizonAt(nowMs - GRACE_MS),
    chunksUpTo: await lastUnneeded(context, stream, end),
  });
  await auditSample(context, stream);
  return {};
}

/**
 * Objects of chunks that were dropped or packed have ids up to about those of the first that are left behind
 * them; with a margin for clocks, and commits that took long. Listing all would cost a request for each thousand.
 */
async function lastUnneeded(
  { table, clock }: AwsContext,
  { tail: { streamId, refs } }: KnownStream,
  packedEnd: number,
): Promise<Ulid> {
  const agedMs = clock.nowMs() - GRACE_MS;
  const indexed = await firstRefs(table, streamId, packedEnd);
  const left = indexed.length > 0 ? indexed : refs;
  if (left.length === 0) return horizonAt(agedMs);
  const mintedMs = Math.max(...left.map(({ ulid }) => ulidTimeMs(ulid)));
  return horizonAt(Math.min(agedMs, mintedMs + GRACE_MS));
}
