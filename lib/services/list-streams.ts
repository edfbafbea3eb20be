/** Lists streams by name, a page at a time, each name once whatever happens in between. */
import type { ListQuery } from '../ports/log-store.ts';
import type { Components } from './components.ts';
import { describeEntry } from './describe-stream.ts';
import { listPage } from './list-page.ts';

export async function listStreams({ catalog }: Components, query: ListQuery) {
  const { items, hasMore } = await listPage(query, (wider) => catalog.list(wider));
  return { items: items.map(describeEntry), hasMore };
}
