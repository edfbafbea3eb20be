/**
 * What a filtered reader needs to skip a block: which filter values, keys and headers may be in it, whether
 * a message has no filter value, and the bounds of the places. Never rules out a message that is there.
 *
 *   flags u8 (1: a message has no filter value, 2: bounds, 4: headers) | varint bytes of the values
 *   | bloom filter | varint bytes of the keys | bloom filter | [varint bytes of the headers | bloom filter]
 *   | [f64 lowest lat, highest lat, lowest lon, highest lon]
 */
import type { GeoBox } from '../core/filter/filter.ts';
import { type VarintReader, varintBytes, writeVarint } from '../wire/varint.ts';
import { mayHold } from './bloom-filter.ts';
import { CorruptChunk } from './corrupt-chunk.ts';

export interface BlockSummary {
  /** Bloom filters, see format/bloom-filter. */
  readonly values: Uint8Array;
  readonly keys: Uint8Array;
  /** What headers equal, by {@link headerEntry}; absent where nobody looked: then any may be there. */
  readonly headers?: Uint8Array;
  /** True when a message has no filter value. */
  readonly hasUnfiltered: boolean;
  /** Of all usable coordinates; absent when no message has any. */
  readonly bounds?: GeoBox;
}

const UNFILTERED = 1;
const BOUNDED = 2;
const HEADED = 4;
const BOUNDS_BYTES = 4 * 8;

/** False only when no message of the block has this filter value, compared exactly. */
export function mayHoldValue(summary: BlockSummary, value: string): boolean {
  return mayHold(summary.values, value);
}

/** False only when no message of the block has this key. */
export function mayHoldKey(summary: BlockSummary, key: Uint8Array): boolean {
  return mayHold(summary.keys, key);
}

/** False only when no header of this name equals the text (SPEC F3). */
export function mayHoldHeader({ headers }: BlockSummary, name: string, text: string): boolean {
  if (headers === undefined || mayHold(headers, manyTextsEntry(name))) return true;
  // A number is an entry in its shortest form, whatever digits it was written with.
  return [text, String(Number(text))].some((one) => mayHold(headers, headerEntry(name, one)));
}

/** What stands for a header that equals this text (core/filter/filter-headers, `comparedText`). */
export function headerEntry(name: string, text: string): string {
  return `${name}=${text}`;
}

/** What stands for all texts of a header that has many. */
export function manyTextsEntry(name: string): string {
  return name;
}

export function encodeBlockSummary(summary: BlockSummary): Uint8Array {
  const { values, keys, headers, hasUnfiltered, bounds } = summary;
  const blooms = headers === undefined ? [values, keys] : [values, keys, headers];
  const boundsStart = blooms.reduce((sum, { length }) => sum + varintBytes(length) + length, 1);
  const target = new Uint8Array(boundsStart + (bounds ? BOUNDS_BYTES : 0));
  target[0] =
    (hasUnfiltered ? UNFILTERED : 0) |
    (bounds ? BOUNDED : 0) |
    (headers === undefined ? 0 : HEADED);
  let position = 1;
  for (const bloom of blooms) {
    position = writeVarint(target, bloom.length, position);
    target.set(bloom, position);
    position += bloom.length;
  }
  if (bounds) writeBounds(new DataView(target.buffer, boundsStart), bounds);
  return target;
}

function writeBounds(view: DataView, { minLat, maxLat, minLon, maxLon }: GeoBox): void {
  [minLat, maxLat, minLon, maxLon].forEach((bound, index) => {
    view.setFloat64(8 * index, bound, true);
  });
}

/** Reads the summary at the reader's position. */
export function decodeBlockSummary(reader: VarintReader): BlockSummary {
  const flags = reader.byte('flags of a summary');
  if ((flags & ~(UNFILTERED | BOUNDED | HEADED)) !== 0) {
    throw new CorruptChunk(`unknown flags ${flags} of a summary`);
  }
  const values = reader.take(reader.next('bytes of the values'), 'values');
  const keys = reader.take(reader.next('bytes of the keys'), 'keys');
  const isHeaded = (flags & HEADED) !== 0;
  const summary = {
    values,
    keys,
    ...(isHeaded && { headers: reader.take(reader.next('bytes of the headers'), 'headers') }),
    hasUnfiltered: (flags & UNFILTERED) !== 0,
  };
  if ((flags & BOUNDED) === 0) return summary;
  const { buffer, byteOffset } = reader.take(BOUNDS_BYTES, 'bounds');
  return { ...summary, bounds: readBounds(new DataView(buffer, byteOffset)) };
}

function readBounds(view: DataView): GeoBox {
  return {
    minLat: view.getFloat64(0, true),
    maxLat: view.getFloat64(8, true),
    minLon: view.getFloat64(16, true),
    maxLon: view.getFloat64(24, true),
  };
}
