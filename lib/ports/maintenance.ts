/** Work that a store leaves for later: done by whoever runs now and then, a little at a time. */
import type { StreamId } from '../core/log/ids.ts';

/** What work that is due came to: told by whoever does it, logged where it was started. */
export interface WorkReport {
  readonly done: number;
  /** Tried in vain; it stays due. */
  readonly failed: number;
  /** How long the oldest that is still due has been so. */
  readonly overdueMs: number;
  /** Streams whose first retained offset rose. */
  readonly trimmed: readonly StreamId[];
}

export interface Maintenance {
  /** Does what is due, until nothing is or `signal` aborts. Never throws for work that failed. */
  run(signal: AbortSignal): Promise<WorkReport>;

  /**
   * Calls `wake` once when there is work that had better not wait for the next turn, perhaps at once, unless the
   * function that is returned is called before. Absent where no work is so urgent.
   */
  whenWanted?(wake: () => void): () => void;
}
