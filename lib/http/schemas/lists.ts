/** A page of a list: its items, and whether there are more behind them. */
import * as z from 'zod';

export function listOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item).describe('In the order of their names, byte by byte.'),
    has_more: z.boolean().describe('Go on with `start_after` and the last name.'),
  });
}
