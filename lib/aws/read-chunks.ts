/**
 * Reads chunks from an offset on (PROTOCOL R8). By the tail that was seen last, when it reaches as far as
 * the reader asks: then a page costs no further read of the table. An object that is not there leads to a
 * fresh look at the tail, at most twice; only then is it lost.
 */
import { offset } from '../core/log/ids.ts';
import { chunkObjectName, segmentObjectName } from '../format/object-key.ts';
import type { ChunkRange, StoredChunk } from '../ports/log-store.ts';
import { LostMessages } from '../ports/store-error.ts';
import type { AwsContext } from './aws-context.ts';
import { findSource } from './find-source.ts';
import type { PlacedRef } from './placed-refs.ts';
import type { PlacedPiece } from './segment-item.ts';
import type { Tail } from './tail-item.ts';

const LOOKS_MAX = 3;
/** A page of small chunks is many objects: so many are on their way at the same time. */
const OBJECTS_AT_ONCE = 16;

export async function readChunks(
  context: AwsContext,
  range: ChunkRange,
): Promise<readonly StoredChunk[]> {
  for (let look = 1; ; look++) {
    const tail = await tailFor(context, range, look);
    if (tail === undefined || range.from < tail.first) return [];

    const { chunks, missing } = await readPage(context, tail, range);
    if (chunks.length > 0 || missing === undefined) return chunks;
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

interface ChunkPage {
  readonly chunks: readonly StoredChunk[];
  /** The first object that is not there: the chunks end before it. */
  readonly missing?: Missing;
}

async function readPage(context: AwsContext, tail: Tail, range: ChunkRange): Promise<ChunkPage> {
  const page = new PageOfChunks(range);
  while (!page.isFull()) {
    const source = await findSource(context, tail, page.rest());
    if (source === undefined) break;
    const missing =
      source.kind === 'piece'
        ? await addPiece(context, page, source.piece)
        : await addObjects(context, page, source.refs);
    if (missing !== undefined) return { chunks: page.chunks, missing };
  }
  return { chunks: page.chunks };
}

async function addObjects(
  context: AwsContext,
  page: PageOfChunks,
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
  page: PageOfChunks,
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
  { segments, packed }: AwsContext,
  page: PageOfChunks,
  piece: PlacedPiece,
): Promise<Missing | undefined> {
  const { streamId } = page.range;
  const chunks = await segments.read(streamId, piece, page.rest());
  if (chunks === undefined) {
    // It was dropped since it was seen, or is lost: the next look tells.
    packed.forget(streamId);
    const { base, end, ulid } = piece;
    return { name: segmentObjectName({ streamId, first: base, end, ulid }), base, end };
  }
  for (const chunk of chunks) page.add(chunk);
  return undefined;
}

class PageOfChunks {
  readonly range: ChunkRange;
  readonly chunks: StoredChunk[] = [];
  #bytes = 0;
  #from: number;

  constructor(range: ChunkRange) {
    this.range = range;
    this.#from = range.from;
  }

  isFull(): boolean {
    const { end, bytesMax } = this.range;
    return this.#from >= end || (this.chunks.length > 0 && this.#bytes >= bytesMax);
  }

  rest() {
    const { end, bytesMax } = this.range;
    return { from: this.#from, end, bytesMax: bytesMax - this.#bytes };
  }

  /** Leaves out what was asked for no more, or not at all. */
  add(chunk: StoredChunk): void {
    const end = chunk.base + chunk.count;
    if (end <= this.#from || chunk.base >= this.range.end || this.isFull()) return;
    this.chunks.push(chunk);
    this.#bytes += bytesAfter(chunk, this.range.from);
    this.#from = end;
  }
}

/** Of a chunk that begins before `from`, its share by number: exact sizes would cost a walk over it. */
function bytesAfter({ base, count, bytes }: StoredChunk, from: number): number {
  return base >= from ? bytes : Math.floor((bytes * (base + count - from)) / count);
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
