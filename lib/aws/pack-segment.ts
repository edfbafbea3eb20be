/**
 * Packs a sealed segment (PROTOCOL R4): piece by piece, each the messages of many chunk objects in one. A piece
 * is limited by its size and by the objects that are read for it, so that a function that ends in between loses
 * little: what is packed stays, and the next one goes on behind it.
 */
import type { StreamId } from '../core/log/ids.ts';
import { segmentObjectName } from '../format/object-key.ts';
import { SegmentBuilder } from '../format/segment-builder.ts';
import type { Ulid } from '../format/ulid.ts';
import type { StoredChunk } from '../ports/log-store.ts';
import { StoreError } from '../ports/store-error.ts';
import { bytesValue, listValue, numberValue } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import { GrowingBytes } from './growing-bytes.ts';
import type { KnownStream } from './known-stream.ts';
import { mintUlid } from './mint-ulid.ts';
import type { PlacedRef } from './placed-refs.ts';
import { packedEnd, pieceValue, type SealedSegment, segmentKey } from './segment-item.ts';
import { refsOfRange } from './stream-index.ts';
import { controlKey } from './table-key.ts';

/** A piece ends with the object that reaches one of them. */
export interface PackingLimits {
  readonly pieceBytes: number;
  readonly pieceObjectsMax: number;
}

export const PACKING_LIMITS: PackingLimits = {
  /** Held in memory until it is put, so this is what a function of 256 MiB affords. */
  pieceBytes: 24 * 1024 * 1024,
  /** A segment of single messages is tens of thousands of objects: some seconds for so many. */
  pieceObjectsMax: 4096,
};
/** What the largest object adds beyond the limit, and the index. */
const LAST_BLOCKS_BYTES = 8 * 1024 * 1024;
/** Read ahead of the one that is being packed: as many, and as many bytes, as hold up nothing else. */
const AHEAD_OBJECTS_MAX = 32;
const AHEAD_BYTES_MAX = 4 * 1024 * 1024;

export type PackOutcome =
  /** A piece was packed, by this call or another. */
  | { readonly kind: 'packed'; readonly end: number }
  /** What the next piece would hold is not all there: it was dropped meanwhile, lost or damaged. */
  | { readonly kind: 'incomplete'; readonly at: number };

/** One piece behind those that are packed. */
export async function packPiece(
  context: AwsContext,
  { tail: { streamId, horizon } }: KnownStream,
  segment: SealedSegment,
): Promise<PackOutcome> {
  const from = packedEnd(segment);
  const built = await buildPiece(context, streamId, { from, end: segment.end });
  if (built.kind === 'incomplete') return built;
  const { bytes, indexStart, end } = built;
  // Above the horizon, and so above the fence, which is never raised before it.
  const ulid = mintUlid(context, horizon);
  await context.objects.put(segmentObjectName({ streamId, first: from, end, ulid }), bytes);
  const piece = { ulid, count: end - from, bytes: bytes.length, indexStart };
  await storePiece(context, streamId, { segment, piece, isLast: end === segment.end });
  return { kind: 'packed', end };
}

type Built =
  | {
      readonly kind: 'built';
      readonly bytes: Uint8Array;
      readonly indexStart: number;
      readonly end: number;
    }
  | Extract<PackOutcome, { kind: 'incomplete' }>;

async function buildPiece(
  context: AwsContext,
  streamId: StreamId,
  range: { readonly from: number; readonly end: number },
): Promise<Built> {
  const builder = new SegmentBuilder(range.from);
  const object = new GrowingBytes(context.packing.pieceBytes + LAST_BLOCKS_BYTES);
  let end = range.from;
  for await (const { ref, chunks } of chunksOf(context, streamId, range)) {
    if (chunks === undefined) return { kind: 'incomplete', at: ref.base };
    for (const chunk of chunks) object.add(builder.add(chunk));
    end = ref.end;
    if (builder.encodedBytes >= context.packing.pieceBytes) break;
  }
  if (end === range.from) return { kind: 'incomplete', at: end };
  const { rest, indexStart } = builder.finish();
  object.add(rest);
  return { kind: 'built', bytes: object.bytes(), indexStart, end };
}

interface LoadedRef {
  readonly ref: PlacedRef;
  readonly chunks: readonly StoredChunk[] | undefined;
}

/** In their order, while those that follow are on their way. */
async function* chunksOf(
  context: AwsContext,
  streamId: StreamId,
  range: { readonly from: number; readonly end: number },
): AsyncGenerator<LoadedRef> {
  const { table, packing } = context;
  const ahead: { readonly ref: PlacedRef; readonly loading: Promise<LoadedRef> }[] = [];
  let aheadBytes = 0;
  let objects = 0;
  const take = async () => {
    const first = ahead.shift();
    aheadBytes -= first?.ref.bytes ?? 0;
    return await first?.loading;
  };
  for await (const ref of refsOfRange(table, streamId, range)) {
    if (++objects > packing.pieceObjectsMax) break;
    while (
      ahead.length >= AHEAD_OBJECTS_MAX ||
      (ahead.length > 0 && aheadBytes + ref.bytes > AHEAD_BYTES_MAX)
    ) {
      const loaded = await take();
      if (loaded !== undefined) yield loaded;
    }
    const loading = loadRef(context, streamId, ref);
    // Whoever stops in between waits for none of them.
    loading.catch(() => {});
    ahead.push({ ref, loading });
    aheadBytes += ref.bytes;
  }
  for (let loaded = await take(); loaded !== undefined; loaded = await take()) yield loaded;
}

/** Without what is not there, or damaged: a part of the segment must not take all of it along. */
async function loadRef(
  { chunks: reader, telemetry }: AwsContext,
  streamId: StreamId,
  ref: PlacedRef,
): Promise<LoadedRef> {
  try {
    return { ref, chunks: await reader.loadOnce(streamId, ref) };
  } catch (error) {
    if (!(error instanceof StoreError) || error.kind !== 'corrupt') throw error;
    telemetry.error('segment_not_packed', { stream_id: streamId, error });
    return { ref, chunks: undefined };
  }
}

interface NewPiece {
  readonly segment: SealedSegment;
  readonly piece: {
    readonly ulid: Ulid;
    readonly count: number;
    readonly bytes: number;
    readonly indexStart: number;
  };
  readonly isLast: boolean;
}

/** Unless a collection has passed over its id, or another piece is there: then the object is an orphan. */
async function storePiece(
  context: AwsContext,
  streamId: StreamId,
  { segment, piece, isLast }: NewPiece,
): Promise<void> {
  const packed = isLast ? ', #p = :now' : '';
  await context.table.transact(
    [
      {
        kind: 'check',
        key: controlKey(streamId),
        condition: '#fn < :ulid',
        values: { ':ulid': bytesValue(piece.ulid) },
      },
      {
        kind: 'update',
        key: segmentKey(streamId, segment.first),
        update: `SET #o = list_append(#o, :piece)${packed}`,
        condition: 'attribute_exists(#k) AND size(#o) = :known',
        values: {
          ':piece': listValue(pieceValue(piece)),
          ':known': numberValue(segment.pieces.length),
          ...(isLast && { ':now': numberValue(context.clock.nowMs()) }),
        },
      },
    ],
    Buffer.from(piece.ulid).toString('hex'),
  );
}
