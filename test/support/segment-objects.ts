/** Segment objects, packed and read again as stores do it. */
import type { ChunkContent } from '../../lib/format/chunk.ts';
import { decodeSegmentBlock, type SegmentBlockChunk } from '../../lib/format/segment-block.ts';
import { SegmentBuilder, type SegmentChunk } from '../../lib/format/segment-builder.ts';
import {
  decodeSegmentFooter,
  decodeSegmentIndex,
  SEGMENT_FOOTER_BYTES,
  type SegmentIndex,
} from '../../lib/format/segment-index.ts';
import { encodeRecords, recordBytes, type WireRecord } from '../../lib/wire/record.ts';

export interface PackedSegment {
  readonly object: Uint8Array;
  readonly indexStart: number;
}

export function packSegment(first: number, chunks: readonly SegmentChunk[]): PackedSegment {
  const builder = new SegmentBuilder(first);
  const parts = chunks.map((chunk) => builder.add(chunk));
  const { rest, indexStart } = builder.finish();
  return { object: new Uint8Array(Buffer.concat([...parts, rest])), indexStart };
}

/** With three reads, as of an object of which nothing is known. */
export function readSegmentIndex(object: Uint8Array): SegmentIndex {
  const { indexStart } = decodeSegmentFooter(object.slice(-SEGMENT_FOOTER_BYTES), 'segment 9');
  return decodeSegmentIndex(object.slice(indexStart), 'segment 9');
}

export function readSegment(object: Uint8Array): readonly SegmentBlockChunk[] {
  return readSegmentIndex(object).blocks.flatMap((block) => {
    const bytes = object.slice(block.start, block.start + block.size);
    return decodeSegmentBlock(bytes, block, 'segment 9');
  });
}

/** What a reader must find: the same chunks, each at its offset. */
export function atOffsets(first: number, chunks: readonly SegmentChunk[]): SegmentBlockChunk[] {
  let base = first;
  return chunks.map((chunk) => {
    const placed = { ...chunk, base };
    base += chunk.count;
    return placed;
  });
}

export function contentOf(records: readonly WireRecord[]): ChunkContent {
  return {
    count: records.length,
    records: encodeRecords(records),
    bytes: records.reduce((sum, record) => sum + recordBytes(record), 0),
    jsonChecked: false,
  };
}
