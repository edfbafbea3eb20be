/** What becomes of transactions that DynamoDB cancels, loses or is still working on. */
import { expect, test } from 'vitest';
import type { TransactionStep } from '../../lib/aws/table.ts';
import {
  canceled,
  type Fault,
  INTERNAL_ERROR,
  LOST_ANSWER,
  RESET,
  THROTTLED,
} from '../support/aws-faults.ts';
import { createOfflineAws, result } from '../support/offline-aws.ts';

const STEPS: readonly TransactionStep[] = [
  {
    kind: 'update',
    key: { k: 'T', s: 't' },
    update: 'SET #n = :n',
    condition: '#n < :n',
    values: { ':n': { N: '1' } },
  },
  { kind: 'put', item: { k: { S: 'G' }, s: { S: '0' } }, condition: 'attribute_not_exists(#k)' },
];
const IN_PROGRESS: Fault = { kind: 'error', status: 400, code: 'TransactionInProgressException' };
const OTHER_CONTENT: Fault = {
  kind: 'error',
  status: 400,
  code: 'IdempotentParameterMismatchException',
};

function times(count: number, fault: Fault): Fault[] {
  return Array.from({ length: count }, () => fault);
}

async function outcomeOf(written: Promise<unknown>): Promise<unknown> {
  return await written.catch(({ name, kind, sideEffects, message }) =>
    name === 'StoreError' ? `${kind} ${sideEffects}` : message,
  );
}

interface Case {
  readonly met: string;
  readonly faults: readonly Fault[];
  readonly outcome: unknown;
  readonly sent: number;
}

const CONFLICT = canceled('TransactionConflict', 'None');
const FAILED = 'TransactWriteItems failed:';

const CASES: readonly Case[] = [
  { met: 'nothing', faults: [], outcome: { kind: 'done' }, sent: 1 },
  { met: 'a lost answer', faults: [LOST_ANSWER], outcome: { kind: 'done' }, sent: 2 },
  { met: 'itself', faults: [RESET, IN_PROGRESS], outcome: { kind: 'done' }, sent: 3 },
  {
    met: 'itself for long',
    faults: times(4, IN_PROGRESS),
    outcome: 'unavailable possible',
    sent: 4,
  },
  {
    met: 'an error inside',
    faults: times(4, INTERNAL_ERROR),
    outcome: 'unavailable possible',
    sent: 4,
  },
  { met: 'throttling', faults: times(4, THROTTLED), outcome: 'unavailable none', sent: 4 },
  { met: 'a conflict', faults: times(7, CONFLICT), outcome: { kind: 'done' }, sent: 8 },
  {
    met: 'a conflict that stays',
    faults: times(8, CONFLICT),
    outcome: 'unavailable none',
    sent: 8,
  },
  {
    met: 'throttled steps',
    faults: [
      canceled('ThrottlingError', 'None'),
      canceled('None', 'ProvisionedThroughputExceeded'),
    ],
    outcome: { kind: 'done' },
    sent: 3,
  },
  {
    met: 'throttled steps that stay so',
    faults: times(4, canceled('ThrottlingError', 'TransactionConflict')),
    outcome: 'unavailable none',
    sent: 4,
  },
  {
    met: 'a lost answer, then a conflict that stays',
    faults: [LOST_ANSWER, ...times(7, CONFLICT)],
    outcome: 'unavailable possible',
    sent: 8,
  },
  {
    met: 'a condition',
    faults: [canceled('None', 'ConditionalCheckFailed')],
    outcome: { kind: 'refused', steps: [{ refused: false }, { refused: true }] },
    sent: 1,
  },
  {
    met: 'a condition and a conflict',
    faults: [canceled('ConditionalCheckFailed', 'TransactionConflict')],
    outcome: { kind: 'refused', steps: [{ refused: true }, { refused: false }] },
    sent: 1,
  },
  {
    met: 'a step that is not possible',
    faults: [canceled('None', 'ValidationError')],
    outcome: `${FAILED} TransactionCanceledException ValidationError`,
    sent: 1,
  },
  {
    met: 'a partition that is full',
    faults: [canceled('None', 'ItemCollectionSizeLimitExceeded')],
    outcome: `${FAILED} TransactionCanceledException ItemCollectionSizeLimitExceeded`,
    sent: 1,
  },
  {
    met: 'its token with other steps',
    faults: [OTHER_CONTENT],
    outcome: `${FAILED} IdempotentParameterMismatchException`,
    sent: 1,
  },
];

test.each(CASES)('a transaction meets $met', async ({ faults, outcome, sent }) => {
  const { table, faults: network } = createOfflineAws();
  network.next('TransactWriteItems', ...faults);

  expect(await outcomeOf(table.transact(STEPS, 'token'))).toEqual(outcome);
  expect(network.requests('TransactWriteItems')).toHaveLength(sent);
});

test('a refusal has the items as they are', async () => {
  const { table, faults } = createOfflineAws();
  const CancellationReasons = [
    { Code: 'ConditionalCheckFailed', Item: { n: { N: '7' } } },
    { Code: 'None' },
  ];
  const members = { CancellationReasons };
  faults.next('TransactWriteItems', {
    ...canceled(),
    kind: 'error',
    status: 400,
    code: 'TransactionCanceledException',
    members,
  });

  expect(await table.transact(STEPS, 'token')).toEqual({
    kind: 'refused',
    steps: [{ refused: true, item: { n: { N: '7' } } }, { refused: false }],
  });
});

test('every attempt has the same token and the same steps', async () => {
  const { table, faults, metrics } = createOfflineAws();
  const charged = result({ ConsumedCapacity: [{ CapacityUnits: 4 }] });
  faults.next('TransactWriteItems', LOST_ANSWER, CONFLICT, charged);
  await table.transact(STEPS, 'token');
  const bodies = faults.requests('TransactWriteItems').map(({ body }) => JSON.parse(body));

  const fixed = { TableName: 'table', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' };
  const body = {
    ClientRequestToken: 'token',
    ReturnConsumedCapacity: 'TOTAL',
    TransactItems: [
      {
        Update: {
          ...fixed,
          Key: { k: { S: 'T' }, s: { S: 't' } },
          UpdateExpression: 'SET #n = :n',
          ConditionExpression: '#n < :n',
          ExpressionAttributeNames: { '#n': 'n' },
          ExpressionAttributeValues: { ':n': { N: '1' } },
        },
      },
      {
        Put: {
          ...fixed,
          Item: { k: { S: 'G' }, s: { S: '0' } },
          ConditionExpression: 'attribute_not_exists(#k)',
          ExpressionAttributeNames: { '#k': 'k' },
        },
      },
    ],
  };
  expect(bodies).toEqual([body, body, body]);
  expect(metrics('varve_aws_consumed_units_total')).toContain(
    'varve_aws_consumed_units_total{kind="write"} 4',
  );
});
