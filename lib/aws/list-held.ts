/**
 * Held messages as they are asked for. Those whose target is gone stay until they are due, and are shown to nobody:
 * their targets are looked up, each once a page.
 */
import type { HeldId } from '../core/timer/held-id.ts';
import type { HeldMessage, HeldTarget } from '../core/timer/held-message.ts';
import type { HeldQuery } from '../ports/timers.ts';
import { destinationKey } from './bind-exchange.ts';
import { idOf } from './exchange-item.ts';
import type { Item, ItemKey, QueryPage, Table } from './table.ts';
import { TIMER_SHARDS, timerKey, timerPartition, timerShard } from './table-key.ts';
import { decodeTimer, type StoredTimer } from './timer-item.ts';

const SHARDS = Array.from({ length: TIMER_SHARDS }, (_, shard) => shard);
/** All ids lie in between: of the same partition, the item of the shard does not. */
export const FIRST_ID = '0';
export const BEYOND_IDS = 'g';
const KEYS_PER_READ_MAX = 100;
/** Of a count: what is read at once is forgotten at once. */
const PAGE = 1_000;

/** An id does not tell its shard. */
export async function findTimer(table: Table, id: HeldId): Promise<StoredTimer | undefined> {
  const [item] = await table.getMany(SHARDS.map((shard) => timerKey(shard, id)));
  return item && decodeTimer(item);
}

export async function hasTarget(table: Table, { target }: HeldMessage): Promise<boolean> {
  return (await livingTargets(table, [target])).has(target.id);
}

/** In the order of release, those whose target is there. */
export async function listHeld(
  table: Table,
  { target, startAfter, limit }: HeldQuery,
): Promise<readonly HeldMessage[]> {
  const found: HeldMessage[] = [];
  let after = startAfter;
  while (found.length < limit) {
    const page = await nextPage(table, { target, startAfter: after, limit });
    found.push(...(await ofLiving(table, page.messages)));
    if (page.end === undefined) break;
    after = page.end;
  }
  return found.slice(0, limit);
}

export async function countHeld(table: Table, target?: HeldTarget): Promise<number> {
  let [count, after]: [number, string | undefined] = [0, ''];
  while (after !== undefined) {
    const page = await nextPage(table, { target, startAfter: after, limit: PAGE });
    count += (await ofLiving(table, page.messages)).length;
    after = page.end;
  }
  return count;
}

interface Page {
  /** In their order. */
  readonly messages: readonly HeldMessage[];
  /** All up to this id are among them; undefined when that are all there are. */
  readonly end: string | undefined;
}

interface PageQuery extends Omit<HeldQuery, 'target'> {
  readonly target: HeldTarget | undefined;
}

/** Shards are read side by side, and shown as far as all of them were read. */
async function nextPage(table: Table, { target, startAfter, limit }: PageQuery): Promise<Page> {
  const shards = target === undefined ? SHARDS : [timerShard(target.id)];
  const parts = await Promise.all(
    shards.map((shard) => readShard(table, shard, { startAfter, limit })),
  );
  const ends = parts.flatMap(({ end }) => end ?? []).sort();
  const [end] = ends;
  const messages = parts
    .flatMap((part) => part.messages)
    .filter(({ id }) => end === undefined || id <= end)
    .filter((message) => target === undefined || message.target.id === target.id)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  return { messages, end };
}

async function readShard(
  table: Table,
  shard: number,
  { startAfter, limit }: Pick<HeldQuery, 'startAfter' | 'limit'>,
): Promise<Page> {
  const items: Item[] = [];
  let page: string | undefined;
  do {
    const found: QueryPage = await table.query({
      k: timerPartition(shard),
      from: startAfter > FIRST_ID ? startAfter : FIRST_ID,
      to: BEYOND_IDS,
      // One more, since the range begins with the id that was given.
      limit: limit + 1 - items.length,
      ...(page !== undefined && { page }),
    });
    items.push(...found.items);
    page = found.next;
  } while (page !== undefined && items.length <= limit);
  const all = items.map((item) => decodeTimer(item).message);
  const last = page === undefined ? undefined : all.at(-1)?.id;
  return { messages: all.filter(({ id }) => id > startAfter), end: last };
}

async function ofLiving(
  table: Table,
  messages: readonly HeldMessage[],
): Promise<readonly HeldMessage[]> {
  const living = await livingTargets(
    table,
    messages.map(({ target }) => target),
  );
  return messages.filter(({ target }) => living.has(target.id));
}

/** By the items that go with their targets; never the tails of streams, which are larger. */
async function livingTargets(
  table: Table,
  targets: readonly HeldTarget[],
): Promise<ReadonlySet<string>> {
  const distinct = [...new Map(targets.map((target) => [target.id, target])).values()];
  const keys = new Map<string, ItemKey>();
  for (const target of distinct) {
    const key = destinationKey(target);
    keys.set(`${key.k} ${key.s}`, key);
  }
  const all = [...keys.values()];
  const items: Item[] = [];
  for (let at = 0; at < all.length; at += KEYS_PER_READ_MAX) {
    items.push(...(await table.getMany(all.slice(at, at + KEYS_PER_READ_MAX))));
  }
  return new Set(items.map(idOf));
}
