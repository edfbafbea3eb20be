/** The part of a batch that is stored when some of its messages are known already, or held (SPEC D4, M5, L13). */
import { logicalBytes, recordStart, skipRecord } from '../wire/record.ts';
import { joinBytes } from '../wire/record-list.ts';
import { VarintReader } from '../wire/varint.ts';
import type { ChunkContent } from './chunk.ts';

/** Logical bytes of the messages from the one with this index on. */
export function bytesFrom({ records, bytes }: ChunkContent, index: number): number {
  return bytes - logicalBytes(records, index);
}

export function withoutFirst(content: ChunkContent, duplicates: number): ChunkContent {
  if (duplicates === 0) return content;
  const { count, records, jsonChecked } = content;
  return {
    count: count - duplicates,
    records: records.subarray(recordStart(records, duplicates)),
    bytes: bytesFrom(content, duplicates),
    jsonChecked,
  };
}

/**
 * What an append leaves out: so many messages that are known, of which those listed stand anywhere, all others at
 * the front; and those that are held, anywhere too.
 */
export interface LeftOut {
  readonly duplicates: number;
  readonly byValue?: readonly number[];
  readonly held?: readonly number[];
}

export function withoutLeftOut(
  content: ChunkContent,
  { duplicates, byValue = [], held = [] }: LeftOut,
): ChunkContent {
  const front = duplicates - byValue.length;
  const rest = withoutFirst(content, front);
  const others = [...byValue, ...held];
  if (others.length === 0) return rest;
  return withoutIndexes(rest, new Set(others.map((index) => index - front)));
}

function withoutIndexes(content: ChunkContent, indexes: ReadonlySet<number>): ChunkContent {
  const reader = new VarintReader(content.records);
  const kept: Uint8Array[] = [];
  let bytes = 0;
  for (let index = 0; index < content.count; index++) {
    const start = reader.position;
    const size = skipRecord(reader);
    if (indexes.has(index)) continue;
    kept.push(content.records.subarray(start, reader.position));
    bytes += size;
  }
  return { ...content, count: kept.length, records: joinBytes(kept), bytes };
}
