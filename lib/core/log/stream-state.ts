/**
 * The hot state of a stream: all that a commit reads and changes, small enough for one item.
 * Values only; every change makes a new one.
 */
import { assert } from '../assert.ts';
import { type Offset, offset, type StreamId } from './ids.ts';
import type { ActiveSegment } from './segment.ts';
import type { StreamSettings } from './settings.ts';

export interface StreamState {
  readonly streamId: StreamId;
  readonly settings: StreamSettings;
  /** Rises with every change of the settings. */
  readonly revision: number;
  /** First retained offset, and the one that the next message gets: [first, next) can be read. */
  readonly first: Offset;
  readonly next: Offset;
  /** Where the newest chunk begins that was ever stored (SPEC O2). */
  readonly lastChunk: Offset;
  /** Timestamp of the newest message, and so the least that the next one can get (SPEC O18). */
  readonly timeMs: number;
  /** Logical bytes of all messages ever stored. */
  readonly bytes: number;
  readonly segment?: ActiveSegment;
  readonly fencingToken?: string;
}

export function newStreamState(streamId: StreamId, settings: StreamSettings): StreamState {
  const zero = offset(0);
  return {
    streamId,
    settings,
    revision: 1,
    first: zero,
    next: zero,
    lastChunk: zero,
    timeMs: 0,
    bytes: 0,
  };
}

/** Moves `first` up to `before`, never down and never past `next` (SPEC T11). */
export function applyTrim(state: StreamState, before: Offset): StreamState {
  assert(before <= state.next, () => `a trim before ${before} is above next ${state.next}`);
  return before <= state.first ? state : { ...state, first: before };
}

/** `undefined` takes the token away. */
export function applyFencingToken(state: StreamState, token: string | undefined): StreamState {
  const { fencingToken: _, ...rest } = state;
  return token === undefined ? rest : { ...rest, fencingToken: token };
}
