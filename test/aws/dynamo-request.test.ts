/** The limits of AWS that emulators do not hold. */
import { expect, test } from 'vitest';
import { AssertionFailed } from '../../lib/core/assert.ts';
import { createOfflineAws } from '../support/offline-aws.ts';

const key = (s: string) => ({ k: 'k', s });
const check = (s: string) =>
  ({ kind: 'check', key: key(s), condition: 'attribute_exists(#k)' }) as const;
const numbered = (count: number) => Array.from({ length: count }, (_, n) => String(n));

/** `AND`, `=`, `size(…)` and `<` are one each, a path is none: 4 a clause and 1 between two. */
const CLAUSES_OF_4 = (count: number) =>
  numbered(count)
    .map((n) => `#a.#b[${n}] = :a AND size(#c) < :b`)
    .join(' AND ');

function conditional(condition: string) {
  const { table } = createOfflineAws();
  return table.delete({ key: key('s'), condition, values: { ':a': { N: '1' } } }, 'once');
}

test.each([
  ['300 operators', `NOT (${CLAUSES_OF_4(60)})`],
  ['4096 bytes', `#${'x'.repeat(4_090)} = :a`],
])('an expression of %s is sent', async (_name, condition) => {
  expect(await conditional(condition)).toEqual({ kind: 'done' });
});

test.each([
  ['301 operators', `NOT (NOT (${CLAUSES_OF_4(60)}))`],
  ['4097 bytes', `#${'x'.repeat(4_091)} = :a`],
])('an expression of %s is a fault', async (_name, condition) => {
  await expect(async () => conditional(condition)).rejects.toThrow(AssertionFailed);
});

test('a hundred steps are sent, one more or one item twice is a fault', async () => {
  const { table } = createOfflineAws();

  expect(await table.transact(numbered(100).map(check), 'token')).toEqual({ kind: 'done' });
  await expect(async () => table.transact(numbered(101).map(check), 'token')).rejects.toThrow(
    '101 items',
  );
  await expect(async () => table.transact([check('a'), check('a')], 'token')).rejects.toThrow(
    'one item twice',
  );
});

test('a token has at most 36 characters', async () => {
  const { table } = createOfflineAws();

  expect(await table.transact([check('a')], 'x'.repeat(36))).toEqual({ kind: 'done' });
  await expect(async () => table.transact([check('a')], 'x'.repeat(37))).rejects.toThrow('token');
});

test('a hundred keys are read at once, one more or one twice is a fault', async () => {
  const { table } = createOfflineAws();

  expect(await table.getMany(numbered(100).map(key))).toEqual([]);
  await expect(table.getMany(numbered(101).map(key))).rejects.toThrow('101 items');
  await expect(table.getMany([key('a'), key('a')])).rejects.toThrow('one item twice');
});

test('an empty set is a fault, wherever it stands', async () => {
  const { table } = createOfflineAws();
  const item = { ...key('s'), m: { M: { c: { L: [{ BS: [] }] } } } };
  const keyed = { ...item, k: { S: 'k' }, s: { S: 's' } };

  await expect(async () => table.put({ item: keyed }, 'once')).rejects.toThrow('empty sets');
});
