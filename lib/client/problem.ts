/** Failures as the server tells them: `application/problem+json`, in an answer or in an event. */
import { badAnswer, ClientError, type ErrorMembers } from './client-error.ts';

/** Statuses by which proxies and gateways tell that a later try may succeed. */
const PASSING_STATUSES = new Set([408, 425, 429, 502, 503, 504]);

export interface FailedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Whether the request could have changed something. */
  readonly changes: boolean;
}

export function answerError({ status, headers, text, changes }: FailedAnswer): ClientError {
  const retryAfterMs = retryAfter(headers.get('retry-after'));
  const members = parseMembers(text);
  if (typeof members?.['code'] === 'string') return problemError(members, status, retryAfterMs);
  return new ClientError(`answered ${status} by something that is not Varve`, {
    code: 'bad_gateway',
    status,
    retryable: PASSING_STATUSES.has(status),
    sideEffects: changes ? 'possible' : 'none',
    retryAfterMs,
  });
}

/** The failure that an event stream ends with. */
export function eventError(text: string): ClientError {
  const members = parseMembers(text);
  if (typeof members?.['code'] !== 'string') return badAnswer('an error event without a code');
  return problemError(members, Number(members['status']));
}

function problemError(members: ErrorMembers, status: number, retryAfterMs?: number): ClientError {
  const { code, message, retryable, side_effects, ...details } = members;
  return new ClientError(String(message), {
    code: String(code),
    status,
    retryable: retryable === true,
    sideEffects: side_effects === 'none' ? 'none' : 'possible',
    details,
    retryAfterMs,
  });
}

function parseMembers(text: string): ErrorMembers | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Seconds only: a date would need a clock that agrees with the server's. */
function retryAfter(value: string | null): number | undefined {
  return value !== null && /^[0-9]{1,9}$/.test(value) ? Number(value) * 1_000 : undefined;
}
