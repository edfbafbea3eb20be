/** The messages of one publish request: how many go into it, and what its answer means for each. Pure. */
import { encodeFrame, MESSAGES_TYPE } from '../wire/frame.ts';
import { REQUEST_BYTES_MAX } from '../wire/request-limits.ts';
import { badAnswer, type ClientError } from './client-error.ts';
import { encodeLines, lineCount } from './message-lines.ts';
import type { WrittenDelay } from './outgoing-delay.ts';

export interface BatchEntry {
  /** The message, encoded. */
  readonly record: Uint8Array;
  /** Absent for a publisher without a name. */
  readonly id?: number;
  readonly delay?: WrittenDelay;
}

/** What is held: its id, by which it can be cancelled, and when it is due, ms since 1970. */
export interface Held {
  readonly id: string;
  readonly dueMs: number;
}

export interface Published {
  /**
   * `duplicate`: it was stored by an earlier request, as when the answer to that one was lost, or another message
   * with its value was (SPEC M7). `held`: it is stored when it is due (SPEC L6).
   */
  readonly outcome: 'stored' | 'duplicate' | 'held';
  readonly held: Held | undefined;
  /** Undefined for what is held, and for a duplicate of which the service no longer knows the place (SPEC D5). */
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
  /** What is held, by the place of its message. */
  readonly held: ReadonlyMap<number, Held>;
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
  return formCount(excess < 0 ? entries : entries.slice(0, excess));
}

/** Lines are longer than frames: those in front of the first that is delayed fit a request in any case. */
function formCount(entries: readonly BatchEntry[]): number {
  const first = entries.findIndex(({ delay }) => delay);
  if (first < 0) return entries.length;
  return Math.max(lineCount(entries, REQUEST_BYTES_MAX), first);
}

export interface EncodedBatch {
  readonly contentType: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

export function encodeBatch(entries: readonly BatchEntry[]): EncodedBatch {
  if (entries.some(({ delay }) => delay)) {
    return { contentType: `${MESSAGES_TYPE}+ndjson`, body: encodeLines(entries) };
  }
  const ids = entries.map(({ id }) => id).filter((id) => id !== undefined);
  const records = entries.map(({ record }) => record);
  const body = encodeFrame(records, ids.length > 0 ? ids : undefined);
  return { contentType: MESSAGES_TYPE, body };
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
  const { held } = answer;
  const placed = [...entries.keys()].filter(
    (index) => !held.has(index) && (answer.stored === 0 || !isDuplicate(index)),
  );
  const offsets = placedAt(placed, answer);
  return entries.map(({ id }, index) => ({
    outcome: held.has(index) ? 'held' : isDuplicate(index) ? 'duplicate' : 'stored',
    held: held.get(index),
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
  const text = typeof field === 'string' ? field : '';
  const place = /^messages\[([0-9]{1,5})\]/.exec(text)?.[1];
  const line = /^line ([0-9]{1,5})(?:\.|$)/.exec(text)?.[1];
  const index = place === undefined ? Number(line) - 1 : Number(place);
  return index >= 0 && index < count ? index : undefined;
}

export function parsePublishAnswer(bytes: Uint8Array, count: number): PublishAnswer {
  const answer = parseObject(new TextDecoder().decode(bytes));
  const [stored, duplicates] = [answer['stored'], answer['duplicates']];
  const [start, end] = [answer['start'], answer['end']];
  const held = heldByPlace(answer['held']);
  if (
    isNumber(stored) &&
    isNumber(duplicates) &&
    stored + duplicates + held.size === count &&
    (isNumber(start) || start === null) &&
    (isNumber(end) || end === null)
  ) {
    const deduplicated = indexes(answer['deduplicated']);
    const streamId = String(answer['stream_id']);
    return { start, end, stored, duplicates, deduplicated, held, streamId };
  }
  throw badAnswer(`it does not account for ${count} messages`);
}

function indexes(value: unknown): readonly number[] {
  return Array.isArray(value) ? value.filter(isNumber) : [];
}

/** A server that holds nothing says nothing of it. */
function heldByPlace(value: unknown): ReadonlyMap<number, Held> {
  const held = new Map<number, Held>();
  for (const { index, id, due } of Array.isArray(value) ? value : []) {
    if (isNumber(index) && isNumber(due)) held.set(index, { id: String(id), dueMs: due });
  }
  return held;
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
