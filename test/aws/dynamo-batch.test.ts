/** What DynamoDB leaves undone of a batch is asked for again, but not for ever. */
import { expect, test } from 'vitest';
import type { ItemKey } from '../../lib/aws/table.ts';
import { OVER_CAPACITY, RESET } from '../support/aws-faults.ts';
import { createOfflineAws, result } from '../support/offline-aws.ts';

const KEYS = ['a', 'b', 'c'].map((s) => ({ k: 'k', s }));
const stored = ({ k, s }: ItemKey) => ({ k: { S: k }, s: { S: s } });
const item = (s: string) => stored({ k: 'k', s });

function unread(...keys: readonly ItemKey[]) {
  return { UnprocessedKeys: { table: { Keys: keys.map(stored) } } };
}

function undeleted(...keys: readonly ItemKey[]) {
  const requests = keys.map((key) => ({ DeleteRequest: { Key: stored(key) } }));
  return { UnprocessedItems: { table: requests } };
}

function numbered(count: number): ItemKey[] {
  return Array.from({ length: count }, (_, n) => ({ k: 'k', s: String(n) }));
}

test('keys that were left over are read again', async () => {
  const { table, faults } = createOfflineAws();
  faults.next(
    'BatchGetItem',
    result({ Responses: { table: [item('a')] }, ...unread(...KEYS.slice(1)) }),
    OVER_CAPACITY,
    result({ Responses: { table: [] }, ...unread(...KEYS.slice(1)) }),
    result({ Responses: { table: [item('c')] } }),
  );

  expect(await table.getMany(KEYS)).toEqual([item('a'), item('c')]);
  const asked = faults
    .requests('BatchGetItem')
    .map(({ body }) => JSON.parse(body).RequestItems.table);
  expect(asked).toEqual([
    { Keys: KEYS.map(stored), ConsistentRead: true },
    ...Array(3).fill({ Keys: KEYS.slice(1).map(stored), ConsistentRead: true }),
  ]);
});

test('no keys are no request', async () => {
  const { table, faults } = createOfflineAws();

  expect(await table.getMany([])).toEqual([]);
  await table.deleteMany([]);
  expect(faults.requests('BatchGetItem')).toEqual([]);
  expect(faults.requests('BatchWriteItem')).toEqual([]);
});

test('a read that makes no progress is given up', async () => {
  const { table, faults } = createOfflineAws();
  faults.next('BatchGetItem', ...Array(9).fill(result(unread(...KEYS))));

  await expect(table.getMany(KEYS)).rejects.toMatchObject({
    kind: 'unavailable',
    sideEffects: 'none',
    message: 'BatchGetItem leaves 3 items undone again and again',
  });
  expect(faults.requests('BatchGetItem')).toHaveLength(6);
});

test('as long as there is progress it is not given up', async () => {
  const { table, faults } = createOfflineAws();
  const keys = numbered(9);
  faults.next('BatchGetItem', ...keys.map((_, done) => result(unread(...keys.slice(done + 1)))));

  expect(await table.getMany(keys)).toEqual([]);
  expect(faults.requests('BatchGetItem')).toHaveLength(9);
});

test('deletions go out by 25, and those that were left over again', async () => {
  const { table, faults } = createOfflineAws();
  const keys = numbered(60);
  faults.next('BatchWriteItem', RESET, result(undeleted(...keys.slice(0, 2))));
  await table.deleteMany(keys);

  const sent = faults.requests('BatchWriteItem').map(({ body }) => {
    const { RequestItems } = JSON.parse(body);
    return RequestItems.table.map((each: { DeleteRequest: { Key: { s: { S: string } } } }) =>
      Number(each.DeleteRequest.Key.s.S),
    );
  });
  const first = numbered(25).map(({ s }) => Number(s));
  expect(sent).toEqual([
    first,
    first,
    [0, 1],
    first.map((n) => n + 25),
    first.slice(0, 10).map((n) => n + 50),
  ]);
});

test('a deletion that is given up may have deleted some', async () => {
  const { table, faults } = createOfflineAws();
  faults.next('BatchWriteItem', ...Array(9).fill(result(undeleted(...KEYS))));

  await expect(table.deleteMany(KEYS)).rejects.toMatchObject({
    kind: 'unavailable',
    sideEffects: 'possible',
  });
});
