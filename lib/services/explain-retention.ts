/** Says in words why a stream keeps what it keeps: what its oldest segment is, and what would have to happen (SPEC T1-T8). */
import {
  judgeSegment,
  type RetentionHolder,
  type RetentionLimit,
  type RetentionQuestion,
  type RetentionVerdict,
} from '../core/log/retention.ts';
import { type EffectiveSettings, formatSetting } from '../core/log/settings.ts';
import type { SegmentEntry } from '../ports/log-store.ts';

export interface RetentionExplanation {
  readonly oldest: SegmentEntry | null;
  /** Why that one is kept. */
  readonly kept: 'empty' | 'active' | 'no-limit' | 'within-limits' | 'held' | 'unknown' | 'due';
  readonly why: string;
  /** When it reaches `max_age`. */
  readonly expiresMs?: number;
  readonly heldBy: readonly RetentionHolder[];
}

export function explainRetention(
  oldest: SegmentEntry | undefined,
  question: RetentionQuestion,
): RetentionExplanation {
  const { settings } = question;
  if (oldest === undefined) return keptAs('empty', 'nothing is retained');
  if (limitsOf(settings).length === 0) {
    const why = `none of max_age, max_length and max_length_bytes is set`;
    return { ...keptAs('no-limit', why), oldest };
  }
  if (oldest.state === 'active') {
    const why = `the oldest segment, ${nameOf(oldest)}, is the active one: it ends when a publish opens the next`;
    return { ...keptAs('active', why), oldest };
  }
  const { first, end, bytesThrough, lastTimeMs } = oldest;
  const verdict = judgeSegment({ first, end, bytesThrough, lastTimeMs }, question);
  return { ...explainVerdict(verdict, oldest, question), oldest };
}

function keptAs(kept: RetentionExplanation['kept'], why: string): RetentionExplanation {
  return { oldest: null, kept, why, heldBy: [] };
}

function explainVerdict(
  verdict: RetentionVerdict,
  oldest: SegmentEntry,
  question: RetentionQuestion,
): RetentionExplanation {
  if (verdict.kind === 'drop') {
    return keptAs('due', `${nameOf(oldest)} goes with the next look at ${verdict.limit}`);
  }
  switch (verdict.why) {
    case 'unknown':
      return keptAs('unknown', `the size or the last timestamp of ${nameOf(oldest)} is not known`);
    case 'held': {
      const groups = verdict.heldBy.map(({ group, committed }) => `${group} (at ${committed})`);
      const why = `${verdict.limit} is reached, but ${nameOf(oldest)} is held by ${groups.join(', ')}`;
      return { ...keptAs('held', why), heldBy: verdict.heldBy };
    }
    case 'within-limits': {
      const { expiresMs } = verdict;
      const why = limitsOf(question.settings)
        .map((limit) => distance(limit, oldest, question))
        .join('; ');
      return { ...keptAs('within-limits', why), ...(expiresMs !== undefined && { expiresMs }) };
    }
  }
}

/** A length is a target that must still be reached by what remains (SPEC T3). */
function distance(
  limit: RetentionLimit,
  { end, bytesThrough = 0 }: SegmentEntry,
  { settings, next, bytes }: RetentionQuestion,
): string {
  const shown = formatSetting(limit, settings[limit]);
  switch (limit) {
    case 'max_age':
      return `its last message has not reached max_age ${shown} yet`;
    case 'max_length':
      return `without it ${next - end} messages would remain, max_length is ${shown}`;
    case 'max_length_bytes':
      return `without it ${bytes - bytesThrough} bytes would remain, max_length_bytes is ${shown}`;
  }
}

function limitsOf(settings: EffectiveSettings): readonly RetentionLimit[] {
  const limits = ['max_age', 'max_length', 'max_length_bytes'] as const;
  return limits.filter((limit) => settings[limit] !== null);
}

function nameOf({ first, end }: SegmentEntry): string {
  return `[${first}, ${end})`;
}
