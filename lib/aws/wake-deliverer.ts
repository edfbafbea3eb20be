/**
 * Wakes whoever releases held messages for those that are due before it would look by itself (PROTOCOL R12a): first
 * the messages, then the sign in their shard's item; only who raises the sign wakes. It takes the sign down and looks
 * once more before it ends, so none that came meanwhile is late.
 */
import { dueMsOf } from '../core/timer/held-id.ts';
import { numberValue } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import type { PlannedTimer } from './held-bodies.ts';
import { newShard } from './shard-item.ts';
import type { Table } from './table.ts';
import { shardKey, timerShard } from './table-key.ts';

/** How often it looks by itself. */
const LOOKS_EVERY_MS = 60_000;

/** What is held is so whatever becomes of this: at the latest, the next minute's look finds it. */
export async function wakeForHeld(
  context: AwsContext,
  timers: readonly PlannedTimer[],
): Promise<void> {
  const { wakeDeliverer, clock, table, telemetry } = context;
  if (wakeDeliverer === undefined) return;
  const beforeMs = clock.nowMs() + LOOKS_EVERY_MS;
  const soon = timers.filter(({ message: { id } }) => dueMsOf(id) < beforeMs);
  const shards = new Set(soon.map(({ message: { target } }) => timerShard(target.id)));
  try {
    for (const shard of shards) if (await raiseAwake(table, shard)) await wakeDeliverer();
  } catch (error) {
    telemetry.error('waking_failed', { error });
  }
}

/** False when somebody else has, and nobody looked since. */
export async function raiseAwake(table: Table, shard: number): Promise<boolean> {
  const raised = await table.update(
    {
      key: shardKey(shard),
      update: 'SET #w = :one',
      condition: 'attribute_exists(#k) AND #w < :one',
      values: { ':one': numberValue(1) },
    },
    'harmless',
  );
  if (raised.kind === 'done') return true;
  if (raised.item !== undefined) return false;
  return (await table.put(newShard(shard, true), 'harmless')).kind === 'done';
}

export async function clearAwake(table: Table, shard: number): Promise<void> {
  await table.update(
    {
      key: shardKey(shard),
      update: 'SET #w = :zero',
      condition: 'attribute_exists(#k) AND #w > :zero',
      values: { ':zero': numberValue(0) },
    },
    'harmless',
  );
}
