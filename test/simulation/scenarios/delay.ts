/** Delayed messages: accepted alone, together and with others, cancelled, and released by several at a time. */
import type { Delay } from '../../../lib/core/log/append.ts';
import type { StreamDestination } from '../../../lib/core/routing/route.ts';
import { dueMsOf, heldId } from '../../../lib/core/timer/held-id.ts';
import {
  type DueRouting,
  planRelease,
  type ReleasePlan,
} from '../../../lib/core/timer/release-plan.ts';
import type { DueMessage } from '../../../lib/ports/timers.ts';
import { publisherName } from '../../support/batches.ts';
import { publish } from '../oracle/check-outcomes.ts';
import { BODY_BYTES } from '../oracle/message-body.ts';
import type { Request } from '../oracle/oracle.ts';
import { demand } from '../oracle/violation.ts';
import { newStreamId } from './new-stream-id.ts';
import type { Service } from './service.ts';
import type { Stage } from './stage.ts';

const COUNT_END = 4;
const DELAY_MS_END = 4_000;
const REPEATS_MAX = 40;
/** `{"v":"A"}`: with it a message is too large for an item. */
const VALUE_BYTES = 9;
const ROUTES = ['own', 'own', 'all', 'all', 'none'] as const;

export async function hold(stage: Stage): Promise<void> {
  const { chance, oracle } = stage;
  const stream = stage.stream();
  const together = chance.percent(20) ? 2 : 1;
  const requests = Array.from({ length: together }, () => requestOf(stage, stream));
  await stage.call(({ log }) => publish(oracle, log, requests));
}

/** By itself, which is one put, and nothing else is assumed. */
export async function holdOne(stage: Stage): Promise<void> {
  const { oracle } = stage;
  const request = { ...requestOf(stage, stage.stream(), { count: 1 }), values: [undefined] };
  const delays = request.delays?.map((delay) => ({ ...delay, bytes: BODY_BYTES })) ?? [];
  await stage.call(({ log }) => publish(oracle, log, [{ ...request, delays }]));
}

/** One request, sent again until it is known to be accepted; the ids of its messages are new each time. */
export async function holdNamed(stage: Stage): Promise<void> {
  const { chance, oracle } = stage;
  const stream = stage.stream();
  const name = publisherName(`h${stage.newNumber()}`);
  const count = 1 + chance.below(COUNT_END);
  const publisher = { name, ids: Array.from({ length: count }, (_, index) => index + 1) };
  const share = chance.percent(50) ? 100 : 50;
  for (let repeats = 0; repeats < REPEATS_MAX; repeats++) {
    const request = { ...requestOf(stage, stream, { count, share }), publisher };
    const heard = await stage.call(({ log }) => publish(oracle, log, [request]));
    if (heard.kind === 'answer' && heard.result.every(({ kind }) => kind !== 'reject')) return;
    await stage.pause(chance.below(500));
  }
}

function requestOf(
  stage: Stage,
  stream: Request['stream'],
  wanted: { readonly count?: number; readonly share?: number } = {},
): Request {
  const { chance } = stage;
  const { count = 1 + chance.below(COUNT_END), share = chance.percent(60) ? 100 : 50 } = wanted;
  const values = Array.from({ length: count }, () => (chance.percent(30) ? 'A' : undefined));
  const delays = values.flatMap((value, index): Delay[] => {
    if (index > 0 && !chance.percent(share)) return [];
    const bytes = BODY_BYTES + (value === undefined ? 0 : VALUE_BYTES);
    return [{ index, id: newHeldId(stage), bytes }];
  });
  const create = chance.percent(20) && { createAs: newStreamId(stage) };
  return { stream, count, values, delays, timeMs: stage.nowMs(), ...create };
}

function newHeldId(stage: Stage) {
  const dueMs = stage.nowMs() + stage.chance.below(DELAY_MS_END);
  return heldId(dueMs, stage.newNumber().toString(16).padStart(32, '0'));
}

export async function cancelHeld(stage: Stage): Promise<void> {
  const there = stage.oracle.held.there();
  const fate = there[stage.chance.below(Math.max(there.length, 1))];
  if (fate === undefined) return;
  fate.mayBeCancelled = true;
  await stage.call(async ({ timers }) => {
    if (await timers.cancel(fate.delay.id)) fate.cancelled();
  });
}

export async function rebind({ oracle, chance }: Stage): Promise<void> {
  oracle.held.routes = ROUTES[chance.below(ROUTES.length)] ?? 'own';
}

export async function release(stage: Stage): Promise<void> {
  await stage.call((service) => releaseBy(stage, service));
}

/** By a service that stands still between any two steps. */
export async function releaseSlowly(stage: Stage): Promise<void> {
  await stage.callSlow((service) => releaseBy(stage, service));
}

/** True when nothing is left to do. */
export async function releaseBy(stage: Stage, service: Service): Promise<boolean> {
  const { clock } = service.process;
  let latestMs = 0;
  const { failed, nextDueMs } = await service.timers.release({
    nowMs() {
      const nowMs = clock.nowMs();
      latestMs = Math.max(latestMs, nowMs);
      return nowMs;
    },
    async plan(due) {
      const early = due.find(({ id }) => dueMsOf(id) > latestMs);
      demand(early === undefined, 'RELEASED_EARLY', () => `${early?.id} at ${latestMs}`);
      return planBy(stage, due);
    },
    released: () => {},
    signal: new AbortController().signal,
  });
  return failed === 0 && nextDueMs === undefined;
}

function planBy({ oracle, streams }: Stage, due: readonly DueMessage[]): ReleasePlan {
  const { routes } = oracle.held;
  const all = streams.flatMap((name): StreamDestination[] => {
    const live = oracle.stored.live(name);
    return live === undefined ? [] : [{ name, id: live.streamId }];
  });
  const routing = ({ target }: DueMessage): DueRouting => {
    if (routes === 'none' || target.kind !== 'stream')
      return { kind: 'dropped', reason: 'unroutable' };
    const destinations = routes === 'own' ? [target] : all;
    return { kind: 'to', destinations, isDirect: true };
  };
  return planRelease(due.map((one) => ({ bytes: one.bytes, routing: routing(one) })));
}
