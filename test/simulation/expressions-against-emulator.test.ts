/** The cases of the evaluator put to a table over the network. Runs only where AWS_ENDPOINT_URL names one. */
import {
  ConditionalCheckFailedException,
  CreateTableCommand,
  DeleteItemCommand,
  DeleteTableCommand,
  DynamoDBClient,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Item } from '../../lib/aws/table.ts';
import { CONDITION_CASES } from './expressions/condition-cases.ts';
import { DELIVERY_CASES } from './expressions/delivery-cases.ts';
import {
  type ExpressionCase,
  KEY,
  KEY_ATTRIBUTES,
  type Outcome,
  stepOf,
} from './expressions/expression-case.ts';
import { INVALID_CASES } from './expressions/invalid-cases.ts';
import { LOG_CASES } from './expressions/log-cases.ts';
import { bothOutcomes } from './expressions/protocol-case.ts';
import { storedItem } from './expressions/stored-form.ts';
import { UPDATE_CASES } from './expressions/update-cases.ts';
import { toAttributeValues, toItem, usedNames } from './sdk-values.ts';

const endpoint = process.env['AWS_ENDPOINT_URL'];
const CASES = [
  ...CONDITION_CASES,
  ...UPDATE_CASES,
  ...bothOutcomes(LOG_CASES),
  ...bothOutcomes(DELIVERY_CASES),
  ...INVALID_CASES,
].filter(({ emulators }) => emulators !== 'differ');

describe.runIf(endpoint !== undefined)('a table over the network agrees on', () => {
  const client = new DynamoDBClient({
    region: 'us-east-1',
    ...(endpoint !== undefined && { endpoint }),
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  });
  const TableName = `varve-expressions-${process.pid}`;
  const Key = toAttributeValues(KEY_ATTRIBUTES);

  beforeAll(async () => {
    await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: Object.keys(KEY).map((AttributeName) => ({
          AttributeName,
          AttributeType: 'S',
        })),
        KeySchema: [
          { AttributeName: 'k', KeyType: 'HASH' },
          { AttributeName: 's', KeyType: 'RANGE' },
        ],
      }),
    );
  });

  afterAll(async () => {
    await client.send(new DeleteTableCommand({ TableName }));
    client.destroy();
  });

  test.each(CASES.map((one) => [one.name, one] as const))('%s', async (_name, one) => {
    await prepare(one.item);

    expect(shown(one.outcome, await perform(one))).toEqual(shown(one.outcome, one.outcome));
  });

  async function prepare(item: Item | undefined): Promise<void> {
    if (item === undefined) await client.send(new DeleteItemCommand({ TableName, Key }));
    else {
      const Item = toAttributeValues({ ...KEY_ATTRIBUTES, ...item });
      await client.send(new PutItemCommand({ TableName, Item }));
    }
  }

  async function perform(one: ExpressionCase): Promise<Outcome> {
    const { update, condition, names, values } = stepOf(one);
    const aliases = usedNames(`${update} ${condition ?? ''}`, names);
    try {
      const { Attributes } = await client.send(
        new UpdateItemCommand({
          TableName,
          Key,
          UpdateExpression: update,
          ReturnValues: 'ALL_NEW',
          ...(condition !== undefined && { ConditionExpression: condition }),
          ...(aliases !== undefined && { ExpressionAttributeNames: aliases }),
          ...(values !== undefined && { ExpressionAttributeValues: toAttributeValues(values) }),
        }),
      );
      const { k: _k, s: _s, ...rest } = storedItem(toItem(Attributes ?? {}));
      return { kind: 'done', item: rest };
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return { kind: 'refused' };
      if (error instanceof Error && error.name === 'ValidationException') {
        return { kind: 'invalid', says: /./ };
      }
      throw error;
    }
  }
});

/** What the case says something about: words of errors differ. */
function shown(wanted: Outcome, outcome: Outcome): object {
  const says = wanted.kind === 'done' && wanted.item !== undefined;
  return says ? outcome : { kind: outcome.kind };
}
