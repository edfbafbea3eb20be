/**
 * Wakes readers that wait at the end of a stream (SPEC LR2). A hint, never a fact: a reader that was
 * woken reads again, and one that was not woken may still find something.
 */
import type { StreamId } from '../core/log/ids.ts';

export interface Waker {
  /** Wakes everyone who watches: after a commit, a trim, a deletion. */
  wake(streamId: StreamId): void;

  /** Counts from now on: begin to watch before the read that may find nothing. */
  watch(streamId: StreamId): Watch;
}

export interface Watch {
  /** Resolves when the stream was woken since the last call (or since `watch`), or `signal` aborts. */
  changed(signal: AbortSignal): Promise<void>;

  /** Frees what the watch holds; must be called once. */
  close(): void;
}
