/**
 * Deletes objects that nothing refers to (PROTOCOL R7): of uploads whose commit never came, of messages that
 * were dropped, and chunks that were packed. First the horizon: from then on nothing can make an old object
 * visible. Then what is referred to, the tail before the index, as refs only move that way, and the segments.
 * Only then are objects deleted.
 */
import type { StreamId } from '../core/log/ids.ts';
import {
  chunkPrefix,
  parseChunkObjectName,
  parseSegmentObjectName,
  segmentPrefix,
} from '../format/object-key.ts';
import { compareBytes, formatUlid, type Ulid } from '../format/ulid.ts';
import { bytesValue } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import { raiseHorizon } from './fence-ulid.ts';
import type { KnownStream } from './known-stream.ts';
import type { Objects } from './objects.ts';
import { indexRefs } from './stream-index.ts';
import { sealedFrom } from './stream-segments.ts';
import type { Table } from './table.ts';
import { controlKey } from './table-key.ts';
import type { Tail } from './tail-item.ts';

export interface Collection {
  /** What was minted up to it is refused from now on, and goes unless it is referred to. */
  readonly horizon: Ulid;
  /** Of chunks only those up to this one are looked for, at or below the horizon. */
  readonly chunksUpTo: Ulid;
}

/** Gives how many objects were deleted. */
export async function collectObjects(
  { table, objects, streams }: AwsContext,
  stream: KnownStream,
  { horizon, chunksUpTo }: Collection,
): Promise<number> {
  const { name, tail: before } = stream;
  const { streamId } = before;
  await raiseHorizon(table, stream, horizon);
  await raiseFence(table, streamId, horizon);
  const now = await streams.load(name);
  if (now?.tail.streamId !== streamId || compareBytes(now.tail.horizon, horizon) < 0) {
    return 0;
  }
  const chunks = await deleteOthers(objects, {
    prefix: chunkPrefix(streamId),
    // What was minted above the horizon may become visible after the tail was read.
    upTo: compareBytes(chunksUpTo, horizon) < 0 ? chunksUpTo : horizon,
    referred: await referredChunks(table, now.tail),
    ulidOf: (object) => parseChunkObjectName(object)?.ulid,
    isSorted: true,
  });
  const pieces = await deleteOthers(objects, {
    prefix: segmentPrefix(streamId),
    upTo: horizon,
    referred: await referredPieces(table, streamId),
    ulidOf: (object) => parseSegmentObjectName(object)?.ulid,
    isSorted: false,
  });
  return chunks + pieces;
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

/** By their ids. */
export async function referredChunks(table: Table, { streamId, refs, next }: Tail) {
  const referred = new Set(refs.map(({ ulid }) => formatUlid(ulid)));
  for await (const { ulid } of indexRefs(table, streamId, { from: 0, end: next })) {
    referred.add(formatUlid(ulid));
  }
  return referred;
}

/** By their ids. */
export async function referredPieces(table: Table, streamId: StreamId) {
  const referred = new Set<string>();
  for await (const { pieces } of sealedFrom(table, streamId, 0)) {
    for (const { ulid } of pieces) referred.add(formatUlid(ulid));
  }
  return referred;
}

interface Candidates {
  readonly prefix: string;
  readonly upTo: Ulid;
  readonly referred: ReadonlySet<string>;
  ulidOf(name: string): Ulid | undefined;
  /** Names sort by their ids: behind the last one that may go nothing is looked at. */
  readonly isSorted: boolean;
}

async function deleteOthers(
  objects: Objects,
  { prefix, upTo, referred, ulidOf, isSorted }: Candidates,
): Promise<number> {
  let deleted = 0;
  let page: string | undefined;
  do {
    const found = await objects.list({ prefix, ...(page !== undefined && { page }) });
    const passed = found.names.flatMap((name) => {
      const ulid = ulidOf(name);
      return ulid !== undefined && compareBytes(ulid, upTo) <= 0 ? [{ name, ulid }] : [];
    });
    const others = passed.filter(({ ulid }) => !referred.has(formatUlid(ulid)));
    if (others.length > 0) await objects.deleteMany(others.map(({ name }) => name));
    deleted += others.length;
    page = isSorted && passed.length < found.names.length ? undefined : found.next;
  } while (page !== undefined);
  return deleted;
}
