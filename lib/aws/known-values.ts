/**
 * What a stream remembers of values, as a commit is planned by it (PROTOCOL R17): the tail's ring, and the items of
 * the values that the appends carry, where a ring does not hold all. Both are as read, and the commit is refused
 * when anything was recorded since.
 */
import {
  type Deduplication,
  SMALL_CACHE_MAX,
  type ValueMemory,
} from '../core/log/deduplication.ts';
import { effectiveSettings } from '../core/log/settings.ts';
import { messageValues } from '../format/message-values.ts';
import type { Append } from '../ports/log-store.ts';
import type { AwsContext } from './aws-context.ts';
import type { KnownStream } from './known-stream.ts';
import { valueKey } from './table-key.ts';
import { decodeValue, type StoredValue } from './value-item.ts';
import { findInRing, hasBlanks, valueHash } from './value-ring.ts';

/** Items by their sort keys. */
export type ValueItems = ReadonlyMap<string, StoredValue>;

const NO_ITEMS: ValueItems = new Map();

const KEYS_PER_READ_MAX = 100;
/** Of one commit: the appends behind those that carry so many are left to the next. */
const VALUES_READ_MAX = 1_000;

export interface KnownValues {
  /** As many of the appends as a commit may have; at least one. */
  readonly appends: readonly Append[];
  readonly items: ValueItems;
}

export function isLarge({ cache_size }: Deduplication): boolean {
  return cache_size > SMALL_CACHE_MAX;
}

/** A stream that does not deduplicate, or whose ring holds all, is not asked for anything. */
export async function loadValues(
  context: AwsContext,
  { tail, settings }: KnownStream,
  appends: readonly Append[],
): Promise<KnownValues> {
  const { deduplication } = effectiveSettings(settings);
  if (deduplication === null) return { appends, items: NO_ITEMS };
  const { cache_size: size, header } = deduplication;
  const isInRing = !(isLarge(deduplication) || hasBlanks(tail.ring, tail.valuesRecorded, size));
  if (isInRing) return { appends, items: NO_ITEMS };

  const carried = carriedKeys(appends, header);
  const keys = [...carried.keys].map((key) => valueKey(tail.streamId, key));
  const pages: (readonly StoredValue[])[] = [];
  for (let at = 0; at < keys.length; at += KEYS_PER_READ_MAX) {
    const items = await context.table.getMany(keys.slice(at, at + KEYS_PER_READ_MAX));
    pages.push(items.map(decodeValue));
  }
  const items = new Map(pages.flat().map((item) => [item.key, item]));
  return { appends: appends.slice(0, carried.appends), items };
}

function carriedKeys(appends: readonly Append[], header: string) {
  const keys = new Set<string>();
  let count = 0;
  for (const { batch } of appends) {
    const values = messageValues(batch, header);
    const own = values.kind === 'ok' ? values.messages : [];
    if (count > 0 && keys.size + own.length > VALUES_READ_MAX) break;
    for (const { value } of own) keys.add(valueHash(value).key);
    count++;
  }
  return { keys, appends: count };
}

export function valueMemory({ tail }: KnownStream, items: ValueItems): ValueMemory {
  return {
    count: tail.valuesRecorded,
    find(value) {
      const hash = valueHash(value);
      const inRing = findInRing(tail.ring, hash);
      const item = items.get(hash.key);
      if (inRing === undefined || item === undefined) return inRing ?? item;
      return inRing.number > item.number ? inRing : item;
    },
  };
}
