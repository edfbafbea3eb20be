/**
 * Deletes objects that nothing refers to (PROTOCOL R7): of uploads whose commit never came, and of messages
 * that were dropped. First the horizon: from then on no commit can make an old object visible. Then what
 * is referred to, the tail before the index, as refs only move that way. Only then are objects deleted.
 */
import type { StreamId } from '../core/log/ids.ts';
import { chunkPrefix, parseChunkObjectName } from '../format/object-key.ts';
import { compareBytes, formatUlid, type Ulid } from '../format/ulid.ts';
import { bytesValue } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import { raiseHorizon } from './fence-ulid.ts';
import type { KnownStream } from './known-stream.ts';
import type { Objects } from './objects.ts';
import { indexRefs } from './stream-index.ts';
import type { Table } from './table.ts';
import { controlKey } from './table-key.ts';
import type { Tail } from './tail-item.ts';

/** Gives how many objects were deleted. */
export async function collectObjects(
  { table, objects, streams }: AwsContext,
  stream: KnownStream,
  horizon: Ulid,
): Promise<number> {
  const { name, tail: before } = stream;
  await raiseHorizon(table, stream, horizon);
  await raiseFence(table, before.streamId, horizon);
  const now = await streams.load(name);
  if (now?.tail.streamId !== before.streamId || compareBytes(now.tail.horizon, horizon) < 0) {
    return 0;
  }
  const referred = await referredIds(table, now.tail);
  return await deleteOthers(objects, before.streamId, { horizon, referred });
}

/** What is written under an id at or below it is refused from now on, whoever writes it. */
async function raiseFence(table: Table, streamId: StreamId, horizon: Ulid): Promise<void> {
  await table.update(
    {
      key: controlKey(streamId),
      update: 'SET #fn = :horizon',
      condition: '#fn < :horizon',
      values: { ':horizon': bytesValue(horizon) },
    },
    'harmless',
  );
}

async function referredIds(table: Table, { streamId, refs, next }: Tail) {
  const referred = new Set(refs.map(({ ulid }) => formatUlid(ulid)));
  for await (const { ulid } of indexRefs(table, streamId, { from: 0, end: next })) {
    referred.add(formatUlid(ulid));
  }
  return referred;
}

/** Names sort by the time their ids were minted: behind the horizon nothing is looked at. */
async function deleteOthers(
  objects: Objects,
  streamId: StreamId,
  { horizon, referred }: { readonly horizon: Ulid; readonly referred: ReadonlySet<string> },
): Promise<number> {
  let deleted = 0;
  let page: string | undefined;
  do {
    const found = await objects.list({
      prefix: chunkPrefix(streamId),
      ...(page !== undefined && { page }),
    });
    const passed = found.names.flatMap((name) => {
      const ulid = parseChunkObjectName(name)?.ulid;
      return ulid !== undefined && compareBytes(ulid, horizon) <= 0 ? [{ name, ulid }] : [];
    });
    const others = passed.filter(({ ulid }) => !referred.has(formatUlid(ulid)));
    if (others.length > 0) await objects.deleteMany(others.map(({ name }) => name));
    deleted += others.length;
    page = passed.length < found.names.length ? undefined : found.next;
  } while (page !== undefined);
  return deleted;
}
