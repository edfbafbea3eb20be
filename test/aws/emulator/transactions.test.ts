/** Transactions on a DynamoDB: all steps or none, each kind of step refusing, tokens. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ItemKey, Table, TransactionStep } from '../../../lib/aws/table.ts';
import { type AwsStore, createAwsStore } from '../../support/aws-store.ts';

let store: AwsStore;
let table: Table;
let made = 0;

beforeAll(async () => {
  store = await createAwsStore();
  table = store.connect().table;
});
afterAll(() => store.drop());

const ONE = { ':one': { N: '1' } };

/** A partition of its own with the items a, b and c, each with n = 1. */
async function partition() {
  const k = `tx-${made++}`;
  const key = (s: string): ItemKey => ({ k, s });
  const item = (s: string, n: number) => ({ k: { S: k }, s: { S: s }, n: { N: String(n) } });
  for (const s of ['a', 'b', 'c']) await table.put({ item: item(s, 1) }, 'harmless');
  const steps = {
    update: {
      kind: 'update',
      key: key('a'),
      update: 'SET #n = #n + :one',
      condition: '#n = :one',
      values: ONE,
    },
    put: { kind: 'put', item: item('d', 9), condition: 'attribute_not_exists(#k)' },
    delete: { kind: 'delete', key: key('b'), condition: '#n = :one', values: ONE },
    check: { kind: 'check', key: key('c'), condition: '#n = :one', values: ONE },
  } satisfies Record<string, TransactionStep>;
  const content = async () => (await table.query({ k })).items;
  return { key, item, steps: Object.values(steps), content, token: `${k}-token` };
}

test('all steps take effect together', async () => {
  const { steps, item, content, token } = await partition();

  expect(await table.transact(steps, token)).toEqual({ kind: 'done' });
  expect(await content()).toEqual([item('a', 2), item('c', 1), item('d', 9)]);
});

test.each([
  ['an update', 'a', 0],
  ['a put', 'd', 1],
  ['a deletion', 'b', 2],
  ['a check', 'c', 3],
])('%s that refuses names itself and its item, and nothing is written', async (_name, s, index) => {
  const { steps, item, content, token } = await partition();
  await table.put({ item: item(s, 7) }, 'harmless');
  const before = await content();

  expect(await table.transact(steps, token)).toEqual({
    kind: 'refused',
    steps: [0, 1, 2, 3].map((step) =>
      step === index ? { refused: true, item: item(s, 7) } : { refused: false },
    ),
  });
  expect(await content()).toEqual(before);
});

test('a step that refuses for want of its item has none', async () => {
  const { steps, key, token } = await partition();
  await table.delete({ key: key('a') }, 'harmless');
  await table.delete({ key: key('c') }, 'harmless');

  expect(await table.transact(steps, token)).toEqual({
    kind: 'refused',
    steps: [{ refused: true }, { refused: false }, { refused: false }, { refused: true }],
  });
});

test('the same token again takes effect once', async () => {
  const { steps, item, content, token } = await partition();
  await table.transact(steps, token);

  expect(await table.transact(steps, token)).toEqual({ kind: 'done' });
  expect(await content()).toEqual([item('a', 2), item('c', 1), item('d', 9)]);
});

test('the token of other steps is a fault', async () => {
  const { steps, token } = await partition();
  await table.transact(steps, token);

  await expect(table.transact(steps.slice(0, 2), token)).rejects.toThrow(
    'TransactWriteItems failed: IdempotentParameterMismatchException',
  );
});

test('a hundred steps are possible', async () => {
  const { item, content, token } = await partition();
  const steps = Array.from({ length: 97 }, (_, n) => ({
    kind: 'put' as const,
    item: item(`e${n}`, n),
  }));

  expect(await table.transact(steps, token)).toEqual({ kind: 'done' });
  expect(await content()).toHaveLength(100);
});
