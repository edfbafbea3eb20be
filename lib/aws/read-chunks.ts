/**
 * Reads chunks from an offset on (PROTOCOL R8). By the tail that was seen last, when it reaches as far as
 * the reader asks: then a page costs no further read of the table. An object that is not there leads to a
 * fresh look at the tail, at most twice; only then is it lost.
 */
import type { MessageFilter } from '../core/filter/filter.ts';
import { offset, type StreamId } from '../core/log/ids.ts';
import { createBlockFilter } from '../format/block-filter.ts';
import { chunkObjectName, segmentObjectName } from '../format/object-key.ts';
import type { ChunkRange, ScannedChunks, StoredChunk } from '../ports/log-store.ts';
import { LostMessages } from '../ports/store-error.ts';
import type { AwsContext } from './aws-context.ts';
import { ChunkPage } from './chunk-page.ts';
import { findSource } from './find-source.ts';
import type { PlacedRef } from './placed-refs.ts';
import type { PlacedPiece } from './segment-item.ts';
import type { Tail } from './tail-item.ts';

const LOOKS_MAX = 3;
/** A request each of some KiB. */
const INDEXES_AHEAD = 8;
/** A page of small chunks is many objects: so many are on their way at the same time. */
const OBJECTS_AT_ONCE = 16;

export async function readChunks(
  context: AwsContext,
  range: ChunkRange,
): Promise<readonly StoredChunk[]> {
  return (await readPage(context, () => new ChunkPage(range))).chunks;
}

/** The same, but passes over blocks of packed segments that hold nothing wanted. */
export async function scanChunks(
  context: AwsContext,
  range: ChunkRange,
  filter: MessageFilter,
): Promise<ScannedChunks> {
  const wanted = createBlockFilter(filter);
  const { chunks, next } = await readPage(context, () => new ChunkPage(range, wanted));
  return { chunks, end: offset(Math.min(next, range.end)) };
}

/** Each look begins anew: what an earlier one had seen may be gone. */
async function readPage(context: AwsContext, begin: () => ChunkPage): Promise<ChunkPage> {
  for (let look = 1; ; look++) {
    const page = begin();
    const { range } = page;
    const tail = await tailFor(context, range, look);
    if (tail === undefined || range.from < tail.first) return page;

    const missing = await fillPage(context, tail, page);
    if (page.next > range.from || missing === undefined) return page;
    if (look === LOOKS_MAX) throw lostMessages(context, range, missing);
  }
}

async function tailFor(
  { streams }: AwsContext,
  { streamId, from, end }: ChunkRange,
  look: number,
): Promise<Tail | undefined> {
  const known = look === 1 ? await streams.covering(streamId, end) : undefined;
  if (known !== undefined && from >= known.tail.first) return known.tail;
  return (await streams.loadById(streamId))?.tail;
}

/** What is not there: the object of these messages. */
interface Missing {
  readonly name: string;
  readonly base: number;
  readonly end: number;
}

/** Gives the first object that is not there: the page ends before it. */
async function fillPage(
  context: AwsContext,
  tail: Tail,
  page: ChunkPage,
): Promise<Missing | undefined> {
  while (!page.isFull()) {
    const source = await findSource(context, tail, page.rest());
    if (source === undefined) return undefined;
    const missing =
      source.kind === 'piece'
        ? await addPiece(context, page, source.piece)
        : await addObjects(context, page, source.refs);
    if (missing !== undefined) return missing;
  }
  return undefined;
}

async function addObjects(
  context: AwsContext,
  page: ChunkPage,
  refs: readonly PlacedRef[],
): Promise<Missing | undefined> {
  const { streamId } = page.range;
  for (let at = 0; at < refs.length && !page.isFull(); at += OBJECTS_AT_ONCE) {
    const missing = await addAtOnce(context, page, refs.slice(at, at + OBJECTS_AT_ONCE));
    if (missing === undefined) continue;
    const { ulid, base, end } = missing;
    return { name: chunkObjectName({ streamId, ulid }), base, end };
  }
  return undefined;
}

/** Reads them at the same time and takes them in their order; gives the first that is not there. */
async function addAtOnce(
  { chunks: reader }: AwsContext,
  page: ChunkPage,
  refs: readonly PlacedRef[],
): Promise<PlacedRef | undefined> {
  const { streamId } = page.range;
  const loading = refs.map(async (ref) => ({ ref, chunks: await reader.load(streamId, ref) }));
  for (const { ref, chunks } of await Promise.all(loading)) {
    if (chunks === undefined) return ref;
    for (const chunk of chunks) page.add(chunk);
  }
  return undefined;
}

async function addPiece(
  context: AwsContext,
  page: ChunkPage,
  piece: PlacedPiece,
): Promise<Missing | undefined> {
  const { segments, packed } = context;
  const { streamId } = page.range;
  if (page.passed > 0) readAhead(context, streamId, piece);
  const read = await segments.read(streamId, piece, { ...page.rest(), filter: page.filter });
  if (read === undefined) {
    // It was dropped since it was seen, or is lost: the next look tells.
    packed.forget(streamId);
    const { base, end, ulid } = piece;
    return { name: segmentObjectName({ streamId, first: base, end, ulid }), base, end };
  }
  for (const chunk of read.chunks) page.add(chunk);
  page.passTo(read.end);
  return undefined;
}

/** Who passes over one piece passes over many: their indexes are read at the same time. */
function readAhead({ segments, packed }: AwsContext, streamId: StreamId, piece: PlacedPiece): void {
  let { end } = piece;
  for (let count = 0; count < INDEXES_AHEAD; count++) {
    const next = packed.holding(streamId, end)?.pieces.find(({ base }) => base === end);
    if (next === undefined) return;
    // That it fails is told to who needs it.
    segments.index(streamId, next).catch(() => {});
    end = next.end;
  }
}

function lostMessages(
  { telemetry, metrics }: AwsContext,
  { streamId, from }: ChunkRange,
  { name, base, end }: Missing,
): LostMessages {
  const error = new LostMessages(`object ${name} is not there`, {
    start: offset(Math.max(from, base)),
    end: offset(end),
  });
  metrics.lostObjects.add(1);
  telemetry.error('object_lost', { stream_id: streamId, error });
  return error;
}
