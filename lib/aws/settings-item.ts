/**
 * The settings of a stream: r revision, d their values. Written before the tail's epoch is raised to the
 * revision (PROTOCOL R11); commits are judged under the revision that the tail knows.
 */
import type { StreamId } from '../core/log/ids.ts';
import { SETTING_NAMES, type StreamSettings, settingFromNumber } from '../core/log/settings.ts';
import { mapOf, mapValue, numberOf, numberValue, textValue } from './attribute.ts';
import type { Item } from './table.ts';
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
      Object.entries(settings).map(([name, value]) => [name, numberValue(Number(value))]),
    ),
  );
}

export function decodeSettings(item: Item): StoredSettings {
  const stored = mapOf(item, 'd');
  const names = SETTING_NAMES.filter((name) => stored[name] !== undefined);
  return {
    revision: numberOf(item, 'r'),
    settings: Object.fromEntries(
      names.map((name) => [name, settingFromNumber(name, numberOf(stored, name))]),
    ),
  };
}
