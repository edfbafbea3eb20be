/**
 * Drops what the settings keep no longer (SPEC T1-T8): walks the sealed segments from the oldest on, as core
 * judges them, and raises `first` (PROTOCOL R6). What describes and holds the dropped messages is removed later.
 */
import { offset } from '../core/log/ids.ts';
import { judgeSegment, type RetentionQuestion } from '../core/log/retention.ts';
import { effectiveSettings } from '../core/log/settings.ts';
import type { Retained } from '../ports/log-store.ts';
import { StoreError } from '../ports/store-error.ts';
import type { AwsContext } from './aws-context.ts';
import { raiseFirst } from './change-tail.ts';
import type { KnownStream } from './known-stream.ts';
import type { SealedSegment } from './segment-item.ts';
import { sealedSegments } from './stream-segments.ts';

/** Each try after the first met a trim, or the end of some maintenance. */
const TRIES_MAX = 16;

/** When retention is judged, and what of the stream counts then. */
export interface RetentionMoment {
  readonly nowMs: number;
  /** As it is unless it is given: at the opening of a segment, the messages of the publish that opened it. */
  readonly next?: number;
  readonly bytes?: number;
}

export interface RetainedStream extends Retained {
  /** When the oldest sealed segment that stays reaches its age. */
  readonly expiresMs?: number;
  /** Of the tail, if `first` was raised. */
  readonly workVersion?: number;
}

/** Undefined when the stream is gone. */
export async function retainStream(
  context: AwsContext,
  from: KnownStream,
  moment: RetentionMoment,
): Promise<RetainedStream | undefined> {
  const { streamId, first: before } = from.tail;
  let stream: KnownStream | undefined = from;
  for (let tries = 0; tries < TRIES_MAX && stream !== undefined; tries++) {
    const { dropBelow, expiresMs } = await planDrop(context, stream, moment);
    const expiry = expiresMs === undefined ? {} : { expiresMs };
    const { first } = stream.tail;
    if (dropBelow <= first) return { first, dropped: first - before, ...expiry };
    const raised = await raiseFirst(context, stream, offset(dropBelow));
    if (raised !== undefined) {
      const { first: now, workVersion } = raised;
      return { first: now, dropped: now - before, workVersion, ...expiry };
    }
    stream = await context.streams.loadById(streamId);
  }
  if (stream === undefined) return undefined;
  throw new StoreError(`other changes came between ${TRIES_MAX} tries to drop segments`, {
    kind: 'unavailable',
    sideEffects: 'none',
  });
}

interface Drop {
  readonly dropBelow: number;
  readonly expiresMs?: number | undefined;
}

async function planDrop(
  { table, telemetry }: AwsContext,
  { tail, settings }: KnownStream,
  { nowMs, next = tail.next, bytes = tail.bytes }: RetentionMoment,
): Promise<Drop> {
  const inForce = effectiveSettings(settings);
  const { max_age, max_length, max_length_bytes } = inForce;
  let dropBelow = 0;
  // Most streams have no limit: then nothing is read.
  if (max_age === null && max_length === null && max_length_bytes === null) return { dropBelow };
  const question: RetentionQuestion = { settings: inForce, next, bytes, nowMs, holders: [] };
  for await (const segment of sealedSegments(table, tail.streamId, tail.first)) {
    const verdict = judgeSegment(segment, question);
    if (verdict.kind === 'keep') {
      // Neither it nor what lies behind it ever goes by itself. One that was sealed since is only not asked about.
      const isUnknown = verdict.why === 'unknown' && segment.end <= next;
      if (isUnknown) telemetry.error('segment_unknown', unknown(tail, segment));
      return {
        dropBelow,
        expiresMs: verdict.why === 'within-limits' ? verdict.expiresMs : undefined,
      };
    }
    dropBelow = segment.end;
  }
  return { dropBelow };
}

function unknown({ streamId }: KnownStream['tail'], { first }: SealedSegment) {
  const error = new Error(`the item of the segment at ${first} lacks its bytes or time`);
  return { stream_id: streamId, error };
}
