/** A stream as it was at some moment: its tail, and the settings of the tail's epoch. */
import type { StreamName } from '../core/log/ids.ts';
import type { StreamSettings } from '../core/log/settings.ts';
import type { StreamState } from '../core/log/stream-state.ts';
import { newestTimeMs } from './placed-refs.ts';
import type { Tail } from './tail-item.ts';

export interface KnownStream {
  readonly name: StreamName;
  readonly tail: Tail;
  readonly settings: StreamSettings;
}

export function streamStateOf({ tail, settings }: KnownStream): StreamState {
  return {
    streamId: tail.streamId,
    settings,
    revision: tail.epoch,
    first: tail.first,
    next: tail.next,
    lastChunk: tail.lastChunk,
    timeMs: newestTimeMs(tail),
    bytes: tail.bytes,
    ...(tail.segment && { segment: tail.segment }),
    ...(tail.fencingToken !== undefined && { fencingToken: tail.fencingToken }),
  };
}
