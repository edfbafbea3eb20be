/** From a batch to the chunk that is stored of it: without the messages that were known already. */
import type { CommitOutcome } from '../core/log/commit-batch.ts';
import type { Append, Batch } from '../ports/log-store.ts';
import { logicalBytes, recordStart } from '../wire/record.ts';
import type { PlacedChunk } from './run-table.ts';

/** Logical bytes of the messages from the one with this index on, as `AppendCommand` asks for. */
export function bytesFrom({ records, bytes }: Batch, index: number): number {
  return bytes - logicalBytes(records, index);
}

/** The chunks that the outcomes of these appends ask to be stored, in their order. */
export function chunksToStore(
  appends: readonly Append[],
  outcomes: readonly CommitOutcome[],
): PlacedChunk[] {
  return appends.flatMap(({ batch }, index) => {
    const outcome = outcomes[index];
    if (outcome?.kind !== 'stored') return [];
    const { start: base, timeMs, opensSegment, duplicates } = outcome;
    return [{ base, timeMs, opensSegment, content: withoutFirst(batch, duplicates) }];
  });
}

function withoutFirst(batch: Batch, duplicates: number): Batch {
  if (duplicates === 0) return batch;
  return {
    ...batch,
    count: batch.count - duplicates,
    records: batch.records.subarray(recordStart(batch.records, duplicates)),
    bytes: bytesFrom(batch, duplicates),
  };
}
