/**
 * Seals segments (PROTOCOL R3): from the end of what is sealed to where the next segment begins, on an
 * unbroken chain of index items below the tail's base. What is sealed never changes again.
 */
import type { StreamId } from '../core/log/ids.ts';
import { numberOf, numberValue, textValue } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import { laterMs, putDue } from './due-work.ts';
import type { KnownStream } from './known-stream.ts';
import { mintUlid } from './mint-ulid.ts';
import { lastTimeMs, type PlacedRef } from './placed-refs.ts';
import { unbrokenRefs } from './stream-index.ts';
import type { Item, Table } from './table.ts';
import { controlKey, offsetSortKey, segmentPartition } from './table-key.ts';

export interface SealedSegment {
  /** [first, end) */
  readonly first: number;
  readonly end: number;
  readonly bytes: number;
  readonly firstTimeMs: number;
  readonly lastTimeMs: number;
}

/** Segments that opened without being sealed, because who opened them died. */
const SEALED_AT_ONCE_MAX = 16;

export async function sealSegments(context: AwsContext, stream: KnownStream): Promise<void> {
  const { table } = context;
  const { streamId } = stream.tail;
  for (let sealed = 0; sealed < SEALED_AT_ONCE_MAX; sealed++) {
    const control = await table.get(controlKey(streamId));
    if (control === undefined) return;
    const segment = await closedSegment(table, stream, numberOf(control, 'se'));
    if (segment === undefined) return;
    // It was dropped before it could be removed: only what is sealed ever is.
    if (segment.end <= stream.tail.first) await leaveDropped(context, streamId);
    await table.transact(
      [
        {
          kind: 'update',
          key: controlKey(streamId),
          update: 'SET #se = :end',
          condition: '#se = :first',
          values: { ':end': numberValue(segment.end), ':first': numberValue(segment.first) },
        },
        {
          kind: 'put',
          item: encodeSegment(streamId, segment),
          condition: 'attribute_not_exists(#k)',
        },
      ],
      Buffer.from(mintUlid(context)).toString('hex'),
    );
  }
}

async function leaveDropped(context: AwsContext, streamId: StreamId): Promise<void> {
  const dueMs = laterMs(context.clock.nowMs());
  await putDue(context, { kind: 'dropped', streamId, dueMs });
}

/** Ref by ref: a segment of many small publishes has more of them than a function has memory. */
async function closedSegment(
  table: Table,
  { tail }: KnownStream,
  first: number,
): Promise<SealedSegment | undefined> {
  let segment: SealedSegment | undefined;
  const range = { from: first, end: tail.base };
  for await (const ref of unbrokenRefs(table, tail.streamId, range)) {
    if (ref.opensSegment && segment !== undefined) return segment;
    segment = withRef(segment, ref);
  }
  // The next one begins in the tail itself.
  return segment?.end === tail.base && tail.refs[0]?.opensSegment ? segment : undefined;
}

export function withRef(segment: SealedSegment | undefined, ref: PlacedRef): SealedSegment {
  const timeMs = lastTimeMs(ref);
  return {
    first: segment?.first ?? ref.base,
    end: ref.end,
    bytes: (segment?.bytes ?? 0) + ref.bytes,
    firstTimeMs: segment?.firstTimeMs ?? timeMs,
    lastTimeMs: timeMs,
  };
}

function encodeSegment(streamId: StreamId, segment: SealedSegment): Item {
  return {
    k: textValue(segmentPartition(streamId)),
    s: textValue(offsetSortKey(segment.first)),
    e: numberValue(segment.end),
    y: numberValue(segment.bytes),
    a: numberValue(segment.firstTimeMs),
    z: numberValue(segment.lastTimeMs),
  };
}

export function decodeSegment(item: Item): SealedSegment {
  const { s } = item;
  return {
    first: s !== undefined && 'S' in s ? Number(s.S) : 0,
    end: numberOf(item, 'e'),
    bytes: numberOf(item, 'y'),
    firstTimeMs: numberOf(item, 'a'),
    lastTimeMs: numberOf(item, 'z'),
  };
}
