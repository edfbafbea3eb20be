/** Removes items by the range of their keys, page by page. */
import type { ItemKey, Table } from './table.ts';

/** All items of a partition, or those whose sort keys lie in [from, to]; gives how many there were. */
export async function removeItems(
  table: Table,
  partition: string,
  range: { readonly from?: string; readonly to?: string } = {},
): Promise<number> {
  let removed = 0;
  let page: string | undefined;
  do {
    const found = await table.query({
      k: partition,
      ...range,
      ...(page !== undefined && { page }),
    });
    const keys = found.items.flatMap(({ s }): ItemKey[] =>
      s !== undefined && 'S' in s ? [{ k: partition, s: s.S }] : [],
    );
    if (keys.length > 0) await table.deleteMany(keys);
    removed += keys.length;
    page = found.next;
  } while (page !== undefined);
  return removed;
}
