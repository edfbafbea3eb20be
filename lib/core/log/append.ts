/**
 * What one append does to a stream: the reference meaning that every store evaluates (PROTOCOL R1).
 * Conditions are judged in the order of SPEC P11; a rejected or duplicate append changes nothing.
 */
import { assert } from '../assert.ts';
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
  readonly publisher?: PublisherClaim;
  readonly expectedOffset?: number;
  readonly fencingToken?: string;
}

export type AppendOutcome =
  | {
      readonly kind: 'stored';
      /** [start, end) are the messages' offsets; `end` is also the stream's new next. */
      readonly start: Offset;
      readonly end: Offset;
      readonly timeMs: number;
      /** Messages at the front of the request that were known already: the chunk goes without them. */
      readonly duplicates: number;
      readonly opensSegment: boolean;
    }
  | {
      readonly kind: 'duplicate';
      readonly range?: { readonly start: Offset; readonly end: Offset };
      readonly duplicates: number;
      readonly next: Offset;
    }
  | { readonly kind: 'reject'; readonly code: 'fenced' }
  | { readonly kind: 'reject'; readonly code: 'publisher_fenced'; readonly epoch: number }
  | { readonly kind: 'reject'; readonly code: 'offset_mismatch'; readonly next: Offset };

export interface AppendResult {
  readonly outcome: AppendOutcome;
  readonly state: StreamState;
  readonly record: PublisherRecord | undefined;
}

/** `record` is what the stream remembers of the command's publisher, if it names one. */
export function applyAppend(
  state: StreamState,
  record: PublisherRecord | undefined,
  command: AppendCommand,
): AppendResult {
  const verdict = command.publisher && judgePublisher(record, command.publisher);
  const refused = refusal(state, verdict, command);
  if (refused !== undefined) return { outcome: refused, state, record };

  const duplicates = verdict?.kind === 'new' ? verdict.duplicates : 0;
  return store(state, record, { command, duplicates });
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
  { command, duplicates }: { readonly command: AppendCommand; readonly duplicates: number },
): AppendResult {
  assert(duplicates < command.count, 'an append of duplicates only reached the store');
  const start = state.next;
  const end = offset(start + command.count - duplicates);
  // A slow clock yields the running maximum, so that timestamps never decrease (SPEC O18).
  const timeMs = Math.max(state.timeMs, command.timeMs);
  const settings = effectiveSettings(state.settings);
  const opens = opensSegment({ active: state.segment, settings, bytes: state.bytes, timeMs });

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
    bytes: state.bytes + command.bytesFrom(duplicates),
    ...(opens && { segment: opened }),
  };
  const known = command.publisher && applyStored(record, command.publisher, { start, end });
  return {
    outcome: { kind: 'stored', start, end, timeMs, duplicates, opensSegment: opens },
    state: next,
    record: known ?? record,
  };
}
