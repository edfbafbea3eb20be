/** How much there is, at a glance: bounded work, so a large log is counted up to a page and no further. */
import { LIST_LIMIT_MAX } from '../core/log/limits.ts';
import type { Components } from './components.ts';
import { listPage } from './list-page.ts';

export interface Overview {
  /** `hasMore` when there are more streams than were counted. */
  readonly streams: { readonly count: number; readonly hasMore: boolean };
}

export async function showOverview({ catalog }: Components): Promise<Overview> {
  const query = { prefix: '', startAfter: '', limit: LIST_LIMIT_MAX };
  const { items, hasMore } = await listPage(query, (wider) => catalog.list(wider));
  return { streams: { count: items.length, hasMore } };
}
