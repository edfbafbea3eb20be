/** Loads a stream's state for a request, or refuses: missing, or another incarnation (SPEC O15). */
import type { StreamName } from '../core/log/ids.ts';
import type { StreamState } from '../core/log/stream-state.ts';
import type { LogStore } from '../ports/log-store.ts';
import { LogError, streamNotFound } from './log-error.ts';

export async function loadStream(
  { log }: { readonly log: LogStore },
  stream: StreamName,
  ifStreamId?: string,
): Promise<StreamState> {
  const state = await log.tail(stream);
  if (state === undefined) throw streamNotFound(stream);
  if (ifStreamId === undefined || ifStreamId === state.streamId) return state;

  throw new LogError(
    `stream ${JSON.stringify(stream)} was deleted and created again: it is another one, and starts at 0`,
    { code: 'stream_recreated', details: { expected: ifStreamId, actual: state.streamId } },
  );
}
