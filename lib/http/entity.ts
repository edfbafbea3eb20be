/**
 * Answers that a client may keep, and ask about: a strong `ETag` of their bytes, and 304 without a body
 * to one that has these bytes already.
 */
import { createHash } from 'node:crypto';
import { type AnswerHeaders, answerHeaders } from './answer.ts';
import type { RouteRequest } from './route.ts';

export interface Entity {
  readonly text: string;
  readonly headers: AnswerHeaders;
}

export function createEntity(text: string, headers: AnswerHeaders): Entity {
  return { text, headers: { etag: `"${sha256(text).slice(0, 22)}"`, ...headers } };
}

/** What is told of the log: kept by its reader alone, and never shown again without being asked about. */
export function jsonEntityAnswer(request: RouteRequest, value: unknown): Response {
  return jsonTextEntityAnswer(request, JSON.stringify(value));
}

export function jsonTextEntityAnswer(request: RouteRequest, text: string): Response {
  const headers = { 'content-type': 'application/json', 'cache-control': 'private, no-cache' };
  return entityAnswer(request, createEntity(text, headers));
}

export function entityAnswer(request: RouteRequest, { text, headers }: Entity): Response {
  const all = answerHeaders(request, headers);
  return isKnown(request, headers['etag'] ?? '')
    ? unchangedAnswer(all)
    : new Response(text, { headers: all });
}

/** Whether the client said that it has what this tag stands for. */
export function isKnown({ raw }: Pick<RouteRequest, 'raw'>, etag: string): boolean {
  return matches(raw.headers.get('if-none-match'), etag);
}

export function unchangedAnswer({ 'content-type': _, ...headers }: AnswerHeaders): Response {
  return new Response(null, { status: 304, headers });
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** RFC 9110: a list of tags, each perhaps marked as weak, or `*`. */
function matches(given: string | null, etag: string): boolean {
  const tags = (given ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
