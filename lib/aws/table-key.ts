/**
 * Keys of all items, built here only. Items of one stream lie in partitions of their own, by its id,
 * which is never used again; only the tail is found by the stream's name. FORMAT.md lists them.
 */
import { createHash } from 'node:crypto';
import type { ConsumerName, PublisherName, StreamId, StreamName } from '../core/log/ids.ts';
import type { BindingName } from '../core/routing/binding.ts';
import type { ExchangeId, ExchangeName } from '../core/routing/exchange.ts';
import type { HeldId } from '../core/timer/held-id.ts';
import type { ItemKey } from './table.ts';

/** A name of 255 bytes in the key would be charged with every commit. */
const NAME_BYTES_MAX = 22;
const BINDING_BYTES_MAX = 1_000;
const OFFSET_DIGITS = 16;
const PUBLISHER_HASH_BYTES = 12;

export const REGISTRY = 'Rs';
export const EXCHANGES = 'Re';
export const GRAVES = 'X';
/** Of the names of consumers, behind the counter that is in their partition. */
export const CONSUMER_PREFIX = '=';

export function tailKey(name: StreamName): ItemKey {
  const isShort = Buffer.byteLength(name) <= NAME_BYTES_MAX;
  return {
    k: isShort ? `T=${name}` : `T#${hash(name).toString('base64url').slice(0, 22)}`,
    s: 't',
  };
}

export function controlKey(id: StreamId): ItemKey {
  return { k: `C${id}`, s: 'c' };
}

export function settingsKey(id: StreamId): ItemKey {
  return { k: `S${id}`, s: 's' };
}

export function indexPartition(id: StreamId): string {
  return `I${id}`;
}

export function segmentPartition(id: StreamId): string {
  return `G${id}`;
}

export function sideKey(id: StreamId): ItemKey {
  return { k: `V${id}`, s: 'v' };
}

export function publisherNameKey(id: StreamId, publisher: string): ItemKey {
  return { k: `N${id}`, s: publisher };
}

export function consumerPartition(id: StreamId): string {
  return `O${id}`;
}

export function consumerKey(id: StreamId, name: ConsumerName): ItemKey {
  return { k: consumerPartition(id), s: `${CONSUMER_PREFIX}${name}` };
}

export function consumerCounterKey(id: StreamId): ItemKey {
  return { k: consumerPartition(id), s: '!' };
}

export function registryKey(name: StreamName): ItemKey {
  return { k: REGISTRY, s: name };
}

export function graveKey(id: StreamId): ItemKey {
  return { k: GRAVES, s: id };
}

/** What is read for every publish through it: found by its name, as a tail is. */
export function exchangeKey(name: ExchangeName): ItemKey {
  const isShort = Buffer.byteLength(name) <= NAME_BYTES_MAX;
  return {
    k: isShort ? `E=${name}` : `E#${hash(name).toString('base64url').slice(0, 22)}`,
    s: 'e',
  };
}

export function exchangeListKey(name: ExchangeName): ItemKey {
  return { k: EXCHANGES, s: name };
}

export function exchangeGraveKey(id: ExchangeId): ItemKey {
  return { k: GRAVES, s: id };
}

export function bindingPartition(id: ExchangeId | StreamId): string {
  return `E${id}`;
}

export function bindingKey(id: ExchangeId, name: BindingName): ItemKey {
  return { k: bindingPartition(id), s: bindingSortKey(name) };
}

/** A sort key has at most 1024 bytes; names are ASCII without `#`, so what is cut is told apart. */
export function bindingSortKey(name: string): string {
  if (name.length <= BINDING_BYTES_MAX) return name;
  const rest = hash(name).toString('base64url').slice(0, 22);
  return `${name.slice(0, BINDING_BYTES_MAX - 100)}#${rest}`;
}

/** Of what an exchange remembers of values; hashes as text lie behind the counter. */
export function recordPartition(id: ExchangeId | StreamId): string {
  return `Q${id}`;
}

export const RECORDS_FROM = '-';

export function recordKey(id: ExchangeId, hash: string): ItemKey {
  return { k: recordPartition(id), s: hash };
}

export function recordCounterKey(id: ExchangeId): ItemKey {
  return { k: recordPartition(id), s: '!' };
}

export function valuePartition(id: StreamId): string {
  return `Y${id}`;
}

export function valueKey(id: StreamId, hash: string): ItemKey {
  return { k: valuePartition(id), s: hash };
}

/**
 * Held messages are spread by their target, so that what belongs together is released together. Each shard is
 * one read a minute, which is what an idle store costs, and releases thousands of messages a second.
 */
export const TIMER_SHARDS = 4;

export function timerShard(target: StreamId | ExchangeId): number {
  return Number.parseInt(target.slice(-1), 16) % TIMER_SHARDS;
}

export function timerPartition(shard: number): string {
  return `M${shard}`;
}

export function timerKey(shard: number, id: HeldId): ItemKey {
  return { k: timerPartition(shard), s: id };
}

/** Sorts before all messages of its shard. */
export function shardKey(shard: number): ItemKey {
  return { k: timerPartition(shard), s: '!' };
}

/** Sorts as the offsets do. */
export function offsetSortKey(offset: number): string {
  return String(offset).padStart(OFFSET_DIGITS, '0');
}

/** By what a tail knows a publisher: 96 bits, which no two names of a stream share by chance. */
export function publisherHash(name: PublisherName): string {
  return hash(name).subarray(0, PUBLISHER_HASH_BYTES).toString('base64url');
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
