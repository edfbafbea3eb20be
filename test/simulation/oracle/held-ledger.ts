/**
 * What became of each held message: accepted with its request or not at all, released once to each stream that the
 * plan names, or cancelled; never both, never neither (SPEC L5, L10, L13).
 */
import { decodeShard } from '../../../lib/aws/shard-item.ts';
import type { ItemKey } from '../../../lib/aws/table.ts';
import type { Delay } from '../../../lib/core/log/append.ts';
import type { StreamId } from '../../../lib/core/log/ids.ts';
import { dueMsOf, type HeldId } from '../../../lib/core/timer/held-id.ts';
import type { Append } from '../../../lib/ports/log-store.ts';
import type { ItemChange } from '../stored-items.ts';
import { type CheckedAppend, isRefused } from './publish-call.ts';
import type { StoredStreams } from './stored-streams.ts';
import { demand } from './violation.ts';

export function isOfHeld({ k }: ItemKey): boolean {
  return /^M[0-9]$/.test(k);
}

/** One message. */
export class HeldFate {
  readonly delay: Delay;
  isAccepted = false;
  isThere = false;
  /** The stream that it was accepted for. */
  target: StreamId | undefined;
  /** Somebody has asked for it; and was told that it is so. */
  mayBeCancelled = false;
  isCancelled = false;
  /** Undefined before it is in a plan. */
  planned: ReadonlySet<StreamId> | undefined;
  readonly released = new Set<StreamId>();

  constructor(delay: Delay) {
    this.delay = delay;
  }

  releasedTo(streamId: StreamId, timeMs: number): void {
    const { id } = this.delay;
    const what = () => `${id} in ${streamId} at ${timeMs}`;
    demand(this.isAccepted, 'RELEASED_UNHELD', what);
    demand(!this.isCancelled, 'CANCELLED_BUT_RELEASED', what);
    demand(timeMs >= dueMsOf(id), 'RELEASED_EARLY', what);
    demand(!this.released.has(streamId), 'RELEASED_TWICE', what);
    demand(this.planned?.has(streamId) === true, 'RELEASED_ELSEWHERE', what);
    this.released.add(streamId);
  }

  cancelled(): void {
    this.isCancelled = true;
    const isFree = !this.isThere && this.released.size === 0;
    demand(isFree, 'CANCELLED_BUT_RELEASED', () => this.delay.id);
  }
}

/** Those of one request. */
export class HeldRequest {
  readonly all: readonly HeldFate[];

  constructor(delays: readonly Delay[]) {
    this.all = delays.map((delay) => new HeldFate(delay));
  }

  at(index: number): HeldFate | undefined {
    return this.all.find(({ delay }) => delay.index === index);
  }
}

export class HeldLedger {
  /** Where due messages go: their own stream, all streams, or nowhere. */
  routes: 'own' | 'all' | 'none' = 'own';
  readonly #stored: StoredStreams;
  readonly #appends: CheckedAppend[] = [];
  readonly #byId = new Map<HeldId, HeldFate>();
  readonly #requests = new Map<HeldFate, CheckedAppend>();
  #touched = new Set<HeldFate>();

  constructor(stored: StoredStreams) {
    this.#stored = stored;
  }

  expect(checked: CheckedAppend): void {
    if (checked.held === undefined) return;
    this.#appends.push(checked);
    for (const fate of checked.held.all) {
      this.#byId.set(fate.delay.id, fate);
      this.#requests.set(fate, checked);
    }
  }

  /** All that are held now. */
  there(): readonly HeldFate[] {
    return [...this.#byId.values()].filter(({ isThere }) => isThere);
  }

  /** Of a request of the same publisher with the same ids. */
  isAcceptedOf({ publisher, stream }: Append): boolean {
    return this.#appends.some(({ append, held }) => {
      const { publisher: other } = append;
      const isSame = append.stream === stream && other?.name === publisher?.name;
      return isSame && `${other?.ids}` === `${publisher?.ids}` && held?.all[0]?.isAccepted;
    });
  }

  applyItem({ key: { s }, before, after }: ItemChange): void {
    if (s !== '!') {
      const fate = this.#byId.get(s as HeldId);
      if (fate === undefined) return;
      fate.isThere = after !== undefined;
      if (fate.isThere && !fate.isAccepted) this.#accepted(fate);
      this.#touched.add(fate);
      return;
    }
    if (after === undefined || before?.['p'] !== undefined) return;
    const { plan } = decodeShard(after);
    plan?.ids.forEach((id, index) => {
      const to = plan.sendings.filter(({ indexes }) => indexes.includes(index));
      const fate = this.#byId.get(id);
      if (fate) fate.planned = new Set(to.map(({ destination }) => destination.id));
    });
  }

  #accepted(fate: HeldFate): void {
    fate.isAccepted = true;
    const checked = this.#requests.get(fate);
    if (checked === undefined) return;
    const { fate: said, append } = checked;
    fate.target = this.#stored.live(append.stream)?.streamId;
    demand(!isRefused(said), 'SAID_NONE_BUT_HELD', () => fate.delay.id);
  }

  /** Of what was accepted by the step, once its commits are written down. */
  raisePublishers(): void {
    for (const fate of this.#touched) {
      const { publisher, stream } = this.#requests.get(fate)?.append ?? {};
      const log = stream && this.#stored.live(stream)?.log;
      if (publisher === undefined || log === undefined || !fate.isThere) continue;
      const known = log.publisher(publisher.name);
      known.highestId = Math.max(known.highestId, publisher.ids.at(-1) ?? 0);
    }
  }

  /** After each step. */
  check(): void {
    const touched = this.#touched;
    this.#touched = new Set();
    for (const fate of touched) {
      this.#checkWhole(fate);
      if (!fate.isThere) this.#checkGone(fate);
    }
  }

  #checkWhole(fate: HeldFate): void {
    const checked = this.#requests.get(fate);
    if (checked?.held === undefined) return;
    const { held, append, placed } = checked;
    const isWhole = held.all.every(({ isAccepted }) => isAccepted);
    const isStored = append.batch.count === held.all.length || placed !== undefined;
    demand(isWhole && isStored, 'HALF_ACCEPTED', () => fate.delay.id);
  }

  /** With its target it may be lost, since its body is. */
  #checkGone({ delay: { id }, target, mayBeCancelled, planned, released }: HeldFate): void {
    if (target !== undefined && this.#stored.incarnation(target).tail === undefined) return;
    if (planned === undefined) {
      demand(mayBeCancelled, 'HELD_LOST', () => id);
      return;
    }
    const lost = [...planned].filter((streamId) => {
      const isGone = this.#stored.incarnation(streamId).tail === undefined;
      return !released.has(streamId) && !isGone;
    });
    demand(lost.length === 0, 'HELD_LOST', () => `${id} at ${lost}`);
  }
}
