/** Describes a stream: its settings, what is in force and why, and what is retained. */
import type { Offset, StreamId, StreamName } from '../core/log/ids.ts';
import {
  effectiveSettings,
  formatSetting,
  SETTING_NAMES,
  type SettingName,
  type ShownSetting,
  type StreamSettings,
} from '../core/log/settings.ts';
import type { StreamEntry } from '../ports/catalog.ts';
import type { Components } from './components.ts';
import { explainRetention, type RetentionExplanation } from './explain-retention.ts';
import { streamNotFound } from './log-error.ts';

export interface StreamDescription {
  readonly name: StreamName;
  readonly streamId: StreamId;
  readonly createdMs: number;
  readonly settings: { readonly [name: string]: ShownSetting };
  readonly effectiveSettings: {
    readonly [name: string]: {
      readonly value: ShownSetting;
      readonly source: 'argument' | 'default';
    };
  };
  readonly first: Offset;
  readonly next: Offset;
  readonly messages: number;
  /** Logical bytes of the segments that hold a retained message. */
  readonly bytes: number;
  readonly segments: number;
  readonly oldestMs: number | null;
  readonly retention: RetentionExplanation;
}

export async function describeStream(
  { catalog, log, clock }: Pick<Components, 'catalog' | 'log' | 'clock'>,
  name: StreamName,
): Promise<StreamDescription> {
  const [entry, state] = await Promise.all([catalog.load(name), log.tail(name)]);
  if (entry === undefined || state === undefined) throw streamNotFound(name);

  const usage = await log.usage(state.streamId);
  return {
    ...describeEntry(entry),
    first: state.first,
    next: state.next,
    messages: state.next - state.first,
    bytes: usage.bytes,
    segments: usage.segments,
    oldestMs: usage.oldestMs ?? null,
    retention: explainRetention(usage.oldest, {
      settings: effectiveSettings(entry.settings),
      next: state.next,
      bytes: state.bytes,
      nowMs: clock.nowMs(),
      holders: [],
    }),
  };
}

/** What the catalog alone knows: enough for a list. */
export function describeEntry({ name, streamId, createdMs, settings }: StreamEntry) {
  return {
    name,
    streamId,
    createdMs,
    settings: shownSettings(settings),
    effectiveSettings: shownEffective(settings),
  };
}

function shownSettings(settings: StreamSettings): { [name: string]: ShownSetting } {
  return shown((name) => {
    const value = settings[name];
    return value === undefined ? undefined : formatSetting(name, value);
  });
}

function shownEffective(settings: StreamSettings) {
  const inForce = effectiveSettings(settings);
  return shown((name) => ({
    value: formatSetting(name, inForce[name]),
    source: settings[name] === undefined ? ('default' as const) : ('argument' as const),
  }));
}

function shown<Value>(show: (name: SettingName) => Value | undefined): { [name: string]: Value } {
  const members: { [name: string]: Value } = {};
  for (const name of SETTING_NAMES) {
    const value = show(name);
    if (value !== undefined) members[name] = value;
  }
  return members;
}
