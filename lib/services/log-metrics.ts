/** What is counted of the log itself, whoever asks it: commits, what they stored or refused, readers. */
import type { CommitOutcome } from '../core/log/commit-batch.ts';
import type { DropReason } from '../core/timer/release-plan.ts';
import type { Counter, Gauge, Histogram, Meter } from '../ports/meter.ts';

type RefusalCode = Extract<CommitOutcome, { kind: 'reject' }>['code'];

export interface LogMetrics {
  readonly publishedMessages: Counter;
  readonly publishedBytes: Counter;
  readonly duplicateMessages: Counter;
  readonly duplicateValues: Counter;
  readonly refusedAppends: { readonly [Code in RefusalCode]: Counter };
  readonly commitAppends: Histogram;
  readonly commitBytes: Histogram;
  readonly commitSeconds: Histogram;
  readonly failedCommits: Counter;
  readonly waitingReaders: Gauge;
  readonly followers: Gauge;
  readonly storedOffsets: Counter;
  readonly heldMessages: Counter;
  readonly releasedMessages: Counter;
  /** Of each release: how late the first of its messages was (SPEC L11). */
  readonly releaseLateSeconds: Histogram;
  /** Messages that a rule dropped: nothing was bound for them, or their target is gone (SPEC X7, L7, L12). */
  readonly dropped: { readonly [Reason in DropReason]: Counter };
}

/** Up to what a commit takes (append-queue). */
const APPENDS_BOUNDS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024];
const BYTES_BOUNDS = [256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 8_388_608];
/** From a sync of a fast disk to a disk that is as good as stuck. */
const SECONDS_BOUNDS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

/** Once a meter. */
export function createLogMetrics(meter: Meter): LogMetrics {
  const dropped = meter.counters({
    name: 'varve_dropped_total',
    help: 'Messages that were dropped by a rule, by the reason.',
    labels: ['reason'],
  });
  return {
    ...publishMetrics(meter),
    ...commitMetrics(meter),
    waitingReaders: meter.gauge({
      name: 'varve_waiting_readers',
      help: 'Reads that wait for a first message.',
    }),
    followers: meter.gauge({
      name: 'varve_followers',
      help: 'Event streams and lines that follow a stream.',
    }),
    storedOffsets: meter.counter({
      name: 'varve_stored_offsets_total',
      help: 'Offsets that consumers asked to store, those among them that were stored already.',
    }),
    ...timerMetrics(meter),
    dropped: {
      unroutable: dropped.with({ reason: 'unroutable' }),
      target_deleted: dropped.with({ reason: 'target_deleted' }),
    },
  };
}

function timerMetrics(meter: Meter) {
  return {
    heldMessages: meter.counter({
      name: 'varve_held_messages_total',
      help: 'Messages that were accepted to be delivered at a later time.',
    }),
    releasedMessages: meter.counter({
      name: 'varve_released_messages_total',
      help: 'Of those, messages whose time came, those that were dropped among them.',
    }),
    releaseLateSeconds: meter.histogram({
      name: 'varve_release_late_seconds',
      help: 'How long the first message of each release was due before it.',
      bounds: SECONDS_BOUNDS,
    }),
  };
}

function publishMetrics(meter: Meter) {
  const refused = meter.counters({
    name: 'varve_refused_appends_total',
    help: 'Publishes that the log refused, by the code of their error.',
    labels: ['code'],
  });
  return {
    publishedMessages: meter.counter({
      name: 'varve_published_messages_total',
      help: 'Messages stored.',
    }),
    publishedBytes: meter.counter({
      name: 'varve_published_bytes_total',
      help: 'Logical bytes stored: bodies, keys, headers and properties before compression.',
    }),
    duplicateMessages: meter.counter({
      name: 'varve_duplicate_messages_total',
      help: 'Messages acknowledged without being stored again.',
    }),
    duplicateValues: meter.counter({
      name: 'varve_deduplicated_messages_total',
      help: 'Those of them that carry a value which their stream remembers.',
    }),
    refusedAppends: {
      stream_not_found: refused.with({ code: 'stream_not_found' }),
      record_changed: refused.with({ code: 'record_changed' }),
      fenced: refused.with({ code: 'fenced' }),
      publisher_fenced: refused.with({ code: 'publisher_fenced' }),
      offset_mismatch: refused.with({ code: 'offset_mismatch' }),
      invalid_request: refused.with({ code: 'invalid_request' }),
      too_many_messages: refused.with({ code: 'too_many_messages' }),
    },
  };
}

function commitMetrics(meter: Meter) {
  return {
    commitAppends: meter.histogram({
      name: 'varve_commit_appends',
      help: 'Publishes that one commit decided together.',
      bounds: APPENDS_BOUNDS,
    }),
    commitBytes: meter.histogram({
      name: 'varve_commit_bytes',
      help: 'Logical bytes that one commit was asked to store.',
      bounds: BYTES_BOUNDS,
    }),
    commitSeconds: meter.histogram({
      name: 'varve_commit_duration_seconds',
      help: 'From the request of a commit to its end on disk, failed ones included.',
      bounds: SECONDS_BOUNDS,
    }),
    failedCommits: meter.counter({
      name: 'varve_failed_commits_total',
      help: 'Commits that the store did not end: of theirs nothing is counted as stored.',
    }),
  };
}
