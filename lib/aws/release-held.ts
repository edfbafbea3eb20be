/**
 * Releases what is due, shard by shard (PROTOCOL R12): what is to be released is written down before anything is, and
 * whoever finds that plan carries it out; so each message is released once, however many do this, and wherever one
 * of them ends. What fails stays due.
 */
import { dueMsOf, heldIdAfter } from '../core/timer/held-id.ts';
import { RELEASED_MAX } from '../core/timer/release-plan.ts';
import type { ReleaseOptions, ReleaseReport } from '../ports/timers.ts';
import { numberOf } from './attribute.ts';
import type { AwakeSigns } from './awake-signs.ts';
import type { AwsContext } from './aws-context.ts';
import { type LoadedTimer, loadRecords } from './due-messages.ts';
import { executePlan } from './execute-plan.ts';
import { BEYOND_IDS, FIRST_ID } from './list-held.ts';
import { decodeShard, newShard, type OpenPlan, planUpdate } from './shard-item.ts';
import type { Item, QueryPage } from './table.ts';
import { shardKey, TIMER_SHARDS, timerPartition } from './table-key.ts';
import { decodeTimer, type StoredTimer } from './timer-item.ts';

/** What is taken into memory for one plan; one message more is always taken. */
const BYTES_MAX = 8 * 1024 * 1024;

export interface ReleaseParts {
  readonly context: AwsContext;
  readonly signs: AwakeSigns;
}

export async function releaseHeld(
  parts: ReleaseParts,
  options: ReleaseOptions,
): Promise<ReleaseReport> {
  const shards = Array.from({ length: TIMER_SHARDS }, (_, shard) => shard);
  const reports = await Promise.all(
    shards.map((shard) => new ShardRun(parts, shard, options).run()),
  );
  const next = reports.flatMap(({ nextDueMs }) => nextDueMs ?? []);
  return {
    released: reports.reduce((sum, { released }) => sum + released, 0),
    failed: reports.reduce((sum, { failed }) => sum + failed, 0),
    overdueMs: Math.max(...reports.map(({ overdueMs }) => overdueMs)),
    ...(next.length > 0 && { nextDueMs: Math.min(...next) }),
  };
}

/** What a shard shows at a glance. */
interface Glance {
  readonly hasPlan: boolean;
  /** When the first of its messages is due. */
  readonly firstDueMs: number | undefined;
}

class ShardRun {
  readonly #context: AwsContext;
  readonly #signs: AwakeSigns;
  readonly #shard: number;
  readonly #options: ReleaseOptions;
  #released = 0;

  constructor({ context, signs }: ReleaseParts, shard: number, options: ReleaseOptions) {
    this.#context = context;
    this.#signs = signs;
    this.#shard = shard;
    this.#options = options;
  }

  async run(): Promise<ReleaseReport> {
    let glance: Glance = { hasPlan: false, firstDueMs: undefined };
    try {
      for (;;) {
        glance = await this.#glance();
        if (!this.#hasWork(glance) || this.#options.signal.aborted) break;
        await this.#turn();
      }
      return this.#report(glance, 0);
    } catch (error) {
      this.#context.telemetry.error('release_failed', { shard: this.#shard, error });
      return this.#report(glance, 1);
    }
  }

  #hasWork({ hasPlan, firstDueMs }: Glance): boolean {
    return hasPlan || (firstDueMs !== undefined && firstDueMs <= this.#options.nowMs());
  }

  #report({ firstDueMs }: Glance, failed: number): ReleaseReport {
    const leftMs = firstDueMs === undefined ? 0 : firstDueMs - this.#options.nowMs();
    return {
      released: this.#released,
      failed,
      overdueMs: Math.max(0, -leftMs),
      ...(firstDueMs !== undefined && leftMs > 0 && { nextDueMs: firstDueMs }),
    };
  }

  /** One read, whether there is anything to do: what it says decides nothing else. */
  async #glance(): Promise<Glance> {
    const items: Item[] = [];
    let page: string | undefined;
    do {
      const found: QueryPage = await this.#context.table.query({
        k: timerPartition(this.#shard),
        to: BEYOND_IDS,
        limit: 2,
        ...(page !== undefined && { page }),
      });
      items.push(...found.items);
      page = found.next;
    } while (page !== undefined && items.length < 2);
    const own = items.find((item) => item['v'] !== undefined);
    const first = items.find((item) => item['v'] === undefined);
    this.#signs.seen(this.#shard, own !== undefined && numberOf(own, 'w') > 0);
    return {
      hasPlan: own?.['p'] !== undefined,
      firstDueMs: first && dueMsOf(decodeTimer(first).message.id),
    };
  }

  /** The shard is read first: a plan that was carried out since would be listed again. */
  async #turn(): Promise<void> {
    const { table } = this.#context;
    const item = await table.get(shardKey(this.#shard));
    const state = decodeShard(item);
    if (state.plan !== undefined) return await this.#execute(state.plan);

    const due = await loadRecords(this.#context, await this.#listDue());
    if (due === undefined || due.length === 0) return;
    const { count, sendings, dropped } = await this.#options.plan(due.map(({ due: one }) => one));
    const covered = due.slice(0, count);
    const ids = covered.map(({ timer }) => timer.message.id);
    const plan = { seq: state.seq + 1, ids, sendings, dropped };
    if (item === undefined) await table.put(newShard(this.#shard, false), 'harmless');
    const written = await table.update(planUpdate(this.#shard, state, plan), 'harmless');
    if (written.kind === 'done') await this.#execute(plan, covered);
  }

  async #execute(plan: OpenPlan, covered?: readonly LoadedTimer[]): Promise<void> {
    const released = await executePlan(this.#context, {
      shard: this.#shard,
      plan,
      nowMs: this.#options.nowMs(),
      ...(covered && { covered }),
    });
    if (released === undefined) return;
    this.#released += released.messages;
    this.#options.released(released);
  }

  /** Oldest first, as many as a plan may have and memory takes. */
  async #listDue(): Promise<readonly StoredTimer[]> {
    const timers: StoredTimer[] = [];
    let [bytes, page]: [number, string | undefined] = [0, undefined];
    do {
      const found = await this.#context.table.query({
        k: timerPartition(this.#shard),
        from: FIRST_ID,
        to: heldIdAfter(this.#options.nowMs()),
        limit: RELEASED_MAX - timers.length,
        ...(page !== undefined && { page }),
      });
      for (const timer of found.items.map(decodeTimer)) {
        bytes += timer.message.bytes;
        if (bytes > BYTES_MAX && timers.length > 0) return timers;
        timers.push(timer);
      }
      page = found.next;
    } while (page !== undefined && timers.length < RELEASED_MAX);
    return timers;
  }
}
