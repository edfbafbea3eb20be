/**
 * What one append does to a stream: the reference meaning that every store evaluates (PROTOCOL R1).
 * Conditions are judged in the order of SPEC P11; a rejected or duplicate append changes nothing.
 */
import { assert } from '../assert.ts';
import type { RecordClaim } from '../routing/routing-record.ts';
import type { HeldId } from '../timer/held-id.ts';
import {
  type Deduplication,
  judgeValues,
  LARGE_CACHE_VALUES_MAX,
  type MessageValues,
  NO_VALUES,
  type RecordedValue,
  SMALL_CACHE_MAX,
  type ValuedMessage,
  type ValueMemory,
} from './deduplication.ts';
import { type Offset, offset } from './ids.ts';
import {
  applyStored,
  judgePublisher,
  type PublisherClaim,
  type PublisherRecord,
  type PublisherVerdict,
} from './publisher.ts';
import { opensSegment } from './segment.ts';
import { effectiveSettings } from './settings.ts';
import type { StreamState } from './stream-state.ts';

export interface AppendCommand {
  /** Messages of the request, at least 1. */
  readonly count: number;
  /** When the service took the request in. */
  readonly timeMs: number;
  /** Logical bytes of the messages from the one with this index on; 0 … count - 1. */
  bytesFrom(index: number): number;
  /** By which header, the stream's settings say; without it no message carries a value. */
  valuesOf?(header: string): MessageValues;
  readonly publisher?: PublisherClaim;
  readonly expectedOffset?: number;
  readonly fencingToken?: string;
  /** Messages that are held until their time instead of being stored; in the order of their places. */
  readonly delays?: readonly Delay[];
  /** Places of messages whose values were recorded when they were accepted: they are judged no more (SPEC L3). */
  readonly recordedBefore?: readonly number[];
  /** What exchanges remember of its messages' values: taken by this stream with them (SPEC M5). */
  readonly records?: readonly RecordClaim[];
}

/** One message of a request that is held (SPEC L2). */
export interface Delay {
  /** Its place in the request. */
  readonly index: number;
  readonly id: HeldId;
  /** Logical bytes of the message. */
  readonly bytes: number;
}

export type AppendOutcome =
  | {
      readonly kind: 'stored';
      /** [start, end) are the messages' offsets; `end` is also the stream's new next. */
      readonly start: Offset;
      readonly end: Offset;
      readonly timeMs: number;
      /** Messages that were known already: the chunk goes without them. */
      readonly duplicates: number;
      /** Which of them were known by their value; all others stand at the front. Absent when none was. */
      readonly byValue?: readonly number[];
      /** Which of them are held; absent when none is. */
      readonly held?: readonly number[];
      readonly opensSegment: boolean;
    }
  /** Nothing is stored now: these are held, all others were known already. */
  | {
      readonly kind: 'held';
      readonly held: readonly number[];
      readonly duplicates: number;
      readonly byValue?: readonly number[];
      readonly next: Offset;
    }
  | {
      readonly kind: 'duplicate';
      readonly range?: { readonly start: Offset; readonly end: Offset };
      readonly duplicates: number;
      /** As above: then the publisher's record has changed, if there is one (SPEC P11). */
      readonly byValue?: readonly number[];
      readonly next: Offset;
    }
  /** Message `index` carries something that the stream's settings cannot read. */
  | {
      readonly kind: 'reject';
      readonly code: 'invalid_request';
      readonly index: number;
      readonly field: string;
      readonly reason: string;
    }
  | {
      readonly kind: 'reject';
      readonly code: 'too_many_messages';
      readonly limit: number;
      readonly actual: number;
    }
  | { readonly kind: 'reject'; readonly code: 'fenced' }
  | { readonly kind: 'reject'; readonly code: 'publisher_fenced'; readonly epoch: number }
  | { readonly kind: 'reject'; readonly code: 'offset_mismatch'; readonly next: Offset };

export interface AppendResult {
  readonly outcome: AppendOutcome;
  readonly state: StreamState;
  readonly record: PublisherRecord | undefined;
  /** What the stream is to remember beside: nothing of an append that stores nothing (SPEC M5). */
  readonly recorded: readonly RecordedValue[];
}

/** What a stream remembers beside its state, of what the command names. */
export interface Remembered {
  readonly record?: PublisherRecord | undefined;
  readonly values?: ValueMemory;
}

export function applyAppend(
  state: StreamState,
  { record, values = NO_VALUES }: Remembered,
  command: AppendCommand,
): AppendResult {
  assert(command.count > 0, 'an append without a message');
  const { deduplication: settings } = effectiveSettings(state.settings);
  const carried = carriedValues(command, settings);
  if (carried.kind === 'reject') return { outcome: carried, state, record, recorded: [] };

  const verdict = command.publisher && judgePublisher(record, command.publisher);
  const refused = refusal(state, verdict, command);
  if (refused !== undefined) return { outcome: refused, state, record, recorded: [] };

  const known = verdict?.kind === 'new' ? verdict.duplicates : 0;
  const messages = carried.messages.filter(({ index }) => index >= known);
  const { duplicates, recorded } =
    settings === null || messages.length === 0
      ? { duplicates: [], recorded: [] }
      : judgeValues(messages, values, { settings, nowMs: command.timeMs });
  const held = heldOf(command, known, duplicates);
  const cut = { known, duplicates, held };
  const isStored = known + duplicates.length + held.length < command.count;
  const change = isStored ? store : handle;
  return { ...change(state, record, { command, cut }), recorded };
}

/** What is not stored of a request: its first messages, others by their value, and those that are held. */
interface Cut {
  readonly known: number;
  readonly duplicates: readonly ValuedMessage[];
  readonly held: readonly Delay[];
}

function heldOf(
  { delays = [] }: AppendCommand,
  known: number,
  duplicates: readonly ValuedMessage[],
): readonly Delay[] {
  if (delays.length === 0) return delays;
  const left = new Set(duplicates.map(({ index }) => index));
  return delays.filter(({ index }) => index >= known && !left.has(index));
}

type Rejected = Extract<AppendOutcome, { kind: 'reject' }>;

/** A stream that does not deduplicate looks at no message. */
function carriedValues(
  command: AppendCommand,
  settings: Deduplication | null,
): { readonly kind: 'ok'; readonly messages: readonly ValuedMessage[] } | Rejected {
  const { valuesOf, recordedBefore = [], delays = [] } = command;
  const isJudged = settings !== null && recordedBefore.length < command.count;
  if (!isJudged || valuesOf === undefined) return { kind: 'ok', messages: [] };
  const values = valuesOf(settings.header);
  if (values.kind === 'reject') return { ...values, code: 'invalid_request' };

  const before = new Set(recordedBefore);
  const messages = values.messages.filter(({ index }) => !before.has(index));
  // All of it is written in one transaction.
  const written = messages.length + delays.length + (command.records?.length ?? 0);
  const [limit, actual] = [LARGE_CACHE_VALUES_MAX, written];
  const isTooMany = settings.cache_size > SMALL_CACHE_MAX && actual > limit;
  return isTooMany
    ? { kind: 'reject', code: 'too_many_messages', limit, actual }
    : { kind: 'ok', messages };
}

/** Nothing is stored, some is held or known by its value: the publisher has been heard (SPEC P11). */
function handle(
  state: StreamState,
  record: PublisherRecord | undefined,
  { command, cut }: { readonly command: AppendCommand; readonly cut: Cut },
): Omit<AppendResult, 'recorded'> {
  const { next } = state;
  const heard =
    command.publisher && applyStored(record, command.publisher, { start: next, end: next });
  const duplicates = cut.known + cut.duplicates.length;
  return {
    outcome:
      cut.held.length > 0
        ? { kind: 'held', held: indexesOf(cut.held), duplicates, ...byValue(cut), next }
        : { kind: 'duplicate', duplicates, ...byValue(cut), next },
    state,
    record: heard ?? record,
  };
}

function byValue({ duplicates }: Cut) {
  return duplicates.length === 0 ? {} : { byValue: indexesOf(duplicates) };
}

function indexesOf(messages: readonly { readonly index: number }[]): readonly number[] {
  return messages.map(({ index }) => index);
}

function refusal(
  state: StreamState,
  verdict: PublisherVerdict | undefined,
  command: AppendCommand,
): AppendOutcome | undefined {
  if (command.fencingToken !== undefined && command.fencingToken !== state.fencingToken) {
    return { kind: 'reject', code: 'fenced' };
  }
  if (verdict?.kind === 'fenced') {
    return { kind: 'reject', code: 'publisher_fenced', epoch: verdict.epoch };
  }
  if (verdict?.kind === 'duplicate') {
    return { ...verdict, duplicates: command.count, next: state.next };
  }
  if (command.expectedOffset !== undefined && command.expectedOffset !== state.next) {
    return { kind: 'reject', code: 'offset_mismatch', next: state.next };
  }
  return undefined;
}

function store(
  state: StreamState,
  record: PublisherRecord | undefined,
  { command, cut }: { readonly command: AppendCommand; readonly cut: Cut },
): Omit<AppendResult, 'recorded'> {
  const duplicates = cut.known + cut.duplicates.length;
  const count = command.count - duplicates - cut.held.length;
  assert(count > 0, 'an append without a message to store reached the store');
  const start = state.next;
  const end = offset(start + count);
  // A slow clock yields the running maximum, so that timestamps never decrease (SPEC O18).
  const timeMs = Math.max(state.timeMs, command.timeMs);
  const settings = effectiveSettings(state.settings);
  const opens = opensSegment({ active: state.segment, settings, bytes: state.bytes, timeMs });

  const leftOut = [...cut.duplicates, ...cut.held];
  const leftOutBytes = leftOut.reduce((sum, { bytes }) => sum + bytes, 0);
  const opened = {
    first: start,
    bytesBefore: state.bytes,
    firstTimeMs: timeMs,
  };
  const next: StreamState = {
    ...state,
    next: end,
    lastChunk: start,
    timeMs,
    bytes: state.bytes + command.bytesFrom(cut.known) - leftOutBytes,
    ...(opens && { segment: opened }),
  };
  const known = command.publisher && applyStored(record, command.publisher, { start, end });
  return {
    outcome: {
      kind: 'stored',
      start,
      end,
      timeMs,
      duplicates,
      ...byValue(cut),
      ...(cut.held.length > 0 && { held: indexesOf(cut.held) }),
      opensSegment: opens,
    },
    state: next,
    record: known ?? record,
  };
}
