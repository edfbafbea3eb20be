/**
 * Reads and deletions of many items at once. DynamoDB may leave a part undone, because of its size or to
 * be spared: that part is asked for again, ever more slowly, as long as some of it gets done.
 */
import {
  type AttributeValue,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  type ConsumedCapacity,
} from '@aws-sdk/client-dynamodb';
import type { Counter } from '../ports/meter.ts';
import { StoreError } from '../ports/store-error.ts';
import { decodeItem, encodeKey } from './dynamo-attribute.ts';
import { assertDistinct } from './dynamo-request.ts';
import type { DynamoOptions } from './dynamo-table.ts';
import type { Item, Table } from './table.ts';

const GET_KEYS_MAX = 100;
const WRITES_MAX = 25;
/** In a row without any progress: with the pauses between them about a second. */
const IDLE_ROUNDS_MAX = 6;

type SdkKeys = Record<string, AttributeValue>[];

interface Batch {
  readonly name: 'BatchGetItem' | 'BatchWriteItem';
  readonly sideEffects: 'none' | 'possible';
  /** Gives back the keys that were left over. */
  send(keys: SdkKeys): Promise<SdkKeys>;
}

export function createBatches(options: DynamoOptions): Pick<Table, 'getMany' | 'deleteMany'> {
  const remove = createRemove(options);
  const read = createRead(options);
  return {
    async getMany(keys) {
      assertDistinct(keys, GET_KEYS_MAX);
      const items: Item[] = [];
      await untilDone(options, read(items), keys.map(encodeKey));
      return items;
    },

    async deleteMany(keys) {
      for (let start = 0; start < keys.length; start += WRITES_MAX) {
        const part = keys.slice(start, start + WRITES_MAX);
        assertDistinct(part, WRITES_MAX);
        await untilDone(options, remove, part.map(encodeKey));
      }
    },
  };
}

/** Adds what it reads to `items`. */
function createRead({ client, table, calls, metrics }: DynamoOptions): (items: Item[]) => Batch {
  const batchGet = calls.operation('dynamodb', 'BatchGetItem');
  return (items) => ({
    name: 'BatchGetItem',
    sideEffects: 'none',
    async send(keys) {
      const command = new BatchGetItemCommand({
        RequestItems: { [table]: { Keys: keys, ConsistentRead: true } },
        ReturnConsumedCapacity: 'TOTAL',
      });
      const answer = await batchGet({
        effect: 'none',
        send: (abortSignal) => client().send(command, { abortSignal }),
      });
      charge(metrics.readUnits, answer.ConsumedCapacity);
      items.push(...(answer.Responses?.[table] ?? []).map(decodeItem));
      return answer.UnprocessedKeys?.[table]?.Keys ?? [];
    },
  });
}

function createRemove({ client, table, calls, metrics }: DynamoOptions): Batch {
  const batchWrite = calls.operation('dynamodb', 'BatchWriteItem');
  return {
    name: 'BatchWriteItem',
    sideEffects: 'possible',
    async send(keys) {
      const command = new BatchWriteItemCommand({
        RequestItems: { [table]: keys.map((Key) => ({ DeleteRequest: { Key } })) },
        ReturnConsumedCapacity: 'TOTAL',
      });
      const answer = await batchWrite({
        effect: 'repeatable',
        send: (abortSignal) => client().send(command, { abortSignal }),
      });
      charge(metrics.writeUnits, answer.ConsumedCapacity);
      const left = answer.UnprocessedItems?.[table] ?? [];
      return left.flatMap(({ DeleteRequest }) => (DeleteRequest?.Key ? [DeleteRequest.Key] : []));
    },
  };
}

async function untilDone({ calls }: DynamoOptions, batch: Batch, keys: SdkKeys): Promise<void> {
  let left = keys;
  let idleRounds = 0;
  while (left.length > 0) {
    const before = left.length;
    left = await batch.send(left);
    if (left.length === 0) return;

    idleRounds = left.length < before ? 0 : idleRounds + 1;
    if (idleRounds === IDLE_ROUNDS_MAX) throw leftUndone(batch, left.length);
    await calls.pause(idleRounds + 1);
  }
}

function leftUndone({ name, sideEffects }: Batch, count: number): StoreError {
  return new StoreError(`${name} leaves ${count} items undone again and again`, {
    kind: 'unavailable',
    sideEffects,
  });
}

function charge(units: Counter, consumed: readonly ConsumedCapacity[] = []): void {
  for (const { CapacityUnits = 0 } of consumed) units.add(CapacityUnits);
}
