/** Held messages as core means them: a map by id, which sorts by when they are due. */

import type { CommitOutcome } from '../../lib/core/log/commit-batch.ts';
import type { StreamId } from '../../lib/core/log/ids.ts';
import { dueMsOf, type HeldId } from '../../lib/core/timer/held-id.ts';
import type { HeldTarget } from '../../lib/core/timer/held-message.ts';
import type { ReleasePlan, Sending } from '../../lib/core/timer/release-plan.ts';
import type { Append } from '../../lib/ports/log-store.ts';
import type { DueMessage, Released, Timers } from '../../lib/ports/timers.ts';
import { joinBytes, recordsAt } from '../../lib/wire/record-list.ts';

export interface ReferenceTimersParts {
  isThere(target: HeldTarget): boolean;
  append(one: Append): CommitOutcome;
}

export interface ReferenceTimers extends Timers {
  hold(append: Append, outcome: CommitOutcome): void;
}

export function createReferenceTimers({ isThere, append }: ReferenceTimersParts): ReferenceTimers {
  const all = new Map<HeldId, DueMessage>();
  const sorted = () => [...all.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const living = (target?: HeldTarget) =>
    sorted().filter((one) => isThere(one.target) && (!target || one.target.id === target.id));

  return {
    hold(one, outcome) {
      if (outcome.kind !== 'stored' && outcome.kind !== 'held') return;
      const held = new Set(outcome.held);
      const { heldFor, batch, timeMs: heldMs, delays = [] } = one;
      const target: HeldTarget = heldFor
        ? { kind: 'exchange', ...heldFor }
        : { kind: 'stream', name: one.stream, id: outcome.streamId };
      for (const { index, id, bytes } of delays.filter((delay) => held.has(delay.index))) {
        const [record = new Uint8Array()] = recordsAt(batch.records, [index]);
        const { jsonChecked } = batch;
        all.set(id, { id, target, heldMs, bytes, record, jsonChecked });
      }
    },
    load: async (id) => living().find((one) => one.id === id),
    list: async ({ target, startAfter, limit }) =>
      living(target)
        .filter(({ id }) => id > startAfter)
        .slice(0, limit)
        .map(({ id, target: of, heldMs, bytes }) => ({ id, target: of, heldMs, bytes })),
    count: async (target) => living(target).length,
    cancel: async (id) => living().some((one) => one.id === id) && all.delete(id),
    async release(options) {
      const { nowMs } = options;
      const isDue = ({ id }: DueMessage) => dueMsOf(id) <= nowMs();
      let count = 0;
      for (let due = sorted().filter(isDue); due.length > 0; due = sorted().filter(isDue)) {
        const plan = await options.plan(due);
        const going = due.slice(0, plan.count);
        // Another one has released or cancelled some meanwhile: what there is now is planned.
        if (!going.every(({ id }) => all.has(id))) continue;
        options.released(releaseOnce(append, { plan, going, timeMs: nowMs() }));
        for (const { id } of going) all.delete(id);
        count += plan.count;
      }
      const [next] = sorted();
      const nextDueMs = next && dueMsOf(next.id);
      const left = { failed: 0, overdueMs: 0, ...(nextDueMs !== undefined && { nextDueMs }) };
      return { released: count, ...left };
    },
  };
}

interface Going {
  readonly plan: ReleasePlan;
  readonly going: readonly DueMessage[];
  readonly timeMs: number;
}

function releaseOnce(
  append: ReferenceTimersParts['append'],
  { plan, going, timeMs }: Going,
): Released {
  const lost = new Set(going.keys());
  const stored: StreamId[] = [];
  for (const [index] of going.entries()) {
    if (!plan.sendings.some(({ indexes }) => indexes.includes(index))) lost.delete(index);
  }
  for (const sending of plan.sendings) {
    const own = appendOf(sending, { going, timeMs });
    const judged = append(own);
    const isJudged = judged.kind === 'reject' && judged.code !== 'stream_not_found';
    const everything = sending.indexes.map((_, place) => place);
    const outcome = isJudged ? append({ ...own, recordedBefore: everything }) : judged;
    if (outcome.kind === 'reject') continue;
    for (const index of sending.indexes) lost.delete(index);
    if (outcome.kind === 'stored') stored.push(outcome.streamId);
  }
  const [first] = going;
  const { unroutable, target_deleted: gone } = plan.dropped;
  return {
    messages: plan.count,
    oldestDueMs: first ? dueMsOf(first.id) : timeMs,
    dropped: { unroutable, target_deleted: gone + lost.size },
    stored,
  };
}

function appendOf(
  { destination: { name, id }, indexes, recordedBefore }: Sending,
  { going, timeMs }: Omit<Going, 'plan'>,
): Append {
  const messages = indexes.flatMap((index) => going[index] ?? []);
  const records = joinBytes(messages.map(({ record }) => record));
  const bytes = messages.reduce((sum, one) => sum + one.bytes, 0);
  const jsonChecked = messages.every((one) => one.jsonChecked);
  const batch = { count: messages.length, records, bytes, jsonChecked };
  return { stream: name, ifStreamId: id, batch, timeMs, recordedBefore };
}
