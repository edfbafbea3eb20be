/** Presigned URLs of the objects of a range, for readers that fetch them past the service. */
import { offset, type StreamId } from '../core/log/ids.ts';
import { PLAN_OBJECTS_MAX } from '../core/log/limits.ts';
import { chunkObjectName, segmentObjectName } from '../format/object-key.ts';
import type { DirectObject, DirectReads } from '../ports/direct-reads.ts';
import type { ChunkRange } from '../ports/log-store.ts';
import type { AwsContext } from './aws-context.ts';
import { findSource, type Source } from './find-source.ts';

export function createDirectReads(context: AwsContext): DirectReads {
  return { plan: (range, expiresSeconds) => planDirectReads(context, range, expiresSeconds) };
}

async function planDirectReads(
  context: AwsContext,
  { streamId, from, end, bytesMax }: ChunkRange,
  expiresSeconds: number,
): Promise<readonly DirectObject[]> {
  const stream = await context.streams.covering(streamId, end);
  if (stream === undefined || from < stream.tail.first) return [];

  const found: PlannedObject[] = [];
  let [next, bytes]: [number, number] = [from, 0];
  while (
    next < end &&
    found.length < PLAN_OBJECTS_MAX &&
    (found.length === 0 || bytes < bytesMax)
  ) {
    const refsMax = PLAN_OBJECTS_MAX - found.length;
    const range = { from: next, end, bytesMax: bytesMax - bytes, refsMax };
    const source = await findSource(context, stream.tail, range);
    if (source === undefined) break;
    const objects = objectsOf(streamId, source);
    found.push(...objects);
    bytes += objects.reduce((sum, one) => sum + one.bytes, 0);
    next = objects.at(-1)?.end ?? end;
  }
  return await Promise.all(
    found.map(async ({ name, kind, start, end: last, timeBelowMs }) => {
      const url = await context.objects.presignedUrl(name, expiresSeconds);
      return { kind, start: offset(start), end: offset(last), timeBelowMs, url };
    }),
  );
}

interface PlannedObject extends Pick<DirectObject, 'kind' | 'timeBelowMs'> {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** Of a piece as stored, of chunks logical. */
  readonly bytes: number;
}

function objectsOf(streamId: StreamId, source: Source): readonly PlannedObject[] {
  if (source.kind === 'piece') {
    const { segment, piece } = source;
    const { base: start, end, ulid, bytes } = piece;
    const name = segmentObjectName({ streamId, first: start, end, ulid });
    return [{ kind: 'segment', name, start, end, bytes, timeBelowMs: segment.firstTimeMs ?? 0 }];
  }
  return source.refs.map(({ base: start, end, timeBelowMs, ulid, bytes }) => {
    const name = chunkObjectName({ streamId, ulid });
    return { kind: 'chunks', name, start, end, bytes, timeBelowMs };
  });
}
