/**
 * The one error of the client library: what the server told, or why there was no answer. `sideEffects`
 * is `none` only when it is proven that nothing was or will be stored (SPEC P7).
 */
import type { ErrorCode, SideEffects } from '../wire/error-codes.ts';

/** What this side finds by itself. */
type ClientCode =
  /** No answer: refused, broken off, or not in time. */
  | 'connection_failed'
  /** An answer that is no answer of Varve's: cut off, or malformed. */
  | 'bad_answer'
  /** A failure told by something between here and the server. */
  | 'bad_gateway'
  | 'buffer_full'
  | 'publisher_closed'
  /** An earlier request of this named publisher had no clear end; later messages were not sent. */
  | 'publisher_failed'
  /** Somebody else publishes under the same publisher name. */
  | 'name_in_use';

/** A newer server may have codes that are not known here. */
type AnyCode = ErrorCode | ClientCode | (string & Record<never, never>);

interface ClientErrorOptions {
  readonly code: AnyCode;
  readonly status?: number | undefined;
  readonly retryable?: boolean;
  readonly sideEffects?: SideEffects;
  readonly details?: ErrorMembers;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** `limit`, `next`, `first_available`, `request_id` …: what the server says beside the message. */
export interface ErrorMembers {
  readonly [member: string]: unknown;
}

export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly code: AnyCode;
  /** Of HTTP; undefined when there was no answer. */
  readonly status: number | undefined;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  readonly sideEffects: SideEffects;
  readonly details: ErrorMembers;
  /** How long the server asks to be left alone. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: ClientErrorOptions) {
    super(message, { cause: options.cause });
    this.code = options.code;
    this.status = options.status;
    this.retryable = options.retryable ?? false;
    this.sideEffects = options.sideEffects ?? 'none';
    this.details = options.details ?? {};
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** A 2xx that cannot be understood. Asking again may help: it may have been cut off on its way. */
export function badAnswer(reason: string, cause?: unknown): ClientError {
  return new ClientError(`the answer is none of Varve's: ${reason}`, {
    code: 'bad_answer',
    retryable: true,
    cause,
  });
}

/** What the caller gave is not what it can be; nothing was sent. */
export function invalid(field: string, message: string, cause?: unknown): ClientError {
  return new ClientError(message, { code: 'invalid_request', details: { field }, cause });
}
