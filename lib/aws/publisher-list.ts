/** Publishers as readers ask for them: one by its name, or a page of all that are remembered. */
import type { PublisherName, StreamId } from '../core/log/ids.ts';
import type { PublisherRecord } from '../core/log/publisher.ts';
import { compareBytes } from '../format/ulid.ts';
import type { PublisherEntry as Listed, ListQuery } from '../ports/log-store.ts';
import { StoreError } from '../ports/store-error.ts';
import { textOf, textValue } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import type { PublisherEntry } from './publisher-entry.ts';
import { loadSide, NO_SIDE } from './publisher-side.ts';
import { isReleasePublisher } from './release-publisher.ts';
import { rememberedPublishers } from './remembered-publishers.ts';
import type { PlannedCommit } from './send-commit.ts';
import type { Table } from './table.ts';
import { publisherHash, publisherNameKey } from './table-key.ts';
import type { Tail } from './tail-item.ts';

const NAMES_PER_READ_MAX = 100;

export async function findPublisher(
  context: AwsContext,
  id: StreamId,
  name: PublisherName,
): Promise<PublisherRecord | undefined> {
  const stream = await context.streams.loadById(id);
  if (stream === undefined) return undefined;
  const key = publisherHash(name);
  const inTail = stream.tail.publishers.get(key);
  return (inTail ?? (await remembered(context, stream.tail)).get(key))?.record;
}

export async function listPublishers(
  context: AwsContext,
  id: StreamId,
  { prefix, startAfter, limit }: ListQuery,
): Promise<readonly Listed[]> {
  const stream = await context.streams.loadById(id);
  if (stream === undefined) return [];
  const entries = await remembered(context, stream.tail);
  const names = await loadNames(context.table, id, [...entries.keys()]);
  return names
    .map(({ key, name }) => ({ key, name, sort: Buffer.from(name) }))
    .filter(({ name, sort }) => {
      return name.startsWith(prefix) && compareBytes(sort, Buffer.from(startAfter)) > 0;
    })
    .sort((a, b) => compareBytes(a.sort, b.sort))
    .slice(0, limit)
    .flatMap(({ key, name }) => {
      const record = entries.get(key)?.record;
      return record === undefined ? [] : [{ name: name as PublisherName, record }];
    });
}

/** Kept before a publisher's first commit, and only for lists: no condition ever looks at it. */
export async function storeName(table: Table, id: StreamId, name: PublisherName): Promise<void> {
  const { k, s } = publisherNameKey(id, publisherHash(name));
  const item = { k: textValue(k), s: textValue(s), n: textValue(name) };
  try {
    await table.put({ item }, 'harmless');
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    // Whatever became of it, nobody can see anything of the commit that was to follow.
    throw new StoreError(cause.message, { kind: cause.kind, sideEffects: 'none', cause });
  }
}

/**
 * Names are for lists only, and kept before the commit, so that nobody is listed without one. Whom the service itself
 * publishes as is listed nowhere.
 */
export async function storeNewNames(
  { table }: AwsContext,
  { stream: { tail }, side, plan }: Pick<PlannedCommit, 'stream' | 'side' | 'plan'>,
): Promise<void> {
  const unknown = [...plan.changed.keys()].filter((name) => {
    const key = publisherHash(name);
    return !tail.publishers.has(key) && !side.entries.has(key) && !isReleasePublisher(key);
  });
  await Promise.all(unknown.map((name) => storeName(table, tail.streamId, name)));
}

async function remembered(
  { table }: AwsContext,
  { streamId, publishers, sideVersion }: Tail,
): Promise<ReadonlyMap<string, PublisherEntry>> {
  const side = sideVersion === 0 ? NO_SIDE : await loadSide(table, streamId);
  return rememberedPublishers(publishers, side.entries);
}

async function loadNames(table: Table, id: StreamId, keys: readonly string[]) {
  const pages: (readonly string[])[] = [];
  for (let at = 0; at < keys.length; at += NAMES_PER_READ_MAX) {
    pages.push(keys.slice(at, at + NAMES_PER_READ_MAX));
  }
  const items = await Promise.all(
    pages.map((page) => table.getMany(page.map((key) => publisherNameKey(id, key)))),
  );
  return items.flat().map((item) => ({ key: textOf(item, 's'), name: textOf(item, 'n') }));
}
