/**
 * The item of a sealed segment (PROTOCOL R3, R4): e its end, y its logical bytes and c those of the stream
 * up to its end, a and z the times of its first and last message, o the pieces that it was packed into, p when
 * the last of them was. Only o and p ever change, and only grow.
 */
import type { StreamId } from '../core/log/ids.ts';
import { decodePieceRef, encodePieceRef, type PieceRef } from '../format/piece-ref.ts';
import {
  asBytes,
  bytesValue,
  listOf,
  listValue,
  numberOf,
  numberValue,
  textOf,
  textValue,
} from './attribute.ts';
import type { Attribute, Item, ItemKey } from './table.ts';
import { offsetSortKey, segmentPartition } from './table-key.ts';

/** What the refs of a segment add up to. */
export interface SegmentSpan {
  /** [first, end) */
  readonly first: number;
  readonly end: number;
  readonly bytes: number;
  readonly firstTimeMs: number;
  readonly lastTimeMs: number;
}

/** What its item does not say is unknown, and keeps it (SPEC T7). */
export interface SealedSegment {
  /** [first, end) */
  readonly first: number;
  readonly end: number;
  readonly bytes: number | undefined;
  readonly bytesThrough: number | undefined;
  readonly firstTimeMs: number | undefined;
  readonly lastTimeMs: number | undefined;
  readonly pieces: readonly PlacedPiece[];
  /** Undefined until all of it is packed. */
  readonly packedMs?: number;
}

export interface PlacedPiece extends PieceRef {
  /** Its messages have offsets [base, end). */
  readonly base: number;
  readonly end: number;
}

export function segmentKey(streamId: StreamId, first: number): ItemKey {
  return { k: segmentPartition(streamId), s: offsetSortKey(first) };
}

export function encodeSegment(
  streamId: StreamId,
  segment: SegmentSpan & { readonly bytesThrough: number },
): Item {
  const { k, s } = segmentKey(streamId, segment.first);
  return {
    k: textValue(k),
    s: textValue(s),
    e: numberValue(segment.end),
    y: numberValue(segment.bytes),
    c: numberValue(segment.bytesThrough),
    a: numberValue(segment.firstTimeMs),
    z: numberValue(segment.lastTimeMs),
    o: listValue(),
  };
}

export function pieceValue(piece: PieceRef): Attribute {
  return bytesValue(encodePieceRef(piece));
}

export function decodeSegment(item: Item): SealedSegment {
  const first = Number(textOf(item, 's'));
  return {
    first,
    end: numberOf(item, 'e'),
    bytes: numberUnlessAbsent(item, 'y'),
    bytesThrough: numberUnlessAbsent(item, 'c'),
    firstTimeMs: numberUnlessAbsent(item, 'a'),
    lastTimeMs: numberUnlessAbsent(item, 'z'),
    pieces: placePieces(item, first),
    ...(item['p'] !== undefined && { packedMs: numberOf(item, 'p') }),
  };
}

function numberUnlessAbsent(item: Item, name: string): number | undefined {
  return item[name] === undefined ? undefined : numberOf(item, name);
}

function placePieces(item: Item, first: number): readonly PlacedPiece[] {
  const what = () => `segment ${textOf(item, 'k')} ${textOf(item, 's')}`;
  let base = first;
  return listOf(item, 'o').map((encoded) => {
    const piece = decodePieceRef(asBytes(encoded, what), what());
    const placed = { ...piece, base, end: base + piece.count };
    base = placed.end;
    return placed;
  });
}

/** Offset up to which it is packed: its first one as long as nothing is. */
export function packedEnd({ first, pieces }: SealedSegment): number {
  return pieces.at(-1)?.end ?? first;
}
