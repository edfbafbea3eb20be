/** What the retained part of a stream takes up, counted in whole segments. */
import { offset, type StreamId } from '../core/log/ids.ts';
import type { SegmentEntry, SegmentQuery, StoredChunk, StreamUsage } from '../ports/log-store.ts';
import { StoreError } from '../ports/store-error.ts';
import type { AwsContext } from './aws-context.ts';
import { readChunks } from './read-chunks.ts';
import { retainedSegments } from './stream-segments.ts';

export async function streamUsage(context: AwsContext, streamId: StreamId): Promise<StreamUsage> {
  const stream = await context.streams.loadById(streamId);
  if (stream === undefined || stream.tail.first === stream.tail.next) {
    return { segments: 0, bytes: 0 };
  }
  const { tail } = stream;
  let [segments, bytes] = [0, 0];
  let oldest: SegmentEntry | undefined;
  for await (const segment of retainedSegments(context.table, tail, tail.first)) {
    segments++;
    bytes += segment.bytes ?? 0;
    oldest ??= segment;
  }
  const range = { streamId, from: tail.first, end: offset(tail.first + 1), bytesMax: 0 };
  const [chunk] = await readChunks(context, range).catch(nothingIfDamaged);
  return {
    segments,
    bytes,
    ...(chunk && { oldestMs: chunk.timeMs }),
    ...(oldest && { oldest }),
  };
}

/** Reads tell of it: a description is to be had all the same. */
function nothingIfDamaged(error: unknown): readonly StoredChunk[] {
  if (error instanceof StoreError && error.kind === 'corrupt') return [];
  throw error;
}

export async function listSegments(
  context: AwsContext,
  { streamId, from, limit }: SegmentQuery,
): Promise<readonly SegmentEntry[]> {
  const stream = await context.streams.loadById(streamId);
  if (stream === undefined) return [];
  const { tail } = stream;
  const entries: SegmentEntry[] = [];
  if (limit === 0) return entries;
  for await (const entry of retainedSegments(context.table, tail, Math.max(from, tail.first))) {
    entries.push(entry);
    if (entries.length === limit) break;
  }
  return entries;
}
