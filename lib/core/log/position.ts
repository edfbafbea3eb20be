/**
 * Where a reader starts: a position against the retained range [first, next) gives an offset inside
 * it or at its end (SPEC O1-O9).
 *
 * Knows no timestamps and no stored offsets: whoever does turns `time`, `ago` and `stored` into an
 * offset first, so nothing unknown can become offset 0 here (SPEC O17).
 */
import { assert } from '../assert.ts';
import { type Offset, offset } from './ids.ts';

/** What a reader can ask for; see position-syntax for how it is written. */
export type Position =
  | { readonly kind: 'first' }
  | { readonly kind: 'last' }
  | { readonly kind: 'next' }
  | { readonly kind: 'offset'; readonly offset: number }
  /** The newest `count` messages, at least 1. A bigint, since readers send down to -2^63 (SPEC O7). */
  | { readonly kind: 'from-end'; readonly count: bigint }
  | { readonly kind: 'time'; readonly ms: number }
  | { readonly kind: 'ago'; readonly ms: number }
  | { readonly kind: 'stored' };

/** `at` carries what a time position came to: the first message that late, or next (SPEC O8). */
export type ResolvablePosition =
  | Exclude<Position, { readonly kind: 'time' | 'ago' | 'stored' }>
  | { readonly kind: 'at'; readonly offset: Offset };

/** The retained range [first, next), and where the newest chunk that was ever stored begins. */
export interface Retained {
  readonly first: Offset;
  readonly next: Offset;
  readonly lastChunk: Offset;
}

/** Messages that were asked for by number and are gone: [requested, firstAvailable). */
export interface Gap {
  readonly requested: number;
  readonly firstAvailable: Offset;
  readonly missing: number;
}

export interface Start {
  readonly offset: Offset;
  readonly gap?: Gap;
  /** Set when the offset asked for is one that nobody has published yet (SPEC O6). */
  readonly clamped?: true;
}

export function resolvePosition(position: ResolvablePosition, range: Retained): Start {
  assert(range.first <= range.next, () => `first ${range.first} is above next ${range.next}`);
  assert(
    range.lastChunk <= range.next,
    () => `chunk ${range.lastChunk} is above next ${range.next}`,
  );

  switch (position.kind) {
    case 'first':
      return { offset: range.first };
    case 'last':
      return { offset: notBelow(range.first, range.lastChunk) };
    case 'next':
      return { offset: range.next };
    case 'offset':
      return startAtOffset(position.offset, range);
    case 'from-end':
      return { offset: countBack(position.count, range) };
    case 'at':
      return { offset: startAtFound(position.offset, range) };
  }
}

/** 0 is no exception below first: a reader that meant "the beginning" says `first` (SPEC O5). */
function startAtOffset(requested: number, range: Retained): Start {
  const { first, next } = range;
  if (requested > next) return { offset: next, clamped: true };
  if (requested >= first) return { offset: offset(requested) };

  return { offset: first, gap: { requested, firstAvailable: first, missing: first - requested } };
}

/** More than there is starts at first without a gap: "the newest 100" names no message (SPEC O7). */
function countBack(count: bigint, range: Retained): Offset {
  assert(count >= 1n, () => `counting back ${count} messages`);
  const retained = range.next - range.first;
  return count >= retained ? range.first : offset(range.next - Number(count));
}

/**
 * The range must be read with or after the lookup: retention may have passed the message found, but
 * one above next would mean that the two describe different streams or that the range is stale.
 */
function startAtFound(found: Offset, range: Retained): Offset {
  assert(found <= range.next, () => `found offset ${found} is above next ${range.next}`);
  return notBelow(range.first, found);
}

/** A trim may cut the newest chunk or the message found, so both can lie below the range. */
function notBelow(first: Offset, wanted: Offset): Offset {
  return wanted > first ? wanted : first;
}
