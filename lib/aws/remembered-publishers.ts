/**
 * Whom a stream remembers (SPEC D9): the publishers in its tail and those that left it for the side item,
 * of which the ones whose latest messages are the oldest are forgotten beyond the limit. Pure.
 */
import { PUBLISHERS_PER_STREAM_MAX } from '../core/log/limits.ts';
import type { PublisherEntry } from './publisher-entry.ts';
import { isReleasePublisher } from './release-publisher.ts';

type Entries = ReadonlyMap<string, PublisherEntry>;

/**
 * Of a publisher in both the later entry counts: that of the tail, unless somebody moves it just now. The
 * higher id would be wrong for one that was forgotten and begins anew.
 */
export function rememberedPublishers(tail: Entries, side: Entries): Entries {
  const all = new Map(side);
  for (const [key, entry] of tail) {
    const other = all.get(key);
    if (other === undefined || other.offset <= entry.offset) all.set(key, entry);
  }
  // Whom the tail holds is not forgotten: a commit's condition goes by what is there.
  const countMax = Math.max(PUBLISHERS_PER_STREAM_MAX, tail.size);
  return all.size <= countMax ? all : new Map(latestFirst(all).slice(0, countMax));
}

/** Those of a tail that leave together: all but the `staying` latest. */
export function leavingPublishers(tail: Entries, staying: number): Entries {
  return new Map(
    latestFirst(tail)
      .slice(staying)
      .filter(([key]) => !isReleasePublisher(key)),
  );
}

/** Who releases held messages stays: forgotten, it would release again what an open plan has released (PROTOCOL R12). */
function latestFirst(entries: Entries): [string, PublisherEntry][] {
  return [...entries].sort(
    ([one, a], [other, b]) =>
      Number(isReleasePublisher(other)) - Number(isReleasePublisher(one)) ||
      b.record.latest.end - a.record.latest.end ||
      b.offset - a.offset,
  );
}
