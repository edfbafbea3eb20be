/**
 * Watches everything that is stored, step by step, and remembers what it was at each moment: what an
 * answer says must have been true at some moment between the call and the answer.
 */
import type { Tail } from '../../../lib/aws/tail-item.ts';
import type { StreamId, StreamName } from '../../../lib/core/log/ids.ts';
import type { Append } from '../../../lib/ports/log-store.ts';
import type { ObjectChange } from '../memory-objects.ts';
import type { ItemChange } from '../stored-items.ts';
import type { World } from '../world.ts';
import type { TrimCall } from './check-first.ts';
import { checkIncarnation } from './check-incarnation.ts';
import { checkTailChange } from './check-tail-change.ts';
import { HeldLedger, HeldRequest, isOfHeld } from './held-ledger.ts';
import { batchOfCall } from './message-body.ts';
import type { CheckedAppend, PublishCall } from './publish-call.ts';
import { StoredExchanges } from './stored-exchanges.ts';
import { StoredRecords } from './stored-records.ts';
import { StoredStreams } from './stored-streams.ts';
import { TokenHistory } from './token-history.ts';

/** What a request says beside its messages, whose bodies the oracle makes. */
export type Request = Omit<Append, 'batch'> & {
  readonly count: number;
  /** Of each message, the value that it carries. */
  readonly values?: readonly (string | undefined)[];
  /** Others use its publisher's name: it may be told that an id is known which is only too low (SPEC D12). */
  readonly hasRival?: boolean;
};

/** A tail as it was from a moment on, until the next version's. */
interface Version {
  readonly from: number;
  readonly tail: Tail | undefined;
}

const NEVER_THERE: Version = { from: 0, tail: undefined };

export class Oracle {
  readonly stored = new StoredStreams();
  readonly exchanges = new StoredExchanges();
  readonly records = new StoredRecords();
  readonly calls: PublishCall[] = [];
  readonly removals = new Set<StreamId>();
  readonly trims: TrimCall[] = [];
  readonly tokens = new TokenHistory();
  readonly held = new HeldLedger(this.stored);
  /** What a clock says that is right. */
  readonly #nowMs: () => number;
  readonly #created = new Set<StreamId>();
  readonly #history = new Map<StreamName, Version[]>();
  #changes: (() => void)[] = [];
  /** Steps that were looked at. */
  moment = 0;

  constructor({ table, objects }: Pick<World, 'table' | 'objects'>, nowMs: () => number) {
    this.#nowMs = nowMs;
    table.watch((change: ItemChange) => {
      const isHeld = isOfHeld(change.key);
      this.#changes.push(() => {
        (isHeld ? this.held : this.stored).applyItem(change);
        this.exchanges.applyItem(change);
        this.records.applyItem(change);
      });
    });
    objects.watch((change: ObjectChange) => {
      this.#changes.push(() => this.stored.applyObject(change));
    });
  }

  /** After each step. */
  check(): void {
    this.moment++;
    if (this.#changes.length === 0) return;
    const changes = this.#changes;
    this.#changes = [];
    for (const apply of changes) apply();
    this.exchanges.check(this.moment);
    const { stored, calls, removals, trims, records } = this;
    const nowMs = this.#nowMs();
    const { tails, touched } = stored.takeChanges();
    const rules = { stored, calls, created: this.#created, removals, trims, records, nowMs };
    for (const change of tails) {
      checkTailChange(rules, change);
      const { before, after } = change;
      if (before && after && before.fencingToken !== after.fencingToken) this.tokens.changed(after);
      this.#versions(change.name).push({ from: this.moment, tail: change.after });
    }
    this.held.raisePublishers();
    records.check();
    for (const incarnation of touched) checkIncarnation(incarnation, nowMs);
    this.held.check();
  }

  begin(requests: readonly Request[]): PublishCall {
    const number = this.calls.length;
    const appends = requests.map(({ count, values, hasRival = false, ...request }, index) => {
      const batch = batchOfCall({ call: number, append: index }, count, values);
      const append = { ...request, batch };
      const checked: CheckedAppend = {
        append,
        hasRival,
        fate: 'open',
        held: request.delays && new HeldRequest(request.delays),
        placed: undefined,
      };
      this.held.expect(checked);
      return checked;
    });
    const call = { number, begunAt: this.moment, appends };
    this.calls.push(call);
    return call;
  }

  /** All that this stream was at some moment since `begunAt`. */
  tailsSince(name: StreamName, begunAt: number): readonly (Tail | undefined)[] {
    const versions = this.#versions(name);
    const seen = versions.filter((_, at) => (versions[at + 1]?.from ?? Infinity) > begunAt);
    return seen.map(({ tail }) => tail);
  }

  wasCreated(id: StreamId): boolean {
    return this.#created.has(id);
  }

  #versions(name: StreamName): Version[] {
    const known = this.#history.get(name);
    if (known !== undefined) return known;
    const created = [NEVER_THERE];
    this.#history.set(name, created);
    return created;
  }
}
