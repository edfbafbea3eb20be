/** Refuses query parameters on routes that have none, so that a misplaced option is not ignored. */
import * as z from 'zod';
import { parseQuery } from './query.ts';

const schema = z.strictObject({});

export function refuseQuery(url: string): void {
  if (url.includes('?')) parseQuery(url, schema);
}
