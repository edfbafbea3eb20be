/** `prefix`, `start_after` and `limit` of a list. */
import * as z from 'zod';
import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX } from '../core/log/limits.ts';
import type { ListQuery } from '../ports/log-store.ts';
import { parseQuery } from './query.ts';

export const listQuerySchema = z.strictObject({
  prefix: z.string().optional().describe('Only names that begin so.'),
  start_after: z.string().optional().describe('Only names behind this one, byte by byte.'),
  limit: z.int().min(1).max(LIST_LIMIT_MAX).optional().meta({
    description: 'Items at most.',
    default: LIST_LIMIT_DEFAULT,
  }),
});

export function parseListQuery(url: string): ListQuery {
  const {
    prefix = '',
    start_after = '',
    limit = LIST_LIMIT_DEFAULT,
  } = parseQuery(url, listQuerySchema);
  return { prefix, startAfter: start_after, limit };
}
