/**
 * Releases held messages whose time has come, by the routes of this moment (SPEC L5, L7, L12). Which and how, each
 * exactly once, is the store's; here it is said where they go, and what became of them is counted.
 */

import type { RoutingGraph } from '../core/routing/route.ts';
import { routeMessage } from '../core/routing/route.ts';
import type { HeldTarget } from '../core/timer/held-message.ts';
import {
  type DueRouting,
  type PlannedMessage,
  planRelease,
  type ReleasePlan,
} from '../core/timer/release-plan.ts';
import type { DueMessage, Released, ReleaseReport } from '../ports/timers.ts';
import type { Components } from './components.ts';
import { HOLDS_NOTHING, routedMessages } from './routed-batch.ts';

export async function releaseDue(
  components: Components,
  signal: AbortSignal,
): Promise<ReleaseReport> {
  const { timers, clock } = components;
  return await timers.release({
    nowMs: () => clock.nowMs(),
    plan: (due) => planDueMessages(components, due),
    released: (what) => countReleased(components, what),
    signal,
  });
}

export async function planDueMessages(
  components: Pick<Components, 'exchanges'>,
  due: readonly DueMessage[],
): Promise<ReleasePlan> {
  const graphs = await graphsOf(components, due);
  return planRelease(planned(due, graphs));
}

/** Of each exchange that holds some of them, as it is bound now; undefined when that incarnation is gone. */
async function graphsOf(
  { exchanges }: Pick<Components, 'exchanges'>,
  due: readonly DueMessage[],
): Promise<ReadonlyMap<string, RoutingGraph | undefined>> {
  const targets = new Map<string, HeldTarget>(due.map(({ target }) => [target.id, target]));
  const graphs = new Map<string, RoutingGraph | undefined>();
  for (const target of targets.values()) {
    if (target.kind !== 'exchange') continue;
    const graph = await exchanges.routes(target.name);
    graphs.set(target.id, graph?.start.id === target.id ? graph : undefined);
  }
  return graphs;
}

function* planned(
  due: readonly DueMessage[],
  graphs: ReadonlyMap<string, RoutingGraph | undefined>,
): Generator<PlannedMessage> {
  for (const message of due) {
    const { bytes, target } = message;
    const routing: DueRouting =
      target.kind === 'stream'
        ? { kind: 'to', destinations: [target], isDirect: true }
        : routeDue(message, graphs.get(target.id));
    yield { bytes, routing };
  }
}

/** It was checked when it was accepted: what cannot be routed now has no place to go. */
function routeDue({ record }: DueMessage, graph: RoutingGraph | undefined): DueRouting {
  if (graph === undefined) return { kind: 'dropped', reason: 'target_deleted' };
  for (const message of routedMessages({ records: record, count: 1 }, HOLDS_NOTHING)) {
    const routed = routeMessage(graph, message);
    if (routed.kind !== 'ok' || routed.destinations.length === 0) break;
    return { kind: 'to', destinations: routed.destinations, isDirect: false };
  }
  return { kind: 'dropped', reason: 'unroutable' };
}

function countReleased(
  { metrics, waker, clock }: Components,
  { messages, oldestDueMs, dropped, stored }: Released,
): void {
  metrics.releasedMessages.add(messages);
  metrics.releaseLateSeconds.observe(Math.max(clock.nowMs() - oldestDueMs, 0) / 1000);
  metrics.dropped.unroutable.add(dropped.unroutable);
  metrics.dropped.target_deleted.add(dropped.target_deleted);
  for (const streamId of stored) waker.wake(streamId);
}
