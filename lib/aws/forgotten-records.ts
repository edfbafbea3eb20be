/**
 * Removes what exchanges no longer remember of values (PROTOCOL R18): now and then, by who makes a record, beside its
 * own, which lies anywhere. So there are at most some two items for each that is kept.
 */
import { isKept } from '../core/routing/routing-record.ts';
import type { RememberingExchange } from '../ports/exchanges.ts';
import type { AwsContext } from './aws-context.ts';
import { decodeRecord, ridValue } from './record-item.ts';
import type { Item, ItemKey, Table } from './table.ts';
import { RECORDS_FROM } from './table-key.ts';

/** A look costs a call and some read units, so it is not done for each record. */
const RECORDS_PER_LOOK = 32;

export interface MadeRecords {
  readonly made: readonly { readonly key: ItemKey }[];
  /** The highest of their numbers. */
  readonly last: number;
  readonly nowMs: number;
}

export async function forgetRecords(
  { table, telemetry }: AwsContext,
  { exchangeId, deduplication: settings }: RememberingExchange,
  { made, last, nowMs }: MadeRecords,
): Promise<void> {
  const [first] = made;
  const isDue =
    Math.floor(last / RECORDS_PER_LOOK) > Math.floor((last - made.length) / RECORDS_PER_LOOK);
  if (first === undefined || !isDue) return;
  try {
    const items = await itemsBeside(table, first.key, 2 * Math.max(RECORDS_PER_LOOK, made.length));
    const forgotten = items.filter(
      (item) => !isKept(decodeRecord(item), { settings, count: last, nowMs }),
    );
    await Promise.all(forgotten.map((item) => remove(table, first.key.k, item)));
  } catch (error) {
    // What is remembered is: the next look finds what this one left.
    telemetry.error('removing_records_failed', { exchange_id: exchangeId, error });
  }
}

/** Made anew meanwhile, it has another id. */
async function remove(table: Table, k: string, item: Item): Promise<void> {
  const s = item['s'] && 'S' in item['s'] ? item['s'].S : '';
  await table.delete(
    {
      key: { k, s },
      condition: '#r = :rid',
      values: { ':rid': ridValue(decodeRecord(item).rid) },
    },
    'harmless',
  );
}

/** In the order of their keys, and behind the last one from the first on: none is passed over more often. */
async function itemsBeside(table: Table, { k, s }: ItemKey, limit: number) {
  const { items } = await table.query({ k, from: s, limit });
  if (items.length >= limit) return items;
  const first = await table.query({ k, from: RECORDS_FROM, to: s, limit: limit - items.length });
  return [...items, ...first.items];
}
