/** A page of a list, as every list is sorted and cut. */
import type { ListQuery } from '../../lib/ports/log-store.ts';

export function page<Entry extends { readonly name: string }>(
  entries: readonly Entry[],
  { prefix, startAfter, limit }: ListQuery,
): Entry[] {
  const order = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
  return entries
    .filter(({ name }) => name.startsWith(prefix) && order(name, startAfter) > 0)
    .sort((a, b) => order(a.name, b.name))
    .slice(0, limit);
}
