/**
 * Removes the stored offsets that a stream has beyond its limit, the least recently written first (SPEC C6,
 * PROTOCOL R16): never one that was written since it was read, never one when no more are left than the limit.
 */
import { planRemoval } from '../core/consumers/stored-offset.ts';
import type { ConsumerName, StreamId } from '../core/log/ids.ts';
import { effectiveSettings } from '../core/log/settings.ts';
import { numberValue } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import {
  type ConsumerLimit,
  countDownTo,
  loadCounter,
  setConsumerLimit,
} from './consumer-counter.ts';
import { decodeConsumer, decodeCounter } from './consumer-item.ts';
import type { KnownStream } from './known-stream.ts';
import { mintUlid } from './mint-ulid.ts';
import type { Table, TransactionResult, TransactionStep } from './table.ts';
import { CONSUMER_PREFIX, consumerKey, consumerPartition } from './table-key.ts';

/** Of a stream whose settings are those that it was created with. */
const FIRST_EPOCH = 1;
/** With the counter as many as a transaction holds. */
const REMOVED_TOGETHER_MAX = 99;

interface Victim {
  readonly name: ConsumerName;
  readonly writtenMs: number;
}

/** False when there is more to do, as some of those it was about to remove were written meanwhile. */
export async function keepConsumers(
  context: AwsContext,
  { tail: { streamId, epoch }, settings }: KnownStream,
): Promise<boolean> {
  const limit = { limit: effectiveSettings(settings).consumer_limit, revision: epoch };
  const counter = await setConsumerLimit(context.table, streamId, limit);
  // Who has set another limit since has left work for it.
  if (counter === undefined || counter.count <= limit.limit) return true;
  const stored = await storedConsumers(context.table, streamId);
  const victims = planRemoval(stored, limit.limit).flatMap((name) => stored.get(name) ?? []);
  return await removeExcess(context, { streamId, limit, victims, count: counter.count });
}

/**
 * The same for settings that were changed, whose work tells of no consumers: looked at until the counter has the limit
 * of these settings, and at the counter alone from then on.
 */
export async function keepToChangedLimit(
  context: AwsContext,
  stream: KnownStream,
): Promise<boolean> {
  const { streamId, epoch } = stream.tail;
  if (epoch === FIRST_EPOCH) return true;
  const { count, revision } = await loadCounter(context.table, streamId);
  const { consumer_limit } = effectiveSettings(stream.settings);
  const isKept = revision >= epoch && count <= consumer_limit;
  return isKept || (await keepConsumers(context, stream));
}

async function storedConsumers(
  table: Table,
  id: StreamId,
): Promise<ReadonlyMap<ConsumerName, Victim>> {
  const found = new Map<ConsumerName, Victim>();
  let page: string | undefined;
  do {
    const { items, next } = await table.query({
      k: consumerPartition(id),
      from: CONSUMER_PREFIX,
      ...(page !== undefined && { page }),
    });
    for (const { name, stored } of items.map(decodeConsumer)) {
      found.set(name, { name, writtenMs: stored.writtenMs });
    }
    page = next;
  } while (page !== undefined);
  return found;
}

interface Excess {
  readonly streamId: StreamId;
  readonly limit: ConsumerLimit;
  /** The first to go first. */
  readonly victims: readonly Victim[];
  readonly count: number;
}

async function removeExcess(context: AwsContext, excess: Excess): Promise<boolean> {
  const { limit } = excess;
  let { victims, count } = excess;
  while (count > limit.limit) {
    const batch = victims.slice(0, Math.min(count - limit.limit, REMOVED_TOGETHER_MAX));
    if (batch.length === 0) return false;
    const result = await removeTogether(context, excess, batch);
    if (result.kind === 'done') {
      victims = victims.slice(batch.length);
      count -= batch.length;
      continue;
    }
    const counter = decodeCounter(result.steps[0]?.item ?? {});
    if (result.steps[0]?.refused && counter.revision !== limit.revision) return true;
    if (result.steps[0]?.refused) count = counter.count;
    const kept = new Set(batch.filter((_, index) => result.steps[index + 1]?.refused));
    victims = victims.filter((victim) => !kept.has(victim));
  }
  return true;
}

async function removeTogether(
  context: AwsContext,
  { streamId, limit }: Excess,
  batch: readonly Victim[],
): Promise<TransactionResult> {
  const steps = [
    countDownTo(streamId, limit, batch.length),
    ...batch.map((victim) => removeAsRead(streamId, victim)),
  ];
  return await context.table.transact(steps, Buffer.from(mintUlid(context)).toString('hex'));
}

function removeAsRead(id: StreamId, { name, writtenMs }: Victim): TransactionStep {
  return {
    kind: 'delete',
    key: consumerKey(id, name),
    condition: '#m = :written',
    values: { ':written': numberValue(writtenMs) },
  };
}
