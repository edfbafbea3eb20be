/** The messages of one publish request: how many go into it, and what its answer means for each. Pure. */
import { encodeFrame } from '../wire/frame.ts';
import { REQUEST_BYTES_MAX } from '../wire/request-limits.ts';
import { badAnswer, type ClientError } from './client-error.ts';

export interface BatchEntry {
  /** The message, encoded. */
  readonly record: Uint8Array;
  /** Absent for a publisher without a name. */
  readonly id?: number;
}

export interface Published {
  /**
   * `duplicate`: it was stored by an earlier request, as when the answer to that one was lost, or another message
   * with its value was (SPEC M7).
   */
  readonly outcome: 'stored' | 'duplicate';
  /** Undefined for a duplicate of which the service no longer knows the place (SPEC D5). */
  readonly offset: number | undefined;
  /** Of named publishers. */
  readonly publishingId: number | undefined;
  readonly streamId: string;
}

export interface PublishAnswer {
  readonly start: number | null;
  readonly end: number | null;
  readonly stored: number;
  readonly duplicates: number;
  /** Which of the messages are duplicates by their value; all others stand at the front. */
  readonly deduplicated: readonly number[];
  readonly streamId: string;
}

/** The frame before its records, with all its numbers at their longest. */
const FRAME_BYTES_MAX = 32;
/** A publishing id, at its longest. */
const ID_BYTES_MAX = 8;

/** What a message takes of a request. */
export function entryBytes({ record }: BatchEntry): number {
  return record.length + ID_BYTES_MAX;
}

/** How many of the waiting messages go into the next request; at least one when any waits. */
export function batchCount(entries: readonly BatchEntry[], messagesMax: number): number {
  let bytes = FRAME_BYTES_MAX;
  const excess = entries.findIndex((entry, index) => {
    bytes += entryBytes(entry);
    return index >= messagesMax || bytes > REQUEST_BYTES_MAX;
  });
  return excess < 0 ? entries.length : excess;
}

export function encodeBatch(entries: readonly BatchEntry[]): Uint8Array<ArrayBuffer> {
  const ids = entries.map(({ id }) => id).filter((id) => id !== undefined);
  const records = entries.map(({ record }) => record);
  return encodeFrame(records, ids.length > 0 ? ids : undefined);
}

/** How many of the duplicates are known by their publishing ids. */
export function knownByIds({ duplicates, deduplicated }: PublishAnswer): number {
  return duplicates - deduplicated.length;
}

/** Of each message, in order. */
export function outcomes(entries: readonly BatchEntry[], answer: PublishAnswer): Published[] {
  const byValue = new Set(answer.deduplicated);
  const front = knownByIds(answer);
  const isDuplicate = (index: number) => index < front || byValue.has(index);
  const placed = [...entries.keys()].filter((index) => answer.stored === 0 || !isDuplicate(index));
  const offsets = placedAt(placed, answer);
  return entries.map(({ id }, index) => ({
    outcome: isDuplicate(index) ? 'duplicate' : 'stored',
    offset: offsets.get(index),
    publishingId: id,
    streamId: answer.streamId,
  }));
}

/** Of a repeat that the service knows as shorter than it is, nobody can tell which messages it means (SPEC D5, M7). */
function placedAt(indexes: readonly number[], { start, end }: PublishAnswer) {
  if (start === null || end === null || end - start !== indexes.length) {
    return new Map<number, number>();
  }
  return new Map(indexes.map((index, at) => [index, start + at]));
}

/** The one message for which all of them were refused; undefined when it was for something else. */
export function culprit(error: ClientError, count: number): number | undefined {
  const { field } = error.details;
  const index = /^messages\[([0-9]{1,5})\]/.exec(typeof field === 'string' ? field : '')?.[1];
  return index !== undefined && Number(index) < count ? Number(index) : undefined;
}

export function parsePublishAnswer(bytes: Uint8Array, count: number): PublishAnswer {
  const answer = parseObject(new TextDecoder().decode(bytes));
  const [stored, duplicates] = [answer['stored'], answer['duplicates']];
  const [start, end] = [answer['start'], answer['end']];
  if (
    isNumber(stored) &&
    isNumber(duplicates) &&
    stored + duplicates === count &&
    (isNumber(start) || start === null) &&
    (isNumber(end) || end === null)
  ) {
    const deduplicated = indexes(answer['deduplicated']);
    return { start, end, stored, duplicates, deduplicated, streamId: String(answer['stream_id']) };
  }
  throw badAnswer(`it does not account for ${count} messages`);
}

function indexes(value: unknown): readonly number[] {
  return Array.isArray(value) ? value.filter(isNumber) : [];
}

function parseObject(text: string): { readonly [member: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch (cause) {
    throw badAnswer('it is no JSON', cause);
  }
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
