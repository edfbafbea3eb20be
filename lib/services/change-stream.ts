/** Changes settings of a stream; what it does not name stays as it is (SPEC T5, api PATCH). */
import type { StreamName } from '../core/log/ids.ts';
import { applyChange, type SettingName, type StreamSettings } from '../core/log/settings.ts';
import type { Components } from './components.ts';
import { describeStream, type StreamDescription } from './describe-stream.ts';
import { LogError, streamNotFound } from './log-error.ts';

/** Each failed attempt means that somebody else's change was saved. */
const ATTEMPTS_MAX = 8;

export interface SettingsChange {
  readonly settings: StreamSettings;
  readonly reset: readonly SettingName[];
}

export async function changeStream(
  components: Components,
  name: StreamName,
  change: SettingsChange,
): Promise<StreamDescription> {
  const { catalog } = components;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const entry = await catalog.load(name);
    if (entry === undefined) throw streamNotFound(name);

    const settings = applyChange(entry.settings, change);
    const saved = await catalog.saveSettings(entry.streamId, {
      settings,
      expected: entry.revision,
    });
    if (saved) return await describeStream(components, name);
  }
  throw new LogError('the settings are being changed by others: try again', {
    code: 'unavailable',
  });
}
