/** From batches to the chunks that are stored of them. */
import type { CommitOutcome } from '../core/log/commit-batch.ts';
import { withoutLeftOut } from '../format/chunk-content.ts';
import type { Append } from '../ports/log-store.ts';
import type { PlacedChunk } from './run-table.ts';

/** The chunks that the outcomes of these appends ask to be stored, in their order. */
export function chunksToStore(
  appends: readonly Append[],
  outcomes: readonly CommitOutcome[],
): PlacedChunk[] {
  return appends.flatMap(({ batch }, index) => {
    const outcome = outcomes[index];
    if (outcome?.kind !== 'stored') return [];
    const { start: base, timeMs, opensSegment } = outcome;
    return [{ base, timeMs, opensSegment, content: withoutLeftOut(batch, outcome) }];
  });
}
