/**
 * The settings of a stream: r revision, d their values. Written before the tail's epoch is raised to the
 * revision (PROTOCOL R11); commits are judged under the revision that the tail knows.
 */

import type { Deduplication } from '../core/log/deduplication.ts';
import type { StreamId } from '../core/log/ids.ts';
import {
  SETTING_NAMES,
  type SettingName,
  type SettingValue,
  type StreamSettings,
  settingFromNumber,
} from '../core/log/settings.ts';
import { mapOf, mapValue, numberOf, numberValue, textOf, textValue } from './attribute.ts';
import type { Attribute, Item } from './table.ts';
import { settingsKey } from './table-key.ts';

export interface StoredSettings {
  readonly revision: number;
  readonly settings: StreamSettings;
}

export function encodeSettings(id: StreamId, { revision, settings }: StoredSettings): Item {
  const { k, s } = settingsKey(id);
  return {
    k: textValue(k),
    s: textValue(s),
    r: numberValue(revision),
    d: settingsValue(settings),
  };
}

export function settingsValue(settings: StreamSettings) {
  return mapValue(
    Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [name, settingValue(value)]),
    ),
  );
}

function settingValue(value: SettingValue): Attribute {
  if (typeof value !== 'object') return numberValue(Number(value));
  const { header, cache_size, cache_ttl } = value;
  return mapValue({
    header: textValue(header),
    cache_size: numberValue(cache_size),
    ...(cache_ttl !== null && { cache_ttl: numberValue(cache_ttl) }),
  });
}

function decodeSetting(stored: Item, name: SettingName): SettingValue {
  return name === 'deduplication'
    ? decodeDeduplication(mapOf(stored, name))
    : settingFromNumber(name, numberOf(stored, name));
}

function decodeDeduplication(stored: Item): Deduplication {
  return {
    header: textOf(stored, 'header'),
    cache_size: numberOf(stored, 'cache_size'),
    cache_ttl: stored['cache_ttl'] === undefined ? null : numberOf(stored, 'cache_ttl'),
  };
}

export function decodeSettings(item: Item): StoredSettings {
  const stored = mapOf(item, 'd');
  const names = SETTING_NAMES.filter((name) => stored[name] !== undefined);
  return {
    revision: numberOf(item, 'r'),
    settings: Object.fromEntries(names.map((name) => [name, decodeSetting(stored, name)])),
  };
}
