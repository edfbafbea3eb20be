/**
 * How a store fails. The kind says what the caller should do: try later, give up on this data, or
 * free space. Whether the call may have taken effect is said apart, since only the store knows.
 */

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
