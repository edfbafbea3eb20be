/** Refs with what follows from those before them: their offsets and the timestamps of their messages. */
import type { TailRef } from '../format/tail-ref.ts';
import type { Tail } from './tail-item.ts';

export interface PlacedRef extends TailRef {
  /** Its messages have offsets [base, end). */
  readonly base: number;
  readonly end: number;
  /** The maximum time of all before it: the least that its messages can have (SPEC O18). */
  readonly timeBelowMs: number;
}

export interface RefsStart {
  readonly base: number;
  readonly timeBelowMs: number;
}

export function placeRefs(
  { base, timeBelowMs }: RefsStart,
  refs: readonly TailRef[],
): readonly PlacedRef[] {
  let [next, time] = [base, timeBelowMs];
  return refs.map((ref) => {
    const placed = { ...ref, base: next, end: next + ref.count, timeBelowMs: time };
    next = placed.end;
    time = Math.max(time, ref.timeMs);
    return placed;
  });
}

/** Timestamp of the ref's last message. */
export function lastTimeMs({ timeBelowMs, timeMs }: PlacedRef): number {
  return Math.max(timeBelowMs, timeMs);
}

/** Timestamp of a stream's newest message. */
export function newestTimeMs({ timeBelowMs, refs }: Pick<Tail, 'timeBelowMs' | 'refs'>): number {
  return refs.reduce((newest, { timeMs }) => Math.max(newest, timeMs), timeBelowMs);
}
