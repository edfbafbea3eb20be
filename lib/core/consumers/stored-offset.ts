/**
 * The offset that is stored for a consumer: which message it reads next (SPEC C1-C4). Nothing stored is
 * `undefined`, never 0 (SPEC C3, O17); a stored offset may lie below first, and is never above next (SPEC T9).
 */
import type { ConsumerName, Offset } from '../log/ids.ts';

export interface StoredOffset {
  /** The first message that it has not read. */
  readonly next: Offset;
  /** When it was written last. */
  readonly writtenMs: number;
}

/** `set` may go back, `raise` never lowers what is stored (SPEC C1). */
export interface OffsetChange {
  readonly kind: 'set' | 'raise';
  readonly next: Offset;
  readonly nowMs: number;
}

export type OffsetOutcome =
  | { readonly kind: 'stored'; readonly stored: StoredOffset }
  /** The change names a message above the stream's end, which is `next`: nothing is stored (SPEC C4). */
  | { readonly kind: 'beyond'; readonly next: Offset };

/**
 * What is stored afterwards. A raise at or below what is stored writes nothing, so that a consumer that asks
 * again and again at the end of a stream costs nothing.
 */
export function applyOffsetChange(
  before: StoredOffset | undefined,
  change: OffsetChange,
  { next }: { readonly next: Offset },
): OffsetOutcome {
  if (change.next > next) return { kind: 'beyond', next };
  if (change.kind === 'raise' && before !== undefined && before.next >= change.next) {
    return { kind: 'stored', stored: before };
  }
  return { kind: 'stored', stored: { next: change.next, writtenMs: change.nowMs } };
}

/**
 * Whose stored offsets go when a stream has more of them than it may: the least recently written (SPEC C6), of
 * those written at the same time the first by name. The result is in that order.
 */
export function planRemoval<Entry extends { readonly writtenMs: number }>(
  stored: ReadonlyMap<ConsumerName, Entry>,
  limit: number,
): readonly ConsumerName[] {
  const excess = stored.size - limit;
  if (excess <= 0) return [];
  return [...stored]
    .sort(([a, left], [b, right]) => left.writtenMs - right.writtenMs || compareNames(a, b))
    .slice(0, excess)
    .map(([name]) => name);
}

/** By code points, which is the order of the bytes of UTF-8: not by UTF-16, which puts surrogates before U+E000. */
function compareNames(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  for (const [index, character] of left.entries()) {
    const difference = (character.codePointAt(0) ?? 0) - (right[index]?.codePointAt(0) ?? -1);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
