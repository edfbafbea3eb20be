/** Whether the pieces of a segment are there, and hold exactly what was published, as it was published. */
import type { PlacedPiece, SealedSegment } from '../../../lib/aws/segment-item.ts';
import { decodeSegmentBlock, type SegmentBlockChunk } from '../../../lib/format/segment-block.ts';
import { decodeSegmentIndex } from '../../../lib/format/segment-index.ts';
import { formatUlid } from '../../../lib/format/ulid.ts';
import { logicalBytes } from '../../../lib/wire/record.ts';
import type { Incarnation, StoredPiece } from './incarnation.ts';
import { idText, messageIds } from './message-body.ts';
import type { LoggedMessage } from './true-log.ts';
import { demand, Violation } from './violation.ts';

export function checkPieces(incarnation: Incarnation, { first, pieces }: SealedSegment): void {
  let at = first;
  for (const piece of pieces) {
    const name = formatUlid(piece.ulid);
    const what = () => `${name} [${piece.base}, ${piece.end}) of segment ${first}`;
    demand(piece.base === at && piece.end > at, 'PIECES_WRONG', what);
    at = piece.end;
    const stored = incarnation.pieces.get(name);
    if (stored === undefined) throw new Violation('DANGLING_PIECE', what());
    if (incarnation.rightPieces.has(name)) continue;
    checkPiece(incarnation, piece, stored);
    incarnation.rightPieces.add(name);
  }
}

function checkPiece({ log }: Incarnation, piece: PlacedPiece, stored: StoredPiece): void {
  const { base, end } = piece;
  const what = () => `${formatUlid(piece.ulid)} [${base}, ${end})`;
  const isNamed = stored.first === base && stored.end === end;
  demand(isNamed && stored.bytes.length === piece.bytes, 'PIECES_WRONG', what);
  const found = chunksOf(piece, stored.bytes);
  const wanted = publishedChunks(log.messages.slice(base, end));
  demand(found.length === wanted.length, 'PIECES_WRONG', what);
  for (const [at, chunk] of found.entries()) {
    const messages = wanted[at] ?? [];
    const isSame =
      chunk.base === messages[0]?.offset &&
      chunk.bytes === logicalBytes(chunk.records, messages.length) &&
      messages.every(({ timeMs }) => timeMs === chunk.timeMs) &&
      messageIds(chunk).map(idText).join() === messages.map(idText).join();
    demand(isSame, 'PIECES_WRONG', () => `${what()}, chunk ${chunk.base}`);
  }
}

function chunksOf({ indexStart, ulid }: PlacedPiece, bytes: Uint8Array) {
  const name = formatUlid(ulid);
  const { blocks } = decodeSegmentIndex(bytes.slice(indexStart), name);
  return blocks.flatMap((block): readonly SegmentBlockChunk[] => {
    const encoded = bytes.slice(block.start, block.start + block.size);
    return decodeSegmentBlock(encoded, block, name);
  });
}

/** Messages that were stored by one request, or released together. */
function publishedChunks(
  messages: readonly LoggedMessage[],
): readonly (readonly LoggedMessage[])[] {
  return [...Map.groupBy(messages, ({ chunk }) => chunk).values()];
}
