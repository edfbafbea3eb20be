/** A store whose commits are counted: what each of them stored, knew already or refused, and how long it took. */
import type { CommitOutcome } from '../core/log/commit-batch.ts';
import type { Clock } from '../ports/clock.ts';
import type { Append, Batch, LogStore } from '../ports/log-store.ts';
import { skipRecord } from '../wire/record.ts';
import { VarintReader } from '../wire/varint.ts';
import type { LogMetrics } from './log-metrics.ts';

export interface MeteredLogOptions {
  readonly metrics: LogMetrics;
  readonly clock: Clock;
}

export function createMeteredLog(log: LogStore, { metrics, clock }: MeteredLogOptions): LogStore {
  return {
    ...log,
    async commit(appends) {
      const startMs = clock.elapsedMs();
      try {
        const outcomes = await log.commit(appends);
        countOutcomes(metrics, appends, outcomes);
        return outcomes;
      } catch (error) {
        metrics.failedCommits.add(1);
        throw error;
      } finally {
        metrics.commitSeconds.observe((clock.elapsedMs() - startMs) / 1000);
        metrics.commitAppends.observe(appends.length);
        metrics.commitBytes.observe(appends.reduce((sum, { batch }) => sum + batch.bytes, 0));
      }
    },
  };
}

function countOutcomes(
  metrics: LogMetrics,
  appends: readonly Append[],
  outcomes: readonly CommitOutcome[],
): void {
  appends.forEach(({ batch }, index) => {
    const outcome = outcomes[index];
    if (outcome?.kind === 'reject') metrics.refusedAppends[outcome.code].add(1);
    if (outcome === undefined || outcome.kind === 'reject') return;

    const { duplicates, byValue = [] } = outcome;
    if (duplicates > 0) metrics.duplicateMessages.add(duplicates);
    if (byValue.length > 0) metrics.duplicateValues.add(byValue.length);
    if (outcome.kind !== 'duplicate') metrics.heldMessages.add(outcome.held?.length ?? 0);
    if (outcome.kind !== 'stored') return;
    metrics.publishedMessages.add(outcome.end - outcome.start);
    metrics.publishedBytes.add(batch.bytes - leftOutBytes(batch, outcome));
  });
}

/** Logical bytes of what is known or held: those known by no value stand at the front, all others anywhere. */
function leftOutBytes(
  { records }: Batch,
  { duplicates, byValue = [], held = [] }: Extract<CommitOutcome, { kind: 'stored' }>,
): number {
  const front = duplicates - byValue.length;
  const others = new Set([...byValue, ...held]);
  const last = Math.max(byValue.at(-1) ?? -1, held.at(-1) ?? -1, front - 1);
  const reader = new VarintReader(records);
  let bytes = 0;
  for (let index = 0; index <= last; index++) {
    const size = skipRecord(reader);
    if (index < front || others.has(index)) bytes += size;
  }
  return bytes;
}
