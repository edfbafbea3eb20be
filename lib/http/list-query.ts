/** `prefix`, `start_after` and `limit` of a list. */
import { z } from 'zod';
import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX } from '../core/log/limits.ts';
import type { ListQuery } from '../ports/log-store.ts';
import { parseQuery } from './query.ts';

const schema = z.strictObject({
  prefix: z.string().optional(),
  start_after: z.string().optional(),
  limit: z.int().min(1).max(LIST_LIMIT_MAX).optional(),
});

export function parseListQuery(url: string): ListQuery {
  const {
    prefix = '',
    start_after = '',
    limit = LIST_LIMIT_DEFAULT,
  } = parseQuery(url, schema, new Set());
  return { prefix, startAfter: start_after, limit };
}
