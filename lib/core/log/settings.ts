/**
 * The settings of a stream: which there are, what values they take, what an omitted one means.
 *
 * One table; a rule built later adds its line. Durations are kept in ms and sizes in bytes, so `24h`
 * and `1D` are the same setting (SPEC Words). Settings of queues are refused by name (SPEC T16).
 */
import type { Deduplication } from './deduplication.ts';
import {
  differenceOf,
  formatDeduplication,
  parseDeduplication,
  type ShownDeduplication,
} from './deduplication-setting.ts';
import { formatDuration, parseDuration } from './duration.ts';
import { CONSUMERS_PER_STREAM_DEFAULT, SEGMENT_BYTES_DEFAULT } from './limits.ts';

/** As in force; null for a limit that is not set (SPEC T1, T6, T8, C6). */
export interface EffectiveSettings {
  readonly max_age: number | null;
  readonly max_length: number | null;
  readonly max_length_bytes: number | null;
  readonly segment_max_bytes: number;
  readonly segment_max_age: number;
  readonly allow_drop_past_committed: boolean;
  readonly consumer_limit: number;
  /** Null: messages are not deduplicated (SPEC M1). */
  readonly deduplication: Deduplication | null;
}

export type SettingName = keyof EffectiveSettings;
export type SettingValue = number | boolean | Deduplication;

/** As declared: an absent member means its default. */
export type StreamSettings = {
  readonly [Name in SettingName]?: NonNullable<EffectiveSettings[Name]>;
};

interface SettingKind {
  readonly unit: 'messages' | 'bytes' | 'consumers' | 'duration' | 'flag' | 'deduplication';
  /** A length of 0 keeps the active segment alone; an age or a segment of 0 would never settle. */
  readonly min: number;
}

const KINDS: { readonly [Name in SettingName]: SettingKind } = {
  max_age: { unit: 'duration', min: 1 },
  max_length: { unit: 'messages', min: 0 },
  max_length_bytes: { unit: 'bytes', min: 0 },
  segment_max_bytes: { unit: 'bytes', min: 1 },
  segment_max_age: { unit: 'duration', min: 1 },
  allow_drop_past_committed: { unit: 'flag', min: 0 },
  consumer_limit: { unit: 'consumers', min: 1 },
  deduplication: { unit: 'deduplication', min: 0 },
};

export const SETTING_NAMES = Object.keys(KINDS).filter(isSettingName);

/** Settings of queues, which mean nothing on a stream (SPEC T16). */
const OF_QUEUES = new Set([
  'dead_letter_exchange',
  'dead_letter_routing_key',
  'expires',
  'delivery_limit',
  'overflow',
  'single_active_consumer',
  'max_priority',
  'message_ttl',
  'exclusive',
  'auto_delete',
  'durable',
]);

const DAY_MS = 86_400_000;
const SECOND_MS = 1_000;

export interface RejectedSetting {
  readonly kind: 'reject';
  readonly code: 'invalid_request' | 'invalid_setting';
  readonly field: string;
  readonly reason: string;
}

export type ParsedSettings =
  | {
      readonly kind: 'ok';
      readonly settings: StreamSettings;
      readonly reset: readonly SettingName[];
    }
  | RejectedSetting;

/** Reads a JSON object of settings. `reset` names those given as null: back to their default. */
export function parseSettings(members: Readonly<Record<string, unknown>>): ParsedSettings {
  const settings: { [name: string]: SettingValue } = {};
  const reset: SettingName[] = [];
  for (const [field, value] of Object.entries(members)) {
    if (!isSettingName(field)) return rejectUnknown(field);
    if (value === null) {
      reset.push(field);
      continue;
    }
    const parsed = parseValue(field, value);
    if (parsed.kind === 'reject') return parsed;
    settings[field] = parsed.value;
  }
  return { kind: 'ok', settings, reset };
}

function isSettingName(text: string): text is SettingName {
  return Object.hasOwn(KINDS, text);
}

function rejectUnknown(field: string): RejectedSetting {
  if (OF_QUEUES.has(field)) {
    const reason = `${field} has no meaning on a stream: leave it out`;
    return { kind: 'reject', code: 'invalid_setting', field, reason };
  }
  const reason = `unknown member ${JSON.stringify(field.slice(0, 64))}: the settings of a stream are ${SETTING_NAMES.join(', ')}`;
  return { kind: 'reject', code: 'invalid_request', field: field.slice(0, 64), reason };
}

function parseValue(
  field: SettingName,
  value: unknown,
): { readonly kind: 'ok'; readonly value: SettingValue } | RejectedSetting {
  const parsed = parseKind(KINDS[field], value);
  if (parsed.kind === 'ok') return parsed;
  const place = parsed.member === undefined ? field : `${field}.${parsed.member}`;
  const reason = `${place}: ${parsed.reason}`;
  return { kind: 'reject', code: 'invalid_setting', field: place, reason };
}

type ParsedValue =
  | { readonly kind: 'ok'; readonly value: SettingValue }
  | { readonly kind: 'reject'; readonly member?: string; readonly reason: string };

function parseKind({ unit, min }: SettingKind, value: unknown): ParsedValue {
  if (unit === 'flag') {
    if (typeof value === 'boolean') return { kind: 'ok', value };
    return { kind: 'reject', reason: 'give true or false' };
  }
  if (unit === 'duration') return parseAge(value, min);
  if (unit === 'deduplication') return parseDeduplication(value);
  if (Number.isSafeInteger(value) && Number(value) >= min) {
    return { kind: 'ok', value: Number(value) };
  }
  return { kind: 'reject', reason: `give an integer number of ${unit} from ${min} to 2^53 - 1` };
}

function parseAge(value: unknown, min: number): ParsedValue {
  if (typeof value !== 'string' && typeof value !== 'number') {
    const reason = 'give a duration such as "1D", or an integer number of ms';
    return { kind: 'reject', reason };
  }
  const parsed = parseDuration(value);
  if (parsed.kind === 'reject') return parsed;
  if (parsed.ms < min) return { kind: 'reject', reason: 'give a duration above 0' };
  return { kind: 'ok', value: parsed.ms };
}

/** A tenth of what retention keeps, so that a small stream really shrinks (SPEC T6). */
export function defaultSegmentMaxAgeMs(maxAgeMs: number | undefined): number {
  if (maxAgeMs === undefined) return DAY_MS;
  return Math.min(Math.max(Math.floor(maxAgeMs / 10), SECOND_MS), DAY_MS);
}

export function effectiveSettings(settings: StreamSettings): EffectiveSettings {
  const { max_age = null, max_length = null, max_length_bytes = null } = settings;
  return {
    max_age,
    max_length,
    max_length_bytes,
    segment_max_bytes: settings.segment_max_bytes ?? SEGMENT_BYTES_DEFAULT,
    segment_max_age: settings.segment_max_age ?? defaultSegmentMaxAgeMs(max_age ?? undefined),
    allow_drop_past_committed: settings.allow_drop_past_committed ?? false,
    consumer_limit: settings.consumer_limit ?? CONSUMERS_PER_STREAM_DEFAULT,
    deduplication: settings.deduplication ?? null,
  };
}

export type ShownSetting = number | string | boolean | null | ShownDeduplication;

/** How a value is shown: sizes as integers, durations in their largest exact unit. */
export function formatSetting(name: SettingName, value: SettingValue | null): ShownSetting {
  if (isObject(value)) return formatDeduplication(value);
  if (typeof value !== 'number') return value;
  return KINDS[name].unit === 'duration' ? formatDuration(value) : value;
}

/** For stores that keep numbers: a flag is 1 or 0. */
export function settingFromNumber(name: SettingName, value: number): SettingValue {
  return KINDS[name].unit === 'flag' ? value === 1 : value;
}

export interface SettingDifference {
  /** The setting, or a member of it: `deduplication.cache_size`. */
  readonly field: string;
  readonly expected: ShownSetting;
  readonly actual: ShownSetting;
}

/** The first setting in which what was asked for differs from what is in force (SPEC T17). */
export function firstDifference(
  wanted: StreamSettings,
  existing: StreamSettings,
): SettingDifference | undefined {
  const [asked, inForce] = [effectiveSettings(wanted), effectiveSettings(existing)];
  for (const field of SETTING_NAMES) {
    const [expected, actual] = [asked[field], inForce[field]];
    const difference =
      isObject(expected) && isObject(actual)
        ? memberDifference(field, differenceOf(expected, actual))
        : valueDifference(field, expected, actual);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function isObject(value: SettingValue | null): value is Deduplication {
  return typeof value === 'object' && value !== null;
}

function memberDifference(
  setting: SettingName,
  difference: ReturnType<typeof differenceOf>,
): SettingDifference | undefined {
  if (difference === undefined) return undefined;
  const { member, expected, actual } = difference;
  return { field: `${setting}.${member}`, expected, actual };
}

function valueDifference(
  field: SettingName,
  expected: SettingValue | null,
  actual: SettingValue | null,
): SettingDifference | undefined {
  if (expected === actual) return undefined;
  return { field, expected: formatSetting(field, expected), actual: formatSetting(field, actual) };
}

/** The settings after a change: what is named replaces, an object as a whole, null takes back, all else stays. */
export function applyChange(
  existing: StreamSettings,
  change: { readonly settings: StreamSettings; readonly reset: readonly SettingName[] },
): StreamSettings {
  const merged = { ...existing, ...change.settings };
  return Object.fromEntries(
    SETTING_NAMES.filter((name) => !change.reset.includes(name))
      .map((name) => [name, merged[name]])
      .filter(([, value]) => value !== undefined),
  );
}
