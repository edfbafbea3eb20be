/** Transactions of the table in memory: all or nothing, once under a token. */
import { expect, test } from 'vitest';
import type { Item, TransactionStep } from '../../lib/aws/table.ts';
import { M, N, S } from './expressions/expression-case.ts';
import { createMemoryTable } from './memory-table.ts';

const key = (s: string) => ({ k: 'P', s });
const item = (s: string, rest: Item = {}): Item => ({ k: S('P'), s: S(s), ...rest });

const raise = (s: string, from: number): TransactionStep => ({
  kind: 'update',
  key: key(s),
  update: 'SET #n = :to',
  condition: '#n = :from',
  values: { ':from': N(from), ':to': N(from + 1) },
});
const check: TransactionStep = {
  kind: 'check',
  key: key('b'),
  condition: '#n < :5',
  values: { ':5': N(5) },
};

test('a transaction does all of its steps', async () => {
  const table = await counters(['a', 'b', 'c']);
  const steps: TransactionStep[] = [
    raise('a', 0),
    check,
    { kind: 'delete', key: key('c') },
    { kind: 'put', item: item('d', { m: M({}) }), condition: 'attribute_not_exists(k)' },
  ];

  expect(await table.transact(steps, 'once')).toEqual({ kind: 'done' });
  expect(table.items()).toEqual([
    item('a', { n: N(1) }),
    item('b', { n: N(0) }),
    item('d', { m: M({}) }),
  ]);
});

test('a transaction does none of them when one is refused, and shows those that were', async () => {
  const table = await counters(['a', 'b']);
  const before = table.items();
  const steps = [raise('a', 0), raise('b', 7), raise('x', 0)];

  expect(await table.transact(steps, 't')).toEqual({
    kind: 'refused',
    steps: [{ refused: false }, { refused: true, item: item('b', { n: N(0) }) }, { refused: true }],
  });
  expect(table.items()).toEqual(before);
});

test('a transaction takes effect once under its token, and refuses other steps under it', async () => {
  const table = await counters(['a', 'b']);
  const steps = [raise('a', 0)];

  expect(await table.transact(steps, 'mine')).toEqual({ kind: 'done' });
  expect(await table.transact(structuredClone(steps), 'mine')).toEqual({ kind: 'done' });
  expect(await table.get(key('a'))).toEqual(item('a', { n: N(1) }));
  await expect(table.transact([raise('b', 0)], 'mine')).rejects.toThrow(
    expect.objectContaining({ name: 'IdempotentParameterMismatchException' }),
  );
  expect(await table.transact(steps, 'other')).toMatchObject({ kind: 'refused' });
});

test('a transaction may be tried again under the token of one that was refused', async () => {
  const table = await counters(['a']);

  expect(await table.transact([raise('a', 1)], 'mine')).toMatchObject({ kind: 'refused' });
  await table.transact([raise('a', 0)], 'other');
  expect(await table.transact([raise('a', 1)], 'mine')).toEqual({ kind: 'done' });
  expect(table.items()).toEqual([item('a', { n: N(2) })]);
});

const puts = (count: number) =>
  Array.from(
    { length: count },
    (_, index): TransactionStep => ({
      kind: 'put',
      item: item(`i${index}`),
    }),
  );
interface Refused {
  readonly name: string;
  readonly steps: readonly TransactionStep[];
  readonly token?: string;
  readonly says: string;
}
const twice: TransactionStep[] = [raise('a', 0), { kind: 'delete', key: key('a') }];
const unbound: TransactionStep = { kind: 'check', key: key('a'), condition: '#n = :x' };
test.each<Refused>([
  { name: 'no step', steps: [], says: '1 to 100' },
  { name: '101 steps', steps: puts(101), says: '1 to 100' },
  { name: 'two steps on one item', steps: twice, says: 'one item' },
  { name: 'no token', steps: puts(1), token: '', says: 'characters' },
  { name: 'a token that is too long', steps: puts(1), token: 'x'.repeat(37), says: 'characters' },
  { name: 'a step that cannot be', steps: [...puts(1), unbound], says: ':x' },
])('a transaction is not looked at with $name', async ({ steps, token = 't', says }) => {
  const table = createMemoryTable();

  await expect(table.transact(steps, token)).rejects.toThrow(says);
  expect(table.items()).toEqual([]);
});

test('a transaction has room for a hundred steps', async () => {
  const table = createMemoryTable();
  await table.transact(puts(100), 't');

  expect(table.items()).toHaveLength(100);
});

async function counters(names: readonly string[]) {
  const table = createMemoryTable();
  for (const s of names) await table.put({ item: item(s, { n: N(0) }) }, 'once');
  return table;
}
