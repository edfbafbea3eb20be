/**
 * Publishers that left the tail (PROTOCOL R9): p their entries, v a version. They are copied here before
 * they leave; the tail then knows the version, and a commit of a publisher that it does not hold is
 * refused unless this item was read in that version or a later one.
 */
import type { StreamId } from '../core/log/ids.ts';
import { mapOf, mapValue, numberOf, numberValue, textValue } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import type { KnownStream } from './known-stream.ts';
import type { PublisherEntry } from './publisher-entry.ts';
import { leavingPublishers, rememberedPublishers } from './remembered-publishers.ts';
import type { Item, Table, UpdateRequest } from './table.ts';
import { sideKey, tailKey } from './table-key.ts';
import { decodePublishers, streamIdValue, type Tail } from './tail-item.ts';

export interface Side {
  /** 0 when nobody ever left. */
  readonly version: number;
  readonly entries: ReadonlyMap<string, PublisherEntry>;
}

export const NO_SIDE: Side = { version: 0, entries: new Map() };

/** Each costs 40 bytes of every commit. */
const IN_TAIL_MAX = 32;
const STAYING = 16;
/** All at once would hardly ever be as they were copied, when each of hundreds publishes every second. */
const LEAVING_MAX = 64;

export async function loadSide(table: Table, id: StreamId): Promise<Side> {
  const item = await table.get(sideKey(id));
  if (item === undefined) return NO_SIDE;
  return { version: numberOf(item, 'v'), entries: decodePublishers(mapOf(item, 'p')) };
}

export function hasManyPublishers({ publishers }: Tail): boolean {
  return publishers.size >= IN_TAIL_MAX;
}

/** Read in this order: an entry that changes after the tail was read makes the last step fail. */
export async function evictPublishers(
  { table, streams }: AwsContext,
  { name, tail: { streamId } }: KnownStream,
): Promise<void> {
  const side = await loadSide(table, streamId);
  const stream = await streams.load(name);
  if (stream?.tail.streamId !== streamId || !hasManyPublishers(stream.tail)) return;

  const { publishers } = stream.tail;
  // The oldest of them, if not all can go: whoever is remembered in the side item is behind the tail's.
  const leaving = new Map([...leavingPublishers(publishers, STAYING)].slice(-LEAVING_MAX));
  const version = side.version + 1;
  const kept = rememberedPublishers(leaving, side.entries);
  const isWritten = await table.put(
    {
      item: sideItem(streamId, version, kept),
      ...(side.version === 0
        ? { condition: 'attribute_not_exists(#k)' }
        : { condition: '#v = :read', values: { ':read': numberValue(side.version) } }),
    },
    'once',
  );
  if (isWritten.kind === 'refused') return;
  const left = await table.update(leave(stream, version, leaving), 'harmless');
  if (left.item !== undefined) await streams.adopt(name, left.item);
}

function sideItem(id: StreamId, version: number, entries: Side['entries']): Item {
  const { k, s } = sideKey(id);
  const stored = [...entries].map(([key, entry]) => [key, entry.stored] as const);
  return {
    k: textValue(k),
    s: textValue(s),
    v: numberValue(version),
    p: mapValue(Object.fromEntries(stored)),
  };
}

/** Only those whose entry is still the one that was copied. */
function leave(
  { name, tail }: KnownStream,
  version: number,
  leaving: Side['entries'],
): UpdateRequest {
  const entries = [...leaving];
  const paths = entries.map((_, index) => `#p.#q${index}`);
  return {
    key: tailKey(name),
    update: `SET #v = :version REMOVE ${paths.join(', ')}`,
    condition: [
      '#i = :id',
      '#v < :version',
      ...paths.map((path, index) => `${path} = :entry${index}`),
    ].join(' AND '),
    names: Object.fromEntries(entries.map(([key], index) => [`#q${index}`, key])),
    values: {
      ':id': streamIdValue(tail.streamId),
      ':version': numberValue(version),
      ...Object.fromEntries(entries.map(([, { stored }], index) => [`:entry${index}`, stored])),
    },
  };
}
