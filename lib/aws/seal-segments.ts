/**
 * Seals segments (PROTOCOL R3): from the end of what is sealed to where the next segment begins, on an
 * unbroken chain of index items below the tail's base. What is sealed never changes again.
 */
import { numberOf, numberValue } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import type { KnownStream } from './known-stream.ts';
import { mintUlid } from './mint-ulid.ts';
import { lastTimeMs, type PlacedRef } from './placed-refs.ts';
import { encodeSegment, type SegmentSpan } from './segment-item.ts';
import { unbrokenRefs } from './stream-index.ts';
import type { Table } from './table.ts';
import { controlKey } from './table-key.ts';

/** Segments that opened without being sealed, because who opened them died. */
const SEALED_AT_ONCE_MAX = 16;

/** True when there may be more to seal. */
export async function sealSegments(context: AwsContext, stream: KnownStream): Promise<boolean> {
  const { table } = context;
  const { streamId } = stream.tail;
  for (let sealed = 0; sealed < SEALED_AT_ONCE_MAX; sealed++) {
    const control = await table.get(controlKey(streamId));
    if (control === undefined) return false;
    const segment = await closedSegment(table, stream, numberOf(control, 'se'));
    if (segment === undefined) return false;
    const bytesThrough = numberOf(control, 'sy') + segment.bytes;
    await table.transact(
      [
        {
          kind: 'update',
          key: controlKey(streamId),
          update: 'SET #se = :end, #sy = :bytes',
          condition: '#se = :first',
          values: {
            ':end': numberValue(segment.end),
            ':bytes': numberValue(bytesThrough),
            ':first': numberValue(segment.first),
          },
        },
        {
          kind: 'put',
          item: encodeSegment(streamId, { ...segment, bytesThrough }),
          condition: 'attribute_not_exists(#k)',
        },
      ],
      Buffer.from(mintUlid(context)).toString('hex'),
    );
  }
  return true;
}

/** Ref by ref: a segment of many small publishes has more of them than a function has memory. */
async function closedSegment(
  table: Table,
  { tail }: KnownStream,
  first: number,
): Promise<SegmentSpan | undefined> {
  let segment: SegmentSpan | undefined;
  const range = { from: first, end: tail.base };
  for await (const ref of unbrokenRefs(table, tail.streamId, range)) {
    if (ref.opensSegment && segment !== undefined) return segment;
    segment = withRef(segment, ref);
  }
  // The next one begins in the tail itself.
  return segment?.end === tail.base && tail.refs[0]?.opensSegment ? segment : undefined;
}

export function withRef(segment: SegmentSpan | undefined, ref: PlacedRef): SegmentSpan {
  const timeMs = lastTimeMs(ref);
  return {
    first: segment?.first ?? ref.base,
    end: ref.end,
    bytes: (segment?.bytes ?? 0) + ref.bytes,
    firstTimeMs: segment?.firstTimeMs ?? timeMs,
    lastTimeMs: timeMs,
  };
}
