/**
 * How many consumers of a stream have an offset stored, counted in the transaction that makes or removes one
 * (PROTOCOL R16). What is counted past the limit leaves work with it, so nobody ever looks for that.
 */
import type { StreamId } from '../core/log/ids.ts';
import { numberValue } from './attribute.ts';
import { type ConsumerCounter, decodeCounter } from './consumer-item.ts';
import type { Table, TransactionStep } from './table.ts';
import { consumerCounterKey } from './table-key.ts';

/** As whoever asks knows the settings. */
export interface ConsumerLimit {
  readonly limit: number;
  readonly revision: number;
}

/** Refused at the limit, also at one that settings have set since they were read. */
export function countUpWithin(id: StreamId, limit: number): TransactionStep {
  return {
    ...countUp(id),
    condition:
      'attribute_not_exists(#c) OR (#c < :limit AND (attribute_not_exists(#l) OR #c < #l))',
    values: { ':one': numberValue(1), ':limit': numberValue(limit) },
  };
}

/** Together with work that is left for it. */
export function countUp(id: StreamId): TransactionStep {
  return {
    kind: 'update',
    key: consumerCounterKey(id),
    update: 'ADD #c :one',
    values: { ':one': numberValue(1) },
  };
}

export function countDown(id: StreamId): TransactionStep {
  return {
    kind: 'update',
    key: consumerCounterKey(id),
    update: 'SET #c = #c - :one',
    condition: '#c >= :one',
    values: { ':one': numberValue(1) },
  };
}

/** Refused when fewer than the limit would be left, or when other settings have set it since. */
export function countDownTo(
  id: StreamId,
  { limit, revision }: ConsumerLimit,
  removed: number,
): TransactionStep {
  return {
    kind: 'update',
    key: consumerCounterKey(id),
    update: 'SET #c = #c - :removed',
    condition: '#c >= :enough AND #r = :revision',
    values: {
      ':removed': numberValue(removed),
      ':enough': numberValue(limit + removed),
      ':revision': numberValue(revision),
    },
  };
}

export async function loadCounter(table: Table, id: StreamId): Promise<ConsumerCounter> {
  return decodeCounter((await table.get(consumerCounterKey(id))) ?? {});
}

/** How many there are, counted under this limit from now on; undefined when later settings have set another. */
export async function setConsumerLimit(
  table: Table,
  id: StreamId,
  { limit, revision }: ConsumerLimit,
): Promise<ConsumerCounter | undefined> {
  const result = await table.update(
    {
      key: consumerCounterKey(id),
      update: 'SET #l = :limit, #r = :revision',
      condition: 'attribute_not_exists(#r) OR #r <= :revision',
      values: { ':limit': numberValue(limit), ':revision': numberValue(revision) },
    },
    'harmless',
  );
  return result.kind === 'refused' ? undefined : decodeCounter(result.item ?? {});
}
