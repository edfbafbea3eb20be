/** Owners of streams: they trim, set tokens and settings, delete and create. */
import { offset, type StreamName } from '../../../lib/core/log/ids.ts';
import type { StreamSettings } from '../../../lib/core/log/settings.ts';
import type { StreamState } from '../../../lib/core/log/stream-state.ts';
import { createPrometheusMeter } from '../../../lib/http/prometheus-meter.ts';
import { createLocalWaker } from '../../../lib/process/local-waker.ts';
import { createAppendQueue } from '../../../lib/services/append-queue.ts';
import { declareStream } from '../../../lib/services/declare-stream.ts';
import { createLogMetrics } from '../../../lib/services/log-metrics.ts';
import { BODY_BYTES } from '../oracle/message-body.ts';
import type { Service } from './service.ts';
import type { Stage } from './stage.ts';

const TOKENS = [undefined, 'a', 'b'];
const SEGMENT_MESSAGES_END = 6;

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

export async function changeSettings(stage: Stage): Promise<void> {
  const name = stage.stream();
  const settings = someSettings(stage);
  await stage.call(async ({ catalog }) => {
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
  { log, catalog, process: { clock, random } }: Service,
  name: StreamName,
  settings: StreamSettings,
): Promise<void> {
  const waker = createLocalWaker();
  const appends = createAppendQueue({ log, waker, defer: (run) => run() });
  const metrics = createLogMetrics(createPrometheusMeter());
  await declareStream({ log, catalog, appends, clock, random, waker, metrics }, name, settings);
}

/** A segment of one message, of a few, or one that is never full. */
export function someSettings({ chance }: Pick<Stage, 'chance'>): StreamSettings {
  if (chance.percent(20)) return {};
  return { segment_max_bytes: 1 + chance.below(SEGMENT_MESSAGES_END) * BODY_BYTES };
}

async function tailOf(stage: Stage, name: StreamName): Promise<StreamState | undefined> {
  const heard = await stage.call(({ log }) => log.tail(name));
  return heard.kind === 'answer' ? heard.result : undefined;
}
