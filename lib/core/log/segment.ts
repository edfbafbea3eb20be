/**
 * When a publish opens the next segment (SPEC T6). Segments are the unit of retention: every message
 * of one is kept or dropped with the others.
 */
import type { Offset } from './ids.ts';
import type { EffectiveSettings } from './settings.ts';

/** The active segment: what a commit must know to decide whether it still belongs to it. */
export interface ActiveSegment {
  /** Offset of its first message; those below it lie in sealed segments, which never change. */
  readonly first: Offset;
  /** The stream's logical bytes when the segment opened. */
  readonly bytesBefore: number;
  readonly firstTimeMs: number;
}

export interface SegmentQuestion {
  readonly active: ActiveSegment | undefined;
  readonly settings: Pick<EffectiveSettings, 'segment_max_bytes' | 'segment_max_age'>;
  /** The stream's logical bytes and the time of the chunk that is about to be stored. */
  readonly bytes: number;
  readonly timeMs: number;
}

/** A request is never split: one larger than the limit fills a segment of its own. */
export function opensSegment({ active, settings, bytes, timeMs }: SegmentQuestion): boolean {
  if (active === undefined) return true;

  const isFull = bytes - active.bytesBefore >= settings.segment_max_bytes;
  const isOld = timeMs - active.firstTimeMs > settings.segment_max_age;
  return isFull || isOld;
}
