/**
 * The one place where a failure becomes an answer: `application/problem+json` (RFC 9457) with the
 * members of the catalogue. Nothing of the inside reaches a client: no stack, no path, no store text.
 */

import { StoreError, type StoreErrorKind } from '../ports/store-error.ts';
import { LogError } from '../services/log-error.ts';
import { ERROR_CODES, type ErrorCode, type SideEffects } from '../wire/error-codes.ts';

export interface Problem {
  readonly status: number;
  readonly code: ErrorCode;
  /** True for failures that operators should know of. */
  readonly isFault: boolean;
  readonly sideEffects: SideEffects;
  readonly members: { readonly [member: string]: unknown };
}

/** Long enough for a passing fault to pass, short enough to be tried again by hand. */
export const RETRY_AFTER_SECONDS = 1;

export const CODE_OF_STORE: { readonly [Kind in StoreErrorKind]: ErrorCode } = {
  unavailable: 'unavailable',
  corrupt: 'corrupt_data',
  timeout: 'store_timeout',
};

export function describeProblem(
  error: unknown,
  request: { readonly id: string; readonly instance: string; readonly changes: boolean },
): Problem {
  if (error instanceof LogError) {
    const { code, message, sideEffects, details } = error;
    return problem({ code, detail: message, sideEffects, details }, request);
  }
  if (error instanceof StoreError) {
    const detail = error.kind === 'corrupt' ? error.message : STORE_DETAIL[error.sideEffects];
    const { sideEffects } = error;
    return problem({ code: CODE_OF_STORE[error.kind], detail, sideEffects, details: {} }, request);
  }
  const sideEffects = request.changes ? 'possible' : 'none';
  const detail = 'the service failed unexpectedly: quote the request_id when you report it';
  return problem({ code: 'internal', detail, sideEffects, details: {} }, request);
}

export const STORE_DETAIL: { readonly [Effects in SideEffects]: string } = {
  none: 'the store cannot do this now, and nothing was changed: try again',
  possible: 'the store failed while it worked on this: look whether it took effect before a repeat',
};

function problem(
  fault: {
    readonly code: ErrorCode;
    readonly detail: string;
    readonly sideEffects: SideEffects;
    readonly details: { readonly [member: string]: unknown };
  },
  request: { readonly id: string; readonly instance: string },
): Problem {
  const { code, detail, sideEffects, details } = fault;
  const { status, title, retryable } = ERROR_CODES[code];
  return {
    status,
    code,
    isFault: status >= 500,
    sideEffects,
    members: {
      type: `urn:varve:error:${code}`,
      title,
      status,
      detail,
      instance: request.instance,
      code,
      message: detail,
      retryable,
      side_effects: sideEffects,
      request_id: request.id,
      ...details,
    },
  };
}
