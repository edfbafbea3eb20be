/**
 * Cancels a held message (PROTOCOL R12): one transaction that takes it away and raises the version of its shard,
 * unless it belongs to an open plan, which may have stored it already.
 */
import type { HeldId } from '../core/timer/held-id.ts';
import { encodeHeldId } from '../format/held-object.ts';
import { StoreError } from '../ports/store-error.ts';
import { bytesValue, numberValue } from './attribute.ts';
import type { AwsContext } from './aws-context.ts';
import { removeBodies } from './held-bodies.ts';
import { findTimer, hasTarget } from './list-held.ts';
import { mintUlid } from './mint-ulid.ts';
import { newShard } from './shard-item.ts';
import type { TransactionStep } from './table.ts';
import { shardKey, timerKey, timerShard } from './table-key.ts';

/** The first may find the shard without an item. */
const TRIES_MAX = 3;

export async function cancelHeld(context: AwsContext, id: HeldId): Promise<boolean> {
  const timer = await findTimer(context.table, id);
  if (timer === undefined || !(await hasTarget(context.table, timer.message))) return false;
  const shard = timerShard(timer.message.target.id);
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const token = Buffer.from(mintUlid(context)).toString('hex');
    const result = await context.table.transact(cancelSteps(shard, id), token);
    if (result.kind === 'done') {
      await removeBodies(context, [timer]);
      return true;
    }
    const [ofShard, ofTimer] = result.steps;
    if (ofTimer?.refused || ofShard?.item !== undefined) return false;
    await context.table.put(newShard(shard, false), 'harmless');
  }
  throw new StoreError('the shard of a held message came to be and went, again and again', {
    kind: 'unavailable',
    sideEffects: 'none',
  });
}

function cancelSteps(shard: number, id: HeldId): readonly TransactionStep[] {
  return [
    {
      kind: 'update',
      key: shardKey(shard),
      update: 'SET #v = #v + :one',
      condition: 'attribute_exists(#k) AND NOT contains(#d, :id)',
      values: { ':one': numberValue(1), ':id': bytesValue(encodeHeldId(id)) },
    },
    { kind: 'delete', key: timerKey(shard, id), condition: 'attribute_exists(#k)' },
  ];
}
