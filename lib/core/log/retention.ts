/**
 * Which messages retention drops (SPEC T1-T5, T7, T8): whole sealed segments, oldest first, as long as a
 * limit says so and nothing holds them. Stores walk their segments from the oldest on and stop at the first
 * one that is kept; what they then do is raise `first` to where it begins.
 */
import type { EffectiveSettings } from './settings.ts';

/** A sealed segment: what is unknown is undefined, and keeps it. */
export interface RetainedSegment {
  /** Its messages have offsets [first, end). */
  readonly first: number;
  readonly end: number;
  /** The stream's logical bytes from its beginning to the end of this segment. */
  readonly bytesThrough: number | undefined;
  /** Timestamp of its last message. */
  readonly lastTimeMs: number | undefined;
}

/** A group that has not seen everything yet. */
export interface RetentionHolder {
  readonly group: string;
  /** The first offset that it has not finished. */
  readonly committed: number;
  /** When it holds no longer, since nobody used it (SPEC T8 `inactive_after`). */
  readonly inactiveAtMs?: number;
}

export interface RetentionQuestion {
  readonly settings: EffectiveSettings;
  /** The stream as it is, the chunk that opens a segment among it: its next offset and logical bytes. */
  readonly next: number;
  readonly bytes: number;
  readonly nowMs: number;
  readonly holders: readonly RetentionHolder[];
}

export type RetentionLimit = 'max_age' | 'max_length' | 'max_length_bytes';

export type RetentionVerdict =
  | { readonly kind: 'drop'; readonly limit: RetentionLimit }
  /** No limit asks for it to go; by age it will at `expiresMs`, if there is one. */
  | { readonly kind: 'keep'; readonly why: 'within-limits'; readonly expiresMs?: number }
  | { readonly kind: 'keep'; readonly why: 'unknown' }
  /** A limit asks for it to go, but these groups have not seen all of it. */
  | {
      readonly kind: 'keep';
      readonly why: 'held';
      readonly limit: RetentionLimit;
      readonly heldBy: readonly RetentionHolder[];
    };

/** Of the oldest segment that is retained. */
export function judgeSegment(
  segment: RetainedSegment,
  question: RetentionQuestion,
): RetentionVerdict {
  const { end, bytesThrough, lastTimeMs } = segment;
  if (bytesThrough === undefined || lastTimeMs === undefined || end > question.next) {
    return { kind: 'keep', why: 'unknown' };
  }
  const limit = limitReached({ ...segment, bytesThrough, lastTimeMs }, question);
  if (limit === undefined) {
    const { max_age: ageMs } = question.settings;
    const expiry = ageMs === null ? {} : { expiresMs: lastTimeMs + ageMs };
    return { kind: 'keep', why: 'within-limits', ...expiry };
  }
  const heldBy = holdersOf(segment, question);
  return heldBy.length > 0 ? { kind: 'keep', why: 'held', limit, heldBy } : { kind: 'drop', limit };
}

/** A length is a target, not a bound: what remains must still reach it (SPEC T3). */
function limitReached(
  {
    end,
    bytesThrough,
    lastTimeMs,
  }: RetainedSegment & {
    readonly bytesThrough: number;
    readonly lastTimeMs: number;
  },
  { settings, next, bytes, nowMs }: RetentionQuestion,
): RetentionLimit | undefined {
  const { max_age, max_length, max_length_bytes } = settings;
  if (max_age !== null && lastTimeMs <= nowMs - max_age) return 'max_age';
  if (max_length !== null && next - end >= max_length) return 'max_length';
  if (max_length_bytes !== null && bytes - bytesThrough >= max_length_bytes) {
    return 'max_length_bytes';
  }
  return undefined;
}

function holdersOf(
  { end }: RetainedSegment,
  { settings, nowMs, holders }: RetentionQuestion,
): readonly RetentionHolder[] {
  if (settings.allow_drop_past_committed) return [];
  return holders.filter(
    ({ committed, inactiveAtMs }) =>
      committed < end && (inactiveAtMs === undefined || nowMs < inactiveAtMs),
  );
}

export interface RetentionPlan {
  /** Segments that end at or below it are dropped; undefined when none is. */
  readonly dropBelow: number | undefined;
  /** The oldest that stays, with why; undefined when all of those given go. */
  readonly kept:
    | { readonly segment: RetainedSegment; readonly verdict: RetentionVerdict }
    | undefined;
}

/** `segments` are sealed ones from the oldest retained on; no more of them are taken than needed. */
export function planRetention(
  segments: Iterable<RetainedSegment>,
  question: RetentionQuestion,
): RetentionPlan {
  let dropBelow: number | undefined;
  for (const segment of segments) {
    const verdict = judgeSegment(segment, question);
    if (verdict.kind === 'keep') return { dropBelow, kept: { segment, verdict } };
    dropBelow = segment.end;
  }
  return { dropBelow, kept: undefined };
}

/**
 * What is left of a delivery when everything below `first` was dropped (SPEC T10): it covers offsets
 * [offset, offset + count).
 */
export function keptDelivery<Delivery extends { readonly offset: number; readonly count: number }>(
  delivery: Delivery,
  first: number,
): Delivery | undefined {
  const end = delivery.offset + delivery.count;
  if (first <= delivery.offset) return delivery;
  return first < end ? { ...delivery, offset: first, count: end - first } : undefined;
}
