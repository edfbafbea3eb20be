/** Limits of the program made so small that a run of a few operations reaches them. */
import type { Patch } from './patches.ts';

function limit(file: string, name: string, [from, to]: readonly [string, string]): Patch {
  const line = (value: string) => `const ${name} = ${value};`;
  return { file: `lib/${file}`, find: line(from), replace: line(to) };
}

function member(file: string, name: string, [from, to]: readonly [string, string]): Patch {
  return { file: `lib/${file}`, find: `  ${name}: ${from},`, replace: `  ${name}: ${to},` };
}

export const SMALL_LIMITS: readonly Patch[] = [
  limit('aws/spill-refs.ts', 'REFS_PER_INDEX_ITEM', ['16', '3']),
  limit('aws/commit-update.ts', 'REFS_MAX', ['64', '5']),
  limit('aws/publisher-side.ts', 'IN_TAIL_MAX', ['32', '4']),
  limit('aws/publisher-side.ts', 'STAYING', ['16', '2']),
  limit('aws/publisher-side.ts', 'LEAVING_MAX', ['64', '2']),
  limit('aws/fence-ulid.ts', 'CANCELLED_MAX', ['8', '2']),
  // So that a segment is several pieces, of which some end within an index item, of several blocks each.
  member('aws/pack-segment.ts', 'pieceObjectsMax', ['4096', '4']),
  member('aws/pack-segment.ts', 'pieceBytes', ['24 * 1024 * 1024', '150']),
  limit('aws/pack-segment.ts', 'AHEAD_OBJECTS_MAX', ['32', '2']),
  limit('aws/pack-segment.ts', 'AHEAD_BYTES_MAX', ['4 * 1024 * 1024', '60']),
  limit('aws/pack-segments.ts', 'PIECES_PER_TURN', ['4', '1']),
  limit('format/segment-builder.ts', 'BLOCK_RECORD_BYTES', ['1024 * 1024', '40']),
  limit('aws/segment-reader.ts', 'RANGE_BYTES_MAX', ['8 * 1024 * 1024', '200']),
  limit('aws/seal-segments.ts', 'SEALED_AT_ONCE_MAX', ['16', '1']),
  limit('aws/stream-segments.ts', 'ITEMS_AT_ONCE', ['30', '2']),
  limit('aws/find-source.ts', 'SEGMENTS_AHEAD', ['50', '2']),
  limit('aws/known-segments.ts', 'SEGMENTS_MAX', ['1_000', '3']),
  limit('aws/chunk-reader.ts', 'CACHE_BYTES_DEFAULT', ['64 * 1024 * 1024', '2_048']),
  // So that a few values are pushed out of a ring, and more of them have items.
  {
    file: 'lib/core/log/deduplication.ts',
    find: 'SMALL_CACHE_MAX = 128',
    replace: 'SMALL_CACHE_MAX = 3',
  },
  limit('aws/forgotten-values.ts', 'VALUES_PER_LOOK', ['32', '2']),
  // So that of held messages those that carry a value lie in objects, and a plan leaves some to the next.
  limit('aws/held-bodies.ts', 'INLINE_BYTES_MAX', ['4_096', '20']),
  limit('aws/release-held.ts', 'BYTES_MAX', ['8 * 1024 * 1024', '80']),
  // Safety must not hang on any of these times, and runs are over in less.
  limit('aws/horizon.ts', 'GRACE_MS', ['3_600_000', '300']),
  limit('aws/stream-lease.ts', 'LEASE_MS', ['60_000', '500']),
  limit('aws/due-work.ts', 'SOON_MS', ['5_000', '300']),
  // Caches that are never filled cost most of the time in which a service is started.
  limit('aws/stream-loader.ts', 'STREAMS_KNOWN_MAX', ['10_000', '100']),
];
