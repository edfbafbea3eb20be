/**
 * Answers, built whole: every header is given when the response is made. The HTTP bridge then writes
 * it out as it is; a stack of middlewares that each add theirs halved the rate (23 k to 11 k requests/s).
 */

export type AnswerHeaders = { readonly [name: string]: string };

/** On every answer: nothing here is for a cache, a frame or a guess at the type. */
export function baseHeaders(requestId: string): { [name: string]: string } {
  return {
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  };
}

export function jsonAnswer(
  value: unknown,
  options: {
    readonly status?: number;
    readonly requestId: string;
    readonly headers?: AnswerHeaders;
  },
): Response {
  const { text, ...parts } = jsonParts(value, options.requestId);
  const headers = { ...parts.headers, ...options.headers };
  return new Response(text, { status: options.status ?? parts.status, headers });
}

/** The same as what goes out, for the way without a `Response`. */
export function jsonParts(value: unknown, requestId: string) {
  const headers: AnswerHeaders = {
    ...baseHeaders(requestId),
    'content-type': 'application/json',
  };
  return { status: 200, headers, text: JSON.stringify(value) };
}

export function emptyAnswer(requestId: string, status = 204, headers?: AnswerHeaders): Response {
  return new Response(null, { status, headers: { ...baseHeaders(requestId), ...headers } });
}
