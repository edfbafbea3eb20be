/** Publishers of messages that carry one of a few values, so that each is sent by several at a time, and again. */
import type { StreamSettings } from '../../../lib/core/log/settings.ts';
import { publish } from '../oracle/check-outcomes.ts';
import { VALUE_HEADER } from '../oracle/message-body.ts';
import type { Request } from '../oracle/oracle.ts';
import { saveSettings } from './change-streams.ts';
import type { Stage } from './stage.ts';

const VALUES = 'ABCDEFGH';
const COUNT_END = 3;
const TOGETHER_END = 3;
const REPEATS_END = 3;
/** With small limits the tail keeps three. */
const SIZES = [2, 3, 4, 6];

export async function writeValues(stage: Stage): Promise<void> {
  const { chance, oracle } = stage;
  const together = chance.percent(25) ? 1 + chance.below(TOGETHER_END) : 1;
  const wanted = Array.from({ length: together }, () => request(stage));
  for (let repeats = 1 + chance.below(REPEATS_END); repeats > 0; repeats--) {
    const requests = wanted.map((one) => ({ ...one, timeMs: stage.nowMs() }));
    await stage.call(({ log }) => publish(oracle, log, requests));
    await stage.pause(chance.below(200));
  }
}

function request(stage: Stage): Request {
  const { chance } = stage;
  const count = 1 + chance.below(COUNT_END);
  const values = Array.from({ length: count }, () =>
    chance.percent(85) ? VALUES[chance.below(VALUES.length)] : undefined,
  );
  return { stream: stage.stream(), count, values, timeMs: stage.nowMs() };
}

export function someCache({ chance }: Stage): StreamSettings {
  const cache_size = SIZES[chance.below(SIZES.length)] ?? 1;
  return { deduplication: { header: VALUE_HEADER, cache_size, cache_ttl: null } };
}

export async function changeCache(stage: Stage): Promise<void> {
  await saveSettings(stage, someCache(stage));
}
