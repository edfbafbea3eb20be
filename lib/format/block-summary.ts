/**
 * What a filtered reader needs to skip a block: which filter values and keys may be in it, whether a
 * message has no filter value, and the bounds of the places. Never rules out a message that is there.
 *
 *   flags u8 (1: a message has no filter value, 2: bounds) | varint bytes of the values | bloom filter
 *   | varint bytes of the keys | bloom filter | [f64 lowest lat, highest lat, lowest lon, highest lon]
 */
import { type VarintReader, varintBytes, writeVarint } from '../wire/varint.ts';
import { mayHold } from './bloom-filter.ts';
import { CorruptChunk } from './corrupt-chunk.ts';

/** Inclusive, of all usable coordinates. */
export interface GeoBounds {
  readonly minLat: number;
  readonly maxLat: number;
  readonly minLon: number;
  readonly maxLon: number;
}

export interface BlockSummary {
  /** Bloom filters, see format/bloom-filter. */
  readonly values: Uint8Array;
  readonly keys: Uint8Array;
  /** True when a message has no filter value. */
  readonly hasUnfiltered: boolean;
  /** Absent when no message has usable coordinates. */
  readonly bounds?: GeoBounds;
}

const UNFILTERED = 1;
const BOUNDED = 2;
const BOUNDS_BYTES = 4 * 8;

/** False only when no message of the block has this filter value, compared exactly. */
export function mayHoldValue(summary: BlockSummary, value: string): boolean {
  return mayHold(summary.values, value);
}

/** False only when no message of the block has this key. */
export function mayHoldKey(summary: BlockSummary, key: Uint8Array): boolean {
  return mayHold(summary.keys, key);
}

export function encodeBlockSummary(summary: BlockSummary): Uint8Array {
  const { values, keys, hasUnfiltered, bounds } = summary;
  const blooms = [values, keys];
  const boundsStart = blooms.reduce((sum, { length }) => sum + varintBytes(length) + length, 1);
  const target = new Uint8Array(boundsStart + (bounds ? BOUNDS_BYTES : 0));
  target[0] = (hasUnfiltered ? UNFILTERED : 0) | (bounds ? BOUNDED : 0);
  let position = 1;
  for (const bloom of blooms) {
    position = writeVarint(target, bloom.length, position);
    target.set(bloom, position);
    position += bloom.length;
  }
  if (bounds) writeBounds(new DataView(target.buffer, boundsStart), bounds);
  return target;
}

function writeBounds(view: DataView, { minLat, maxLat, minLon, maxLon }: GeoBounds): void {
  [minLat, maxLat, minLon, maxLon].forEach((bound, index) => {
    view.setFloat64(8 * index, bound, true);
  });
}

/** Reads the summary at the reader's position. */
export function decodeBlockSummary(reader: VarintReader): BlockSummary {
  const flags = reader.byte('flags of a summary');
  if ((flags & ~(UNFILTERED | BOUNDED)) !== 0) {
    throw new CorruptChunk(`unknown flags ${flags} of a summary`);
  }
  const values = reader.take(reader.next('bytes of the values'), 'values');
  const keys = reader.take(reader.next('bytes of the keys'), 'keys');
  const hasUnfiltered = (flags & UNFILTERED) !== 0;
  if ((flags & BOUNDED) === 0) return { values, keys, hasUnfiltered };
  const { buffer, byteOffset } = reader.take(BOUNDS_BYTES, 'bounds');
  return { values, keys, hasUnfiltered, bounds: readBounds(new DataView(buffer, byteOffset)) };
}

function readBounds(view: DataView): GeoBounds {
  return {
    minLat: view.getFloat64(0, true),
    maxLat: view.getFloat64(8, true),
    minLon: view.getFloat64(16, true),
    maxLon: view.getFloat64(24, true),
  };
}
