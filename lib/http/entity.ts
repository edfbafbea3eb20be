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
  const headers = { 'content-type': 'application/json', 'cache-control': 'private, no-cache' };
  return entityAnswer(request, createEntity(JSON.stringify(value), headers));
}

export function entityAnswer(request: RouteRequest, { text, headers }: Entity): Response {
  const all = answerHeaders(request, headers);
  if (!matches(request.raw.headers.get('if-none-match'), headers['etag'] ?? '')) {
    return new Response(text, { headers: all });
  }
  const { 'content-type': _, ...unchanged } = all;
  return new Response(null, { status: 304, headers: unchanged });
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** RFC 9110: a list of tags, each perhaps marked as weak, or `*`. */
function matches(given: string | null, etag: string): boolean {
  const tags = (given ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
