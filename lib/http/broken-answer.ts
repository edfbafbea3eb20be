/**
 * The answer to what could not be read as a request: the parser refused it, or no URL can be made of it.
 * It is not known which path was meant, so the instance is the server as a whole.
 */
import { LogError } from '../services/log-error.ts';
import { answerHeaders } from './answer.ts';
import { NO_ROUTE } from './http-metrics.ts';
import { describeProblem } from './problem.ts';
import type { HttpOptions } from './route.ts';

export type BrokenOptions = Pick<HttpOptions, 'components' | 'metrics'>;

export function brokenAnswer(statusLine: string, options: BrokenOptions): Response {
  const { status, headers, text } = brokenParts(statusLine, options);
  return new Response(text, { status, headers });
}

/** `statusLine` as in `400 Bad Request`. */
export function brokenParts(statusLine: string, { components, metrics }: BrokenOptions) {
  const status = Number(statusLine.slice(0, 3));
  const requestId = components.random.hex128();
  const code = status === 431 ? 'headers_too_large' : 'invalid_request';
  const detail = `the request could not be read as HTTP: ${statusLine.slice(4)}`;
  const fault = new LogError(detail, { code });
  const { members } = describeProblem(fault, { id: requestId, instance: '*', changes: false });
  metrics.problem(code);
  metrics.route(NO_ROUTE).refused('', status);
  return {
    status,
    headers: answerHeaders(
      { requestId, extraHeaders: {} },
      { 'content-type': 'application/problem+json' },
    ),
    text: JSON.stringify({ ...members, status }),
  };
}
