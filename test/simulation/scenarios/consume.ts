/** Consumers: some only acknowledge, some set what they like, some are forgotten; and the limit on them changes. */
import type { OffsetChange } from '../../../lib/core/consumers/stored-offset.ts';
import { offset } from '../../../lib/core/log/ids.ts';
import type { StreamSettings } from '../../../lib/core/log/settings.ts';
import { consumerName } from '../../support/batches.ts';
import { RAISING } from '../oracle/stored-consumers.ts';
import { saveSettings } from './change-streams.ts';
import type { Stage } from './stage.ts';

/** So few that several clients are the same consumer, more than most limits. */
const NAMES_END = 5;
const LIMIT_END = 5;
/** A few that are not there yet. */
const BEYOND = 2;

export async function acknowledge(stage: Stage): Promise<void> {
  await change(stage, 'raise', `${RAISING}${stage.chance.below(NAMES_END)}`);
}

export async function setOffset(stage: Stage): Promise<void> {
  await change(stage, stage.chance.percent(70) ? 'set' : 'raise', someSetter(stage));
}

export async function forget(stage: Stage): Promise<void> {
  const name = consumerName(someSetter(stage));
  const stream = stage.stream();
  await stage.call(async ({ log, consumers }) => {
    const state = await log.tail(stream);
    if (state !== undefined) await consumers.remove(state.streamId, name);
  });
}

export async function lookUp(stage: Stage): Promise<void> {
  const name = consumerName(`${RAISING}${stage.chance.below(NAMES_END)}`);
  const stream = stage.stream();
  await stage.call(async ({ log, consumers }) => {
    const state = await log.tail(stream);
    if (state !== undefined) await consumers.load(state.streamId, name);
  });
}

export function someConsumerLimit({ chance }: Pick<Stage, 'chance'>): StreamSettings {
  return chance.percent(20) ? {} : { consumer_limit: 1 + chance.below(LIMIT_END) };
}

export function changeConsumerLimit(stage: Stage): Promise<void> {
  return saveSettings(stage, someConsumerLimit(stage));
}

export function changeConsumerLimitSlowly(stage: Stage): Promise<void> {
  return saveSettings(stage, someConsumerLimit(stage), (work) => stage.callSlow(work));
}

function someSetter({ chance }: Stage): string {
  return `s${chance.below(NAMES_END)}`;
}

/** As the service does: it looks at the stream, and at its own clock. */
async function change(stage: Stage, kind: OffsetChange['kind'], name: string): Promise<void> {
  const { chance } = stage;
  const stream = stage.stream();
  const share = chance.below(101);
  await stage.call(async ({ log, consumers, process: { clock } }) => {
    const state = await log.tail(stream);
    if (state === undefined) return;
    const next = offset(Math.floor(((state.next + BEYOND) * share) / 100));
    const wanted = { kind, next, nowMs: clock.nowMs() };
    await consumers.save(state.streamId, consumerName(name), wanted);
  });
}
