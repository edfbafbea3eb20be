/** Limits of the program made so small that a run of a few operations reaches them. */
import type { Patch } from './patches.ts';

function limit(file: string, name: string, [from, to]: readonly [string, string]): Patch {
  const line = (value: string) => `const ${name} = ${value};`;
  return { file: `lib/aws/${file}`, find: line(from), replace: line(to) };
}

export const SMALL_LIMITS: readonly Patch[] = [
  limit('spill-refs.ts', 'REFS_PER_INDEX_ITEM', ['16', '3']),
  limit('commit-update.ts', 'REFS_MAX', ['64', '5']),
  limit('publisher-side.ts', 'IN_TAIL_MAX', ['32', '4']),
  limit('publisher-side.ts', 'STAYING', ['16', '2']),
  limit('publisher-side.ts', 'LEAVING_MAX', ['64', '2']),
  limit('fence-ulid.ts', 'CANCELLED_MAX', ['8', '2']),
  // Caches that are never filled cost most of the time in which a service is started.
  limit('stream-loader.ts', 'STREAMS_KNOWN_MAX', ['10_000', '100']),
];
