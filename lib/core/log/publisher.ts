/**
 * Named publishers: which of a request's publishing ids are new, judged by what the stream remembers
 * of that publisher (SPEC D1-D11). Never reads another publisher's record.
 */
import { assert } from '../assert.ts';
import { type Offset, offset, type PublisherName } from './ids.ts';

/** What a stream remembers of one publisher: changed with what it stores, or has heard by value (SPEC D10, P11). */
export interface PublisherRecord {
  readonly highestId: number;
  readonly epoch?: number;
  /** Of the latest request that was new, so that its repeat gets the same answer (SPEC D5). */
  readonly latest: {
    readonly firstId: number;
    readonly count: number;
    readonly start: Offset;
    readonly end: Offset;
  };
}

/** The publisher's part of a request. Ids rise within a request, one for each message (SPEC D2). */
export interface PublisherClaim {
  readonly name: PublisherName;
  readonly ids: readonly number[];
  readonly epoch?: number;
}

export type PublisherVerdict =
  /** The first `duplicates` messages are known, the others new; 0 … ids.length - 1. */
  | { readonly kind: 'new'; readonly duplicates: number }
  /** Nothing is new. `range` is where the messages stand, when this repeats the latest request. */
  | {
      readonly kind: 'duplicate';
      readonly range?: { readonly start: Offset; readonly end: Offset };
    }
  | { readonly kind: 'fenced'; readonly epoch: number };

export function judgePublisher(
  record: PublisherRecord | undefined,
  claim: PublisherClaim,
): PublisherVerdict {
  if (record === undefined) return { kind: 'new', duplicates: 0 };
  if (record.epoch !== undefined && (claim.epoch === undefined || claim.epoch < record.epoch)) {
    return { kind: 'fenced', epoch: record.epoch };
  }
  const known = claim.ids.findIndex((id) => id > record.highestId);
  if (known >= 0) return { kind: 'new', duplicates: known };

  const { firstId, count, start, end } = record.latest;
  // Of a request that was known by its values nothing stands anywhere.
  const isRepeat = claim.ids[0] === firstId && claim.ids.length === count && start < end;
  return isRepeat ? { kind: 'duplicate', range: { start, end } } : { kind: 'duplicate' };
}

/** The record after the claim's new messages were stored at [start, end), which is empty if all were known by value. */
export function applyStored(
  record: PublisherRecord | undefined,
  claim: PublisherClaim,
  stored: { readonly start: number; readonly end: number },
): PublisherRecord {
  const firstId = claim.ids[0];
  const highestId = claim.ids.at(-1);
  assert(firstId !== undefined && highestId !== undefined, 'a named publish without ids');
  assert(record === undefined || highestId > record.highestId, 'the highest id did not rise');

  const epoch = claim.epoch ?? record?.epoch;
  return {
    highestId,
    ...(epoch !== undefined && { epoch }),
    latest: {
      firstId,
      count: claim.ids.length,
      start: offset(stored.start),
      end: offset(stored.end),
    },
  };
}

/**
 * Whom a stream forgets when it remembers more publishers than it may: those whose last messages are
 * the oldest (SPEC D9). Forgotten means unknown, never judged by another's record.
 */
export function planEviction(
  records: ReadonlyMap<PublisherName, PublisherRecord>,
  countMax: number,
): readonly PublisherName[] {
  const excess = records.size - countMax;
  if (excess <= 0) return [];
  return [...records]
    .sort(([, a], [, b]) => a.latest.end - b.latest.end)
    .slice(0, excess)
    .map(([name]) => name);
}
