/**
 * Looks through all that a store holds, and changes nothing. May run beside everything else: what looks wrong
 * is looked at again before it is told, as it may have been changed in between.
 */

export type AuditKind =
  /** Something that is referred to is not there: messages are lost. */
  | 'dangling'
  /** Retained messages that nothing refers to: they are lost. */
  | 'hole'
  /** Stored bytes fail their check, or hold something else than what refers to them says. */
  | 'corrupt'
  /** Something that nothing refers to, and that maintenance should have removed by now. */
  | 'orphan';

export interface AuditFinding {
  readonly kind: AuditKind;
  /** Where, and what is wrong with it. */
  readonly what: string;
}

export interface AuditCounts {
  readonly streams: number;
  readonly messages: number;
  /** Objects or files, and the runs of a database. */
  readonly objects: number;
  /** As stored. */
  readonly bytes: number;
}

export interface AuditWatcher {
  found(finding: AuditFinding): void;
  /** What was looked at since it was called last; called often. */
  looked(counts: Partial<AuditCounts>): void;
}

export interface Audit {
  /** Resolves when everything was looked at, or `signal` aborted. Throws StoreError when the store does not answer. */
  run(watcher: AuditWatcher, signal: AbortSignal): Promise<void>;
}
