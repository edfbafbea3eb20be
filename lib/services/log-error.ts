/**
 * A refusal with a code of the catalogue: what services throw and the edge answers. The message tells
 * the client what is wrong and how to mend it; `details` are the members it needs to go on.
 */
import type { ErrorCode, SideEffects } from '../wire/error-codes.ts';

export interface ErrorDetails {
  readonly [member: string]: number | string | boolean | null;
}

export class LogError extends Error {
  override readonly name = 'LogError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails;
  readonly sideEffects: SideEffects;

  constructor(
    message: string,
    options: {
      readonly code: ErrorCode;
      readonly details?: ErrorDetails;
      readonly sideEffects?: SideEffects;
      readonly cause?: unknown;
    },
  ) {
    super(message, { cause: options.cause });
    this.code = options.code;
    this.details = options.details ?? {};
    this.sideEffects = options.sideEffects ?? 'none';
  }
}

/** A 400 that names the member, parameter or message at fault. */
export function invalid(field: string, message: string): LogError {
  return new LogError(message, { code: 'invalid_request', details: { field } });
}

export function exchangeNotFound(name: string): LogError {
  return new LogError(`there is no exchange ${JSON.stringify(name)}`, {
    code: 'exchange_not_found',
    details: { exchange: name },
  });
}

export function streamNotFound(name: string): LogError {
  return new LogError(`there is no stream ${JSON.stringify(name)}`, {
    code: 'stream_not_found',
    details: { stream: name },
  });
}
