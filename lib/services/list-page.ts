/** A page of a list, and whether another one follows: one item more is asked for than is given. */
import type { ListQuery } from '../ports/log-store.ts';

export interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
}

export async function listPage<Item>(
  query: ListQuery,
  list: (query: ListQuery) => Promise<readonly Item[]>,
): Promise<ListPage<Item>> {
  const items = await list({ ...query, limit: query.limit + 1 });
  return { items: items.slice(0, query.limit), hasMore: items.length > query.limit };
}
