/** Owners of streams: they trim, set tokens and settings, delete and create. */
import { offset, type StreamName } from '../../../lib/core/log/ids.ts';
import type { StreamSettings } from '../../../lib/core/log/settings.ts';
import type { StreamState } from '../../../lib/core/log/stream-state.ts';
import { createPrometheusMeter } from '../../../lib/http/prometheus-meter.ts';
import { createLocalWaker } from '../../../lib/process/local-waker.ts';
import { createComponents } from '../../../lib/services/create-components.ts';
import { declareStream } from '../../../lib/services/declare-stream.ts';
import { createLogMetrics } from '../../../lib/services/log-metrics.ts';
import { BODY_BYTES } from '../oracle/message-body.ts';
import type { Service } from './service.ts';
import type { Stage } from './stage.ts';

const TOKENS = [undefined, 'a', 'b'];
const SEGMENT_MESSAGES_END = 6;
const LONG_MESSAGES_END = 10;
const LENGTH_END = 12;
/** Some of it passes while a scenario plays, the rest behind it. */
const AGE_MS_END = 60_000;
const LONG_AGE_MS_END = 5 * 3_600_000;

export async function trim(stage: Stage): Promise<void> {
  const { chance } = stage;
  const tail = await tailOf(stage, stage.stream());
  if (tail === undefined) return;
  const { streamId, first, next } = tail;
  const before = chance.percent(15) ? 'next' : offset(first + chance.below(next - first + 1));
  await stage.call(async ({ log }) => log.trim(streamId, before));
}

export async function setToken(stage: Stage): Promise<void> {
  const { chance } = stage;
  const tail = await tailOf(stage, stage.stream());
  if (tail === undefined) return;
  const token = TOKENS[chance.below(TOKENS.length)];
  await stage.call(({ log }) => log.setFencingToken(tail.streamId, token));
}

export async function saveSettings(
  stage: Stage,
  settings: StreamSettings,
  call: Stage['call'] = (work) => stage.call(work),
): Promise<void> {
  const name = stage.stream();
  await call(async ({ catalog }) => {
    const entry = await catalog.load(name);
    if (entry === undefined) return;
    await catalog.saveSettings(entry.streamId, { settings, expected: entry.revision });
  });
}

export async function deleteStream(stage: Stage): Promise<void> {
  const name = stage.stream();
  await stage.call(async ({ catalog }) => {
    const entry = await catalog.load(name);
    if (entry !== undefined) await catalog.remove(name, entry.streamId);
  });
}

export async function createStream(stage: Stage): Promise<void> {
  const name = stage.stream();
  const settings = someSettings(stage);
  await stage.call((service) => declare(service, name, settings));
}

export async function declare(
  { process: { clock, random }, ...store }: Service,
  name: StreamName,
  settings: StreamSettings,
): Promise<void> {
  const waker = createLocalWaker();
  const metrics = createLogMetrics(createPrometheusMeter());
  const defer = (run: () => void) => run();
  const own = { clock, random, metrics, defer };
  await declareStream(createComponents({ store: { ...store, waker }, ...own }), name, settings);
}

/** A segment of one message, of a few, or one that is never full. */
export function someSettings({ chance }: Pick<Stage, 'chance'>): StreamSettings {
  if (chance.percent(20)) return {};
  return { segment_max_bytes: 1 + chance.below(SEGMENT_MESSAGES_END) * BODY_BYTES };
}

/** Segments of some pieces each. */
export function longSegments({ chance }: Pick<Stage, 'chance'>): StreamSettings {
  return { segment_max_bytes: 1 + (4 + chance.below(LONG_MESSAGES_END)) * BODY_BYTES };
}

/** A segment of each publish, kept for ever. */
export function shortSegments(): StreamSettings {
  return { segment_max_bytes: 1 };
}

/** Limits of all kinds, or none; segments of a few messages. */
export function someLimits({ chance }: Pick<Stage, 'chance'>): StreamSettings {
  return {
    segment_max_bytes: 1 + chance.below(SEGMENT_MESSAGES_END) * BODY_BYTES,
    ...(chance.percent(50) && {
      max_age: 1 + chance.below(chance.percent(50) ? AGE_MS_END : LONG_AGE_MS_END),
    }),
    ...(chance.percent(40) && { max_length: chance.below(LENGTH_END) }),
    ...(chance.percent(30) && { max_length_bytes: chance.below(LENGTH_END) * BODY_BYTES }),
  };
}

/** By the settings of the scenario: those of a stream that is there, whoever else changes them. */
export function changeLimits(stage: Stage): Promise<void> {
  return saveSettings(stage, someLimits(stage));
}

/** By a service that stands still between any two steps. */
export function changeLimitsSlowly(stage: Stage): Promise<void> {
  return saveSettings(stage, someLimits(stage), (work) => stage.callSlow(work));
}

export function changeSettings(stage: Stage): Promise<void> {
  return saveSettings(stage, someSettings(stage));
}

async function tailOf(stage: Stage, name: StreamName): Promise<StreamState | undefined> {
  const heard = await stage.call(({ log }) => log.tail(name));
  return heard.kind === 'answer' ? heard.result : undefined;
}
