/** The segments of a stream as core means them: told from its chunks, each of which knows whether it opens one. */
import { offset } from '../../lib/core/log/ids.ts';
import type { StreamState } from '../../lib/core/log/stream-state.ts';
import type { SegmentEntry, StoredChunk } from '../../lib/ports/log-store.ts';

interface Segmented {
  readonly state: StreamState;
  readonly chunks: readonly (StoredChunk & { readonly opensSegment: boolean })[];
}

export function segmentsOf(stream: Segmented | undefined): readonly SegmentEntry[] {
  if (stream === undefined || stream.state.first === stream.state.next) return [];
  const segments: SegmentEntry[] = [];
  for (const chunk of stream.chunks) {
    const before = chunk.opensSegment ? undefined : segments.pop();
    segments.push(withChunk(before, chunk, segments.at(-1)?.bytesThrough ?? 0));
  }
  const last = segments.pop();
  return [...segments, ...(last ? [{ ...last, state: 'active' as const }] : [])].filter(
    ({ end }) => end > stream.state.first,
  );
}

function withChunk(
  segment: SegmentEntry | undefined,
  { base, count, bytes, timeMs }: StoredChunk,
  bytesBefore: number,
): SegmentEntry {
  const held = (segment?.bytes ?? 0) + bytes;
  return {
    first: segment?.first ?? base,
    end: offset(base + count),
    state: 'sealed',
    bytes: held,
    bytesThrough: bytesBefore + held,
    lastTimeMs: timeMs,
    objects: [],
  };
}
