/** Publishers without a name: each request is sent once, some under conditions, some several together. */

import { publish } from '../oracle/check-outcomes.ts';
import type { Request } from '../oracle/oracle.ts';
import { newStreamId } from './new-stream-id.ts';
import type { Stage } from './stage.ts';

const COUNT_END = 3;
const TOGETHER_END = 4;

export async function writeUnnamed(stage: Stage): Promise<void> {
  const { chance, oracle } = stage;
  const together = chance.percent(25) ? 1 + chance.below(TOGETHER_END) : 1;
  const requests: Request[] = [];
  for (let count = 0; count < together; count++) requests.push(await request(stage));
  await stage.call(({ log }) => publish(oracle, log, requests));
}

/** By a service that stands still between any two steps. */
export async function writeSlowly(stage: Stage): Promise<void> {
  const { oracle } = stage;
  const wanted = { stream: stage.stream(), count: 1, timeMs: stage.nowMs() };
  await stage.callSlow(({ log }) => publish(oracle, log, [wanted]));
}

async function request(stage: Stage): Promise<Request> {
  const { chance } = stage;
  const stream = stage.stream();
  const heard = chance.percent(30) ? await stage.call(({ log }) => log.tail(stream)) : undefined;
  const tail = heard?.kind === 'answer' ? heard.result : undefined;
  return {
    stream,
    count: 1 + chance.below(COUNT_END),
    timeMs: stage.nowMs(),
    ...(chance.percent(50) && { createAs: newStreamId(stage) }),
    ...(tail && chance.percent(60) && { expectedOffset: tail.next }),
    ...(tail?.fencingToken !== undefined && { fencingToken: tail.fencingToken }),
  };
}
