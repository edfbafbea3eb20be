/** What the store counts of itself: what must not happen, and what it had to find out. */
import type { Counter, Meter } from '../ports/meter.ts';

export interface StoreMetrics {
  /** Objects that a read needed and did not find. */
  readonly lostObjects: Counter;
  /** What samples of the history showed. */
  readonly auditFaults: Counter;
  readonly lostAnswers: { readonly [Outcome in LostAnswer]: Counter };
}

/** What became of a commit whose answer was lost. */
export type LostAnswer = 'stored' | 'absent' | 'unknown';

export function createStoreMetrics(meter: Meter): StoreMetrics {
  const answers = meter.counters({
    name: 'varve_lost_answers_total',
    help: 'Commits whose answer was lost, by what was found to have become of them.',
    labels: ['outcome'],
  });
  return {
    lostObjects: meter.counter({
      name: 'varve_lost_objects_total',
      help: 'Objects that a read needed and did not find.',
    }),
    auditFaults: meter.counter({
      name: 'varve_audit_faults_total',
      help: 'Damaged or missing parts of the history that samples of it met.',
    }),
    lostAnswers: {
      stored: answers.with({ outcome: 'stored' }),
      absent: answers.with({ outcome: 'absent' }),
      unknown: answers.with({ outcome: 'unknown' }),
    },
  };
}
