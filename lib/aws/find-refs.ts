/**
 * The refs of a range of offsets (PROTOCOL R8): those of the tail as it is known, and below its base those
 * of the index. What the index does not hold is not made up: the refs then end before it.
 */
import { type PlacedRef, placeRefs } from './placed-refs.ts';
import { indexRefs, refsBefore } from './stream-index.ts';
import type { Table } from './table.ts';
import type { Tail } from './tail-item.ts';

export interface RefRange {
  /** At or above the first retained offset. */
  readonly from: number;
  readonly end: number;
  /** Enough when refs of so many logical bytes lie at or after `from`; at least one is given. */
  readonly bytesMax: number;
  /** As many as the range holds by default. */
  readonly refsMax?: number;
}

/** Of 414 bytes each: together one read unit. */
const ITEMS_AT_ONCE = 9;

/** Consecutive, beginning with the one that holds `from`. */
export async function findRefs(
  table: Table,
  tail: Tail,
  range: RefRange,
): Promise<readonly PlacedRef[]> {
  const refs: PlacedRef[] = [];
  let bytes = 0;
  for await (const ref of refsOf(table, tail, range)) {
    if (ref.end <= range.from) continue;
    const expected = refs.at(-1)?.end ?? Math.min(ref.base, range.from);
    if (ref.base !== expected || ref.base >= range.end) break;
    if (refs.length === range.refsMax) break;
    if (refs.length > 0 && bytes >= range.bytesMax) break;
    // Of one that begins before `from` it is not known how much lies behind.
    bytes += ref.base < range.from ? 0 : ref.bytes;
    refs.push(ref);
  }
  return refs;
}

/** As a rule the first index item holds all that a page needs, so the next ones are read when asked for. */
async function* refsOf(table: Table, tail: Tail, { from, end }: RefRange) {
  const { streamId, base } = tail;
  if (from < base) {
    yield* await refsBefore(table, streamId, from);
    const range = { from: from + 1, end: Math.min(base, end), itemsAtOnce: ITEMS_AT_ONCE };
    yield* indexRefs(table, streamId, range);
  }
  yield* placeRefs(tail, tail.refs);
}
