/**
 * Lets readers fetch stored objects themselves, past the service: by URLs that whoever has them may read by,
 * until they expire. For stores whose objects can be reached so.
 */
import type { Offset } from '../core/log/ids.ts';
import type { ChunkRange } from './log-store.ts';

export interface DirectObject {
  /** What it is: the chunks of one commit, or a piece of a packed segment (FORMAT.md). */
  readonly kind: 'chunks' | 'segment';
  /** Its messages have offsets [start, end); their timestamps are at least `timeBelowMs` (SPEC O18). */
  readonly start: Offset;
  readonly end: Offset;
  readonly timeBelowMs: number;
  readonly url: string;
}

export interface DirectReads {
  /**
   * Whole objects, consecutive, the first of them holding `from`, as many as one plan may name (SPEC LR7);
   * none when it is gone (SPEC O16).
   */
  plan(range: ChunkRange, expiresSeconds: number): Promise<readonly DirectObject[]>;
}
