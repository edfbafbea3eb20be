/** Items by their keys, and pages of those that share a partition. */
import type { Item, ItemKey, QueryPage, QueryRequest } from '../../lib/aws/table.ts';
import { compareText } from './expressions/attribute-order.ts';
import { itemBytes } from './expressions/item-size.ts';
import { checkedKey } from './expressions/plan-write.ts';
import { ValidationException } from './expressions/validation-exception.ts';
import { createTextOrderedMap, type TextOrderedMap } from './text-order.ts';

/** A page ends before it passes 1 MB. */
const PAGE_BYTES_MAX = 1024 * 1024;

/** Undefined: there is no such item. */
export interface ItemChange {
  readonly key: ItemKey;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}

export interface StoredItems {
  get(key: ItemKey): Item | undefined;
  /** Undefined: no such item from now on. */
  set(key: ItemKey, item: Item | undefined): void;
  query(request: QueryRequest): QueryPage;
  /** Everything, by partition and sort key. */
  all(): readonly Item[];
  /** Tells of every change from now on, those of one transaction one after the other. */
  watch(tell: (change: ItemChange) => void): void;
}

export function createStoredItems(): StoredItems {
  const partitions = createTextOrderedMap<TextOrderedMap<Item>>();
  const watchers: ((change: ItemChange) => void)[] = [];

  function partition(k: string): TextOrderedMap<Item> {
    const items = partitions.get(k) ?? createTextOrderedMap<Item>();
    partitions.set(k, items);
    return items;
  }

  return {
    get: ({ k, s }) => partitions.get(k)?.get(s),
    watch: (tell) => watchers.push(tell),
    set({ k, s }, item) {
      const change = { key: { k, s }, before: partitions.get(k)?.get(s), after: item };
      for (const tell of watchers) tell(change);
      if (item === undefined) partitions.get(k)?.delete(s);
      else partition(k).set(s, item);
    },
    query: (request) => pageOf(partitions.get(request.k)?.entries() ?? [], request),
    all: () => partitions.entries().flatMap(([, items]) => items.entries().map(([, item]) => item)),
  };
}

type Entries = readonly (readonly [s: string, item: Item])[];

function pageOf(partition: Entries, request: QueryRequest): QueryPage {
  checkQuery(request);
  const behind = request.page === undefined ? undefined : decodePage(request.k, request.page);
  const inRange = partition.filter(([s]) => isInRange(s, request) && isBehind(s, request, behind));
  const candidates = request.descending === true ? inRange.toReversed() : inRange;
  const page = candidates.slice(0, fitting(candidates, request.limit ?? candidates.length));
  const last = page.at(-1);
  // As the real table: whoever got as many as they asked for is told to ask once more.
  const mayGoOn = page.length < candidates.length || page.length === request.limit;
  return {
    items: page.map(([, item]) => item),
    ...(mayGoOn && last !== undefined && { next: encodePage(request.k, last[0]) }),
  };
}

function checkQuery({ k, from, to, limit }: QueryRequest): void {
  checkedKey({ k, s: from ?? to ?? 'any' });
  if (from !== undefined && to !== undefined && compareText(from, to) > 0) {
    throw new ValidationException(
      'Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be greater than or equal to lower bound',
    );
  }
  if (limit === undefined || (Number.isSafeInteger(limit) && limit >= 1)) return;
  throw new ValidationException(`Limit must be a whole number of at least 1: ${limit}`);
}

function isInRange(s: string, { from, to }: QueryRequest): boolean {
  if (from !== undefined && compareText(s, from) < 0) return false;
  return to === undefined || compareText(s, to) <= 0;
}

/** Behind where the page before ended, in the direction of the query. */
function isBehind(s: string, { descending }: QueryRequest, last: string | undefined): boolean {
  if (last === undefined) return true;
  const order = compareText(s, last);
  return descending === true ? order < 0 : order > 0;
}

/** How many of the first ones fit into a page. */
function fitting(candidates: Entries, countMax: number): number {
  let [count, bytes] = [0, 0];
  for (const [, item] of candidates.slice(0, countMax)) {
    bytes += itemBytes(item);
    if (bytes > PAGE_BYTES_MAX) break;
    count++;
  }
  return count;
}

function encodePage(k: string, s: string): string {
  return JSON.stringify([k, s]);
}

/** A page goes on where one of the same partition ended. */
function decodePage(k: string, page: string): string {
  const prefix = `[${JSON.stringify(k)},`;
  if (!page.startsWith(prefix)) {
    throw new ValidationException('The provided starting key is invalid: of another query');
  }
  return String(JSON.parse(page.slice(prefix.length, -1)));
}
