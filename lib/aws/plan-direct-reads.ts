/** Presigned URLs of the objects of a range, for readers that fetch them past the service. */
import { offset } from '../core/log/ids.ts';
import { PLAN_OBJECTS_MAX } from '../core/log/limits.ts';
import { chunkObjectName } from '../format/object-key.ts';
import type { DirectObject, DirectReads } from '../ports/direct-reads.ts';
import type { ChunkRange } from '../ports/log-store.ts';
import type { AwsContext } from './aws-context.ts';
import { findRefs } from './find-refs.ts';

export function createDirectReads(context: AwsContext): DirectReads {
  return { plan: (range, expiresSeconds) => planDirectReads(context, range, expiresSeconds) };
}

async function planDirectReads(
  { table, objects, streams }: AwsContext,
  { streamId, from, end, bytesMax }: ChunkRange,
  expiresSeconds: number,
): Promise<readonly DirectObject[]> {
  const stream = await streams.covering(streamId, end);
  if (stream === undefined || from < stream.tail.first) return [];

  const range = { from, end, bytesMax, refsMax: PLAN_OBJECTS_MAX };
  const refs = await findRefs(table, stream.tail, range);
  return await Promise.all(
    refs.map(async ({ base, end: refEnd, timeBelowMs, ulid }) => {
      const url = await objects.presignedUrl(chunkObjectName({ streamId, ulid }), expiresSeconds);
      return { start: offset(base), end: offset(refEnd), timeBelowMs, url };
    }),
  );
}
