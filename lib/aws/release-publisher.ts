/**
 * Who publishes what was held: one name for each shard, whose ids are the numbers of the shard's plans, so that a
 * plan stores in each stream once, however often it is tried (PROTOCOL R12). No client can have such a name.
 */
import type { PublisherName } from '../core/log/ids.ts';
import { publisherHash, TIMER_SHARDS } from './table-key.ts';

export function releasePublisher(shard: number): PublisherName {
  return `varve.timer/${shard}` as PublisherName;
}

const KEYS: ReadonlySet<string> = new Set(
  Array.from({ length: TIMER_SHARDS }, (_, shard) => publisherHash(releasePublisher(shard))),
);

/** By what a tail knows a publisher. */
export function isReleasePublisher(key: string): boolean {
  return KEYS.has(key);
}
