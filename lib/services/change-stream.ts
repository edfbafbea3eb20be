/**
 * Changes settings of a stream; what it does not name stays as it is. The answer tells what is retained under the
 * new ones already (SPEC T5).
 */
import type { StreamName } from '../core/log/ids.ts';
import { applyChange, type SettingName, type StreamSettings } from '../core/log/settings.ts';
import { StoreError } from '../ports/store-error.ts';
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
  const { catalog, log, clock, waker } = components;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const entry = await catalog.load(name);
    if (entry === undefined) throw streamNotFound(name);

    const settings = applyChange(entry.settings, change);
    const saved = await catalog.saveSettings(entry.streamId, {
      settings,
      expected: entry.revision,
    });
    if (!saved) continue;
    const retained = await log.retain(entry.streamId, clock.nowMs()).catch(settingsSaved);
    // A follower that stands below the new first tells its reader of the gap now (SPEC O16).
    if (retained !== undefined && retained.dropped > 0) waker.wake(entry.streamId);
    return await describeStream(components, name).catch(settingsSaved);
  }
  throw new LogError('the settings are being changed by others: try again', {
    code: 'unavailable',
  });
}

/** Retention is looked at again later, but the change has been made (SPEC P7). */
function settingsSaved(cause: unknown): never {
  if (!(cause instanceof StoreError)) throw cause;
  throw new StoreError(cause.message, { kind: cause.kind, sideEffects: 'possible', cause });
}
