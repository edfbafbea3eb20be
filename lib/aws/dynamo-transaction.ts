/**
 * Transactions on DynamoDB: all steps or none, with the items that refused. The token makes a repeated
 * request take effect once for 10 minutes, so one whose answer was lost may be sent again.
 */
import {
  type CancellationReason,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { assert } from '../core/assert.ts';
import { decodeItem, encodeItem, encodeKey } from './dynamo-attribute.ts';
import { assertDistinct, expressionInput, keyOf } from './dynamo-request.ts';
import type { DynamoOptions } from './dynamo-table.ts';
import type { Table, TransactionResult, TransactionStep } from './table.ts';

/** Limits of AWS, where 101 actions or 37 characters are a ValidationException. */
const STEPS_MAX = 100;
const TOKEN_CHARACTERS_MAX = 36;

export function createTransact(options: DynamoOptions): Table['transact'] {
  const { client, table, calls, metrics } = options;
  const transactWrite = calls.operation('dynamodb', 'TransactWriteItems');
  return (steps, token) => {
    assert(token.length > 0 && token.length <= TOKEN_CHARACTERS_MAX, 'a token that AWS refuses');
    assertDistinct(steps.map(stepKey), STEPS_MAX);
    const command = new TransactWriteItemsCommand({
      TransactItems: steps.map((step) => encodeStep(step, table)),
      ClientRequestToken: token,
      ReturnConsumedCapacity: 'TOTAL',
    });
    return transactWrite({
      effect: 'repeatable',
      refusal: refusedSteps,
      async send(abortSignal) {
        const { ConsumedCapacity = [] } = await client().send(command, { abortSignal });
        for (const { CapacityUnits = 0 } of ConsumedCapacity) metrics.writeUnits.add(CapacityUnits);
        return { kind: 'done' };
      },
    });
  };
}

function stepKey(step: TransactionStep) {
  return step.kind === 'put' ? keyOf(step) : step.key;
}

function encodeStep(step: TransactionStep, table: string): TransactWriteItem {
  const fixed = { TableName: table, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
  switch (step.kind) {
    case 'update': {
      const update = { UpdateExpression: step.update, ...expressionInput(step, step.update) };
      return { Update: { ...fixed, Key: encodeKey(step.key), ...update } };
    }
    case 'put':
      return { Put: { ...fixed, Item: encodeItem(step.item), ...expressionInput(step) } };
    case 'delete':
      return { Delete: { ...fixed, Key: encodeKey(step.key), ...expressionInput(step) } };
    case 'check': {
      const { ConditionExpression, ...names } = expressionInput(step);
      assert(ConditionExpression !== undefined, 'a check without a condition');
      return {
        ConditionCheck: { ...fixed, Key: encodeKey(step.key), ConditionExpression, ...names },
      };
    }
  }
}

/** Only when a condition refused: other reasons say nothing about the items. */
function refusedSteps(error: unknown): { readonly answer: TransactionResult } | undefined {
  if (!(error instanceof TransactionCanceledException)) return undefined;
  const steps = (error.CancellationReasons ?? []).map(stepResult);
  return steps.some(({ refused }) => refused) ? { answer: { kind: 'refused', steps } } : undefined;
}

function stepResult({ Code, Item: item }: CancellationReason) {
  const refused = Code === 'ConditionalCheckFailed';
  return item === undefined ? { refused } : { refused, item: decodeItem(item) };
}
