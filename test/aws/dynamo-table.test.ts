/** What is asked of DynamoDB, and what its errors become, without a service. */
import { expect, test } from 'vitest';
import type { Repeat, WriteResult } from '../../lib/aws/table.ts';
import {
  type Fault,
  INTERNAL_ERROR,
  LOST_ANSWER,
  MET_TRANSACTION,
  NO_CONNECTION,
  OVER_CAPACITY,
  RESET,
  THROTTLED,
} from '../support/aws-faults.ts';
import { createOfflineAws, type OfflineAws, result } from '../support/offline-aws.ts';

const KEY = { k: 'T=orders', s: 't' };
const REFUSED: Fault = {
  kind: 'error',
  status: 400,
  code: 'ConditionalCheckFailedException',
  members: { Item: { n: { N: '7' } } },
};

function bodies(aws: OfflineAws, operation: 'GetItem' | 'Query' | 'UpdateItem' | 'PutItem') {
  return aws.faults.requests(operation).map(({ body }) => JSON.parse(body));
}

function update(aws: OfflineAws, repeat: Repeat): Promise<WriteResult> {
  return aws.table.update(
    { key: KEY, update: 'SET #n = :n', condition: '#n < :n', values: { ':n': { N: '1' } } },
    repeat,
  );
}

async function outcomeOf(written: Promise<unknown>): Promise<unknown> {
  return await written.catch(({ name, kind, sideEffects }) =>
    name === 'StoreError' ? `${kind} ${sideEffects}` : name,
  );
}

test('an update names every alias it uses, and asks for the item after it or as it is', async () => {
  const aws = createOfflineAws();
  await aws.table.update(
    {
      key: KEY,
      update: 'SET #n = :n, #p.#q0 = :n',
      condition: '#e = :n AND #p.#q0[1] < :n',
      names: { '#q0': 'qL3-x', '#unused': 'u' },
      values: { ':n': { N: '1' } },
    },
    'once',
  );

  expect(bodies(aws, 'UpdateItem')).toEqual([
    {
      TableName: 'table',
      Key: { k: { S: 'T=orders' }, s: { S: 't' } },
      UpdateExpression: 'SET #n = :n, #p.#q0 = :n',
      ConditionExpression: '#e = :n AND #p.#q0[1] < :n',
      ExpressionAttributeNames: { '#n': 'n', '#e': 'e', '#p': 'p', '#q0': 'qL3-x' },
      ExpressionAttributeValues: { ':n': { N: '1' } },
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      ReturnConsumedCapacity: 'TOTAL',
    },
  ]);
});

test('a write without a condition sends no empty names or values', async () => {
  const aws = createOfflineAws();
  await aws.table.put({ item: { k: { S: 'a' }, s: { S: 'b' } } }, 'harmless');

  expect(bodies(aws, 'PutItem')).toEqual([
    {
      TableName: 'table',
      Item: { k: { S: 'a' }, s: { S: 'b' } },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      ReturnConsumedCapacity: 'TOTAL',
    },
  ]);
});

test('every read is strongly consistent', async () => {
  const aws = createOfflineAws();
  await aws.table.get(KEY);
  await aws.table.query({ k: 'I1' });

  expect([...bodies(aws, 'GetItem'), ...bodies(aws, 'Query')]).toMatchObject([
    { ConsistentRead: true },
    { ConsistentRead: true },
  ]);
});

test.each([
  [{ k: 'I' }, '#k = :k'],
  [{ k: 'I', from: 'a' }, '#k = :k AND #s >= :first'],
  [{ k: 'I', to: 'b' }, '#k = :k AND #s <= :last'],
  [{ k: 'I', from: 'a', to: 'b' }, '#k = :k AND #s BETWEEN :first AND :last'],
])('the range of %j is %s', async (request, condition) => {
  const aws = createOfflineAws();
  await aws.table.query(request);

  expect(bodies(aws, 'Query')).toMatchObject([{ KeyConditionExpression: condition }]);
});

test('a range that ends before it begins is empty and never asked for', async () => {
  const aws = createOfflineAws();

  expect(await aws.table.query({ k: 'I', from: 'b', to: 'a' })).toEqual({ items: [] });
  expect(bodies(aws, 'Query')).toEqual([]);
});

interface Case {
  readonly fault: string;
  readonly faults: readonly Fault[];
  readonly once: string;
  readonly sent: number;
}

/** What became of an update that is to be sent once, and how many requests there were. */
const CASES: readonly Case[] = [
  { fault: 'a lost answer', faults: [LOST_ANSWER], once: 'unavailable possible', sent: 1 },
  { fault: 'a reset', faults: [RESET], once: 'unavailable possible', sent: 1 },
  { fault: 'an error inside', faults: [INTERNAL_ERROR], once: 'unavailable possible', sent: 1 },
  { fault: 'no connection', faults: [NO_CONNECTION], once: 'done', sent: 2 },
  { fault: 'throttling', faults: [THROTTLED, OVER_CAPACITY], once: 'done', sent: 3 },
  { fault: 'a transaction', faults: [MET_TRANSACTION], once: 'done', sent: 2 },
  {
    fault: 'a transaction, then a lost answer',
    faults: [MET_TRANSACTION, LOST_ANSWER],
    once: 'unavailable possible',
    sent: 2,
  },
  {
    fault: 'throttling that stays',
    faults: Array.from({ length: 4 }, () => THROTTLED),
    once: 'unavailable none',
    sent: 4,
  },
];

test.each(CASES)('an update to be sent once meets $fault', async ({ faults, once, sent }) => {
  const aws = createOfflineAws();
  aws.faults.next('UpdateItem', ...faults);
  const written = update(aws, 'once').then(({ kind }) => kind);

  expect(await outcomeOf(written)).toBe(once);
  expect(aws.faults.requests('UpdateItem')).toHaveLength(sent);
});

test.each([
  ['a lost answer', LOST_ANSWER],
  ['a reset', RESET],
  ['an error inside', INTERNAL_ERROR],
])('an update that may be repeated is sent again after %s', async (_name, fault) => {
  const aws = createOfflineAws();
  aws.faults.next('UpdateItem', fault);

  expect(await update(aws, 'harmless')).toEqual({ kind: 'done', item: {} });
  expect(aws.faults.requests('UpdateItem')).toHaveLength(2);
});

test.each<Repeat>(['once', 'harmless'])(
  'a refusal (%s) is an answer with the item',
  async (repeat) => {
    const aws = createOfflineAws();
    aws.faults.next('UpdateItem', REFUSED);

    expect(await update(aws, repeat)).toEqual({ kind: 'refused', item: { n: { N: '7' } } });
    expect(aws.faults.requests('UpdateItem')).toHaveLength(1);
  },
);

test('reads are sent again after anything, and never have effects', async () => {
  const aws = createOfflineAws();
  aws.faults.next('GetItem', RESET, INTERNAL_ERROR, THROTTLED);
  expect(await aws.table.get(KEY)).toBeUndefined();

  aws.faults.next('GetItem', RESET, RESET, RESET, RESET);
  expect(await outcomeOf(aws.table.get(KEY))).toBe('unavailable none');
});

test('what an item cannot hold is damage', async () => {
  const aws = createOfflineAws();
  aws.faults.next('GetItem', result({ Item: { n: { BOOL: true } } }));

  expect(await outcomeOf(aws.table.get(KEY))).toBe('corrupt none');
});

test('what DynamoDB charges is counted', async () => {
  const aws = createOfflineAws();
  const charged = (units: number) => result({ ConsumedCapacity: { CapacityUnits: units } });
  aws.faults.next('GetItem', charged(1.5));
  aws.faults.next('Query', charged(2));
  aws.faults.next('UpdateItem', charged(3));
  await aws.table.get(KEY);
  await aws.table.query({ k: 'I' });
  await update(aws, 'once');

  expect(aws.metrics('varve_aws_consumed_units_total')).toEqual([
    'varve_aws_consumed_units_total{kind="read"} 3.5',
    'varve_aws_consumed_units_total{kind="write"} 3',
  ]);
});
