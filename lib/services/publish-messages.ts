/** Publishes one request: one atomic append to one stream (SPEC P1-P5, P11, P12, D1-D12, M1-M7, L2, L13). */

import type { Delay } from '../core/log/append.ts';
import type { CommitOutcome } from '../core/log/commit-batch.ts';
import { SMALL_CACHE_MAX } from '../core/log/deduplication.ts';
import { type Offset, type StreamId, type StreamName, streamId } from '../core/log/ids.ts';
import type { PublisherClaim } from '../core/log/publisher.ts';
import { dueMsOf, type HeldId } from '../core/timer/held-id.ts';
import type { Batch } from '../ports/log-store.ts';
import type { Components } from './components.ts';
import { type AskedMessage, holdMessages, planHolds } from './held-messages.ts';
import { invalid, LogError, streamNotFound } from './log-error.ts';

export interface PublishRequest {
  readonly stream: StreamName;
  readonly batch: Batch;
  readonly publisher?: PublisherClaim;
  readonly expectedOffset?: number;
  readonly fencingToken?: string;
  readonly delayed?: readonly AskedMessage[];
  /** Creates a missing stream with default settings when the request is stored (SPEC P12). */
  readonly create: boolean;
}

/** `start` and `end` are null when nothing was stored and it is not known where it stands (SPEC D5). */
export interface PublishAnswer {
  readonly start: Offset | null;
  readonly end: Offset | null;
  readonly tail: Offset;
  /** Null when nothing was stored. */
  readonly timestampMs: number | null;
  readonly stored: number;
  readonly duplicates: number;
  /** Which of the messages are duplicates by their value (SPEC M7). */
  readonly byValue: readonly number[];
  /** What is held until its time. */
  readonly held: readonly HeldAnswer[];
  readonly streamId: StreamId;
}

export interface HeldAnswer {
  /** Its place in the request. */
  readonly index: number;
  readonly id: HeldId;
}

export async function publishMessages(
  components: Components,
  request: PublishRequest,
): Promise<PublishAnswer> {
  const { appends, clock, random, heldIds: ids } = components;
  const { create, delayed = [], batch: given, ...append } = request;
  const nowMs = clock.nowMs();
  const held = planHolds(delayed, nowMs);
  if (held.length > 0 && append.expectedOffset !== undefined) throw positionOfHeld();
  const { batch, delays } = holdMessages(given, held, { nowMs, ids, takesHeader: false });
  const outcome = await appends.submit({
    ...append,
    batch,
    timeMs: nowMs,
    ...(delays.length > 0 && { delays }),
    ...(create && { createAs: streamId(random.hex128()) }),
  });
  if (outcome.kind === 'reject') throw refusal(outcome, request);
  const answer = publishAnswer(outcome, delays);
  noticeHeld(components, answer);
  return answer;
}

/** Whoever releases in this process may have to wake for it. */
export function noticeHeld(
  { dueAlarm }: Pick<Components, 'dueAlarm'>,
  { held }: PublishAnswer,
): void {
  for (const { id } of held) dueAlarm.notice(dueMsOf(id));
}

function positionOfHeld(): LogError {
  return invalid(
    'expected_offset',
    'expected_offset says where messages are stored now: leave it out with delayed messages',
  );
}

export function publishAnswer(
  outcome: Exclude<CommitOutcome, { kind: 'reject' }>,
  delays: readonly Delay[],
): PublishAnswer {
  const { duplicates, byValue = [], streamId: id } = outcome;
  const isHeld = new Set(outcome.kind === 'duplicate' ? [] : outcome.held);
  const held = delays.filter(({ index }) => isHeld.has(index));
  const known = { duplicates, byValue, held, streamId: id };
  if (outcome.kind === 'stored') {
    const { start, end, timeMs: timestampMs } = outcome;
    return { start, end, tail: end, timestampMs, stored: end - start, ...known };
  }
  const range = outcome.kind === 'duplicate' ? outcome.range : undefined;
  const { start, end } = range ?? { start: null, end: null };
  return { start, end, tail: outcome.next, timestampMs: null, stored: 0, ...known };
}

/** Why nothing was stored, as it is told. */
export function refusal(
  outcome: Extract<CommitOutcome, { kind: 'reject' }>,
  {
    stream,
    publisher,
    expectedOffset,
  }: Pick<PublishRequest, 'stream' | 'publisher' | 'expectedOffset'>,
): LogError {
  switch (outcome.code) {
    case 'stream_not_found':
      return streamNotFound(stream);
    case 'record_changed':
      return new LogError('others publish messages with the same values: try again', {
        code: 'unavailable',
      });
    case 'fenced':
      return new LogError('the stream carries another fencing token: stop writing to it', {
        code: 'fenced',
      });
    case 'publisher_fenced':
      return new LogError(
        `publisher ${JSON.stringify(publisher?.name)} has published with epoch ${outcome.epoch}: send that epoch or a higher one`,
        { code: 'publisher_fenced', details: { epoch: outcome.epoch } },
      );
    case 'offset_mismatch':
      return new LogError(
        `expected_offset is ${expectedOffset}, but the next offset is ${outcome.next}`,
        {
          code: 'offset_mismatch',
          details: { next: outcome.next, expected: expectedOffset ?? null, actual: outcome.next },
        },
      );
    case 'invalid_request':
      return invalid(
        `messages[${outcome.index}].${outcome.field}`,
        `messages[${outcome.index}]: ${outcome.reason}`,
      );
    case 'too_many_messages': {
      const { limit, actual } = outcome;
      return new LogError(
        `the stream remembers more than ${SMALL_CACHE_MAX} values: a request to it has at most ${limit} messages that carry one, not ${actual}`,
        { code: 'too_many_messages', details: { limit, actual } },
      );
    }
  }
}
