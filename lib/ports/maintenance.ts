/** Work that a store leaves for later: done by whoever runs now and then, a little at a time. */

/** What work that is due came to: told by whoever does it, logged where it was started. */
export interface WorkReport {
  readonly done: number;
  /** Tried in vain; it stays due. */
  readonly failed: number;
  /** How long the oldest that is still due has been so. */
  readonly overdueMs: number;
}

export interface Maintenance {
  /** Does what is due, until nothing is or `signal` aborts. Never throws for work that failed. */
  run(signal: AbortSignal): Promise<WorkReport>;
}
