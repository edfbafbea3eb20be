/** Lists the segments of a stream that hold a retained message, in pages by offset (SPEC T2). */
import { type Offset, offset, type StreamId, type StreamName } from '../core/log/ids.ts';
import type { SegmentEntry } from '../ports/log-store.ts';
import type { Components } from './components.ts';
import { loadStream } from './load-stream.ts';

export interface SegmentPage {
  readonly streamId: StreamId;
  readonly segments: readonly SegmentEntry[];
  /** Where the next page begins; undefined when there is none. */
  readonly next?: Offset;
}

export async function listSegments(
  components: Components,
  stream: StreamName,
  { from, limit }: { readonly from: number; readonly limit: number },
): Promise<SegmentPage> {
  const { streamId, first } = await loadStream(components, stream);
  // One more tells whether there is another page.
  const query = { streamId, from: offset(Math.max(from, first)), limit: limit + 1 };
  const found = await components.log.segments(query);
  const segments = found.slice(0, limit);
  const next = found[limit]?.first;
  return { streamId, segments, ...(next !== undefined && { next }) };
}
