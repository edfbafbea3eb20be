/**
 * What a stream remembers of a publisher's latest request beside its offset and highest id, in few bytes:
 *
 *   varint count of the request's ids | varint duplicates among them
 *   | varint messages of the commit before it | varint gaps in its ids
 *
 * Gaps are highest id - first id - count + 1: 0 when the ids follow one another, and never negative,
 * since ids rise within a request (SPEC D2).
 */
import { VarintReader, varintBytes, writeVarint } from '../wire/varint.ts';
import { asCorrupt, CorruptChunk } from './corrupt-chunk.ts';

export interface PublisherMeta {
  readonly count: number;
  readonly duplicates: number;
  /** The request's first stored message is so far behind the first one of its commit. */
  readonly delta: number;
  readonly gaps: number;
}

export function encodePublisherMeta(meta: PublisherMeta): Uint8Array {
  const numbers = [meta.count, meta.duplicates, meta.delta, meta.gaps];
  const target = new Uint8Array(numbers.reduce((sum, n) => sum + varintBytes(n), 0));
  numbers.reduce((position, n) => writeVarint(target, n, position), 0);
  return target;
}

export function decodePublisherMeta(encoded: Uint8Array, what: string): PublisherMeta {
  try {
    const reader = new VarintReader(encoded);
    const meta = {
      count: reader.next('count'),
      duplicates: reader.next('duplicates'),
      delta: reader.next('delta'),
      gaps: reader.next('gaps'),
    };
    if (reader.position !== encoded.length) throw new CorruptChunk('bytes behind the request');
    return meta;
  } catch (error) {
    throw asCorrupt(error, what);
  }
}
