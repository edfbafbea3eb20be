/**
 * How a store fails. The kind says what the caller should do: try later, give up on this data, or
 * free space. Whether the call may have taken effect is said apart, since only the store knows.
 */

import type { Offset } from '../core/log/ids.ts';

export type StoreErrorKind =
  /** Cannot now: throttled, disk full, closing. */
  | 'unavailable'
  /** Stored bytes fail their check; `subject` names which. */
  | 'corrupt'
  | 'timeout';

export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly kind: StoreErrorKind;
  /** `none` only when nothing of the call is or can become visible (SPEC P7). */
  readonly sideEffects: 'none' | 'possible';

  constructor(
    message: string,
    options: {
      readonly kind: StoreErrorKind;
      readonly sideEffects: 'none' | 'possible';
      readonly cause?: unknown;
    },
  ) {
    super(message, { cause: options.cause });
    this.kind = options.kind;
    this.sideEffects = options.sideEffects;
  }
}

/**
 * Stored messages that are gone although nobody dropped them, which must not happen: [start, end) is lost
 * for good, all else can be read. Thrown when a read begins with one of them (SPEC O16).
 */
export class LostMessages extends StoreError {
  readonly start: Offset;
  readonly end: Offset;

  constructor(what: string, { start, end }: { readonly start: Offset; readonly end: Offset }) {
    super(`${what}: messages [${start}, ${end}) are lost`, {
      kind: 'corrupt',
      sideEffects: 'none',
    });
    this.start = start;
    this.end = end;
  }
}
