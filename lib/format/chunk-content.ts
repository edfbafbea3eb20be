/** The part of a batch that is stored when its first messages were known already (SPEC D4). */
import { logicalBytes, recordStart } from '../wire/record.ts';
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
