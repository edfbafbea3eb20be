/** Declares a stream: creates it, or confirms that it exists as asked for (SPEC T13, T17). */
import { type StreamName, streamId } from '../core/log/ids.ts';
import { firstDifference, type ShownSetting, type StreamSettings } from '../core/log/settings.ts';
import type { Components } from './components.ts';
import { describeStream, type StreamDescription } from './describe-stream.ts';
import { LogError } from './log-error.ts';

/** A creation that lost to another one finds that one at the next try, unless it was deleted again. */
const ATTEMPTS_MAX = 8;

export interface Declaration {
  readonly created: boolean;
  readonly description: StreamDescription;
}

/** `wanted` is undefined when the declaration only says that the stream is to exist. */
export async function declareStream(
  components: Components,
  name: StreamName,
  wanted: StreamSettings | undefined,
): Promise<Declaration> {
  const { catalog, clock, random } = components;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const existing = await catalog.load(name);
    if (existing !== undefined) {
      if (wanted !== undefined) refuseDifference(wanted, existing.settings);
      return { created: false, description: await describeStream(components, name) };
    }
    const created = await catalog.create({
      name,
      streamId: streamId(random.hex128()),
      settings: wanted ?? {},
      createdMs: clock.nowMs(),
    });
    if (created) return { created, description: await describeStream(components, name) };
  }
  throw new LogError('the stream is being created and deleted by others: try again', {
    code: 'unavailable',
  });
}

function refuseDifference(wanted: StreamSettings, existing: StreamSettings): void {
  const difference = firstDifference(wanted, existing);
  if (difference === undefined) return;

  const { field, expected, actual } = difference;
  throw new LogError(
    `the stream exists with ${field} ${told(actual)}, not ${told(expected)}: change it with PATCH`,
    {
      code: 'settings_mismatch',
      details: { field, expected: plain(expected), actual: plain(actual) },
    },
  );
}

/** An object as its text: members of a problem are plain values. */
function plain(value: ShownSetting) {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

function told(value: ShownSetting): string {
  return String(plain(value));
}
