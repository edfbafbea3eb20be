/**
 * Answers, built whole: every header is given when the response is made. The HTTP bridge then writes
 * it out as it is; a stack of middlewares that each add theirs halved the rate (23 k to 11 k requests/s).
 */
import type { RequestTiming } from './request-timing.ts';

export type AnswerHeaders = { readonly [name: string]: string };

/** What the head of an answer is made of beside the answer: a `RouteRequest` is one. */
export interface Answered {
  readonly requestId: string;
  /** Undefined for what never became a request. */
  readonly timing?: RequestTiming;
  /** For pages of other origins, and of a trace. */
  readonly extraHeaders: AnswerHeaders;
}

/**
 * On every answer: nothing here is for a cache, a frame, a guess at the type, or a page of another site
 * that takes it for an image or a script. To be made last, since it says how long the rest took.
 */
export function answerHeaders(
  { requestId, timing, extraHeaders }: Answered,
  own: AnswerHeaders = {},
): AnswerHeaders {
  const serverTiming = timing?.serverTiming();
  const vary = own['vary'] !== undefined && extraHeaders['vary'];
  return {
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
    ...(serverTiming !== undefined && { 'server-timing': serverTiming }),
    ...extraHeaders,
    ...own,
    ...(vary && { vary: `${vary}, ${own['vary']}` }),
  };
}

export function jsonAnswer(
  request: Answered,
  value: unknown,
  options: { readonly status?: number; readonly headers?: AnswerHeaders } = {},
): Response {
  const { text, headers, status } = jsonParts(request, value, options.headers);
  return new Response(text, { status: options.status ?? status, headers });
}

/** Of JSON that is there as text. */
export function jsonTextAnswer(request: Answered, text: string, status: number): Response {
  const headers = answerHeaders(request, { 'content-type': 'application/json' });
  return new Response(text, { status, headers });
}

/** The same as what goes out, for the way without a `Response`. */
export function jsonParts(request: Answered, value: unknown, own?: AnswerHeaders) {
  const text = JSON.stringify(value);
  const headers = answerHeaders(request, { 'content-type': 'application/json', ...own });
  return { status: 200, headers, text };
}

export function emptyAnswer(request: Answered, own?: AnswerHeaders): Response {
  return new Response(null, { status: 204, headers: answerHeaders(request, own) });
}
