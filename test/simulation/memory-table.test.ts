/** The table in memory: what its calls answer, what they leave, and what they cost. */
import { describe, expect, test } from 'vitest';
import type { Item, Table, TransactionStep } from '../../lib/aws/table.ts';
import { B, BS, L, N, S } from './expressions/expression-case.ts';
import { createMemoryTable } from './memory-table.ts';

const key = (s: string, k = 'P') => ({ k, s });
const item = (s: string, rest: Item = {}, k = 'P'): Item => ({ k: S(k), s: S(s), ...rest });
const BIG = 'x'.repeat(300 * 1024);

describe('single items', () => {
  test('are put, read, updated under a condition, and deleted', async () => {
    const table = createMemoryTable();
    const raise = {
      key: key('a'),
      update: 'SET #n = :n',
      condition: '#n < :n',
      values: { ':n': N(2) },
    };

    expect(await table.get(key('a'))).toBeUndefined();
    expect(await table.put({ item: item('a', { n: N(1) }) }, 'once')).toEqual({ kind: 'done' });
    expect(await table.update(raise, 'once')).toEqual({
      kind: 'done',
      item: item('a', { n: N(2) }),
    });
    expect(await table.update(raise, 'once')).toEqual({
      kind: 'refused',
      item: item('a', { n: N(2) }),
    });
    expect(await table.get(key('a'))).toEqual(item('a', { n: N(2) }));
    expect(await table.delete({ key: key('a') }, 'once')).toEqual({ kind: 'done' });
    expect(await table.update(raise, 'once')).toEqual({ kind: 'refused' });
    expect(table.items()).toEqual([]);
  });

  test('are replaced by a put, which shows what refused it', async () => {
    const table = createMemoryTable();
    await table.put({ item: item('a', { n: N(1), c: BS([1]) }) }, 'once');
    await table.put({ item: item('a', { m: N(2) }) }, 'once');
    const again = { item: item('a'), condition: 'attribute_not_exists(k)' };

    expect(await table.put(again, 'once')).toEqual({
      kind: 'refused',
      item: item('a', { m: N(2) }),
    });
  });

  test('cannot be changed from outside', async () => {
    const table = createMemoryTable();
    const bytes = Buffer.from([1, 2]);
    await table.put({ item: item('a', { r: L({ B: bytes }) }) }, 'once');
    bytes[0] = 9;
    const read = await table.get(key('a'));
    const list = read?.['r'];
    if (list !== undefined && 'L' in list && list.L[0] !== undefined && 'B' in list.L[0]) {
      list.L[0].B[0] = 8;
    }

    expect(await table.get(key('a'))).toEqual(item('a', { r: L(B(1, 2)) }));
  });

  test('have at most 400 KB', async () => {
    const table = createMemoryTable();
    const room = 400 * 1024 - 'kPsa'.length - 't'.length;
    const large = item('a', { t: S('x'.repeat(room)) });
    await table.put({ item: large }, 'once');

    await expect(
      table.update({ key: key('a'), update: 'SET u = :v', values: { ':v': S('') } }, 'once'),
    ).rejects.toThrow('maximum allowed size');
    expect(table.items()).toEqual([large]);
  });

  test.each<[Item]>([[{ k: S('P') }], [{ k: S(''), s: S('a') }], [{ k: N(1), s: S('a') }]])(
    'need their key: %j',
    async (incomplete) => {
      await expect(createMemoryTable().put({ item: incomplete }, 'once')).rejects.toThrow(
        expect.objectContaining({ name: 'ValidationException' }),
      );
    },
  );
});

describe('many items', () => {
  test('are read at once, without those that are absent, and deleted at once', async () => {
    const table = await tableOf(['a', 'b', 'c']);

    expect(await table.getMany(['c', 'x', 'a'].map((s) => key(s)))).toEqual([item('c'), item('a')]);
    await table.deleteMany(['c', 'x', 'a'].map((s) => key(s)));
    expect(table.items()).toEqual([item('b')]);
  });

  test.each([
    ['none', 0, 0],
    ['101', 101, 101],
    ['one twice', 2, 1],
  ])('are not read when asked for %s', async (_what, count, different) => {
    const keys = Array.from({ length: count }, (_, index) => key(`${index % different}`));

    await expect(createMemoryTable().getMany(keys)).rejects.toThrow('different keys');
  });
});

describe('a query', () => {
  test('gives one partition in the order of UTF-8 bytes', async () => {
    const table = await tableOf(['\u{1f600}', 'b', '\uff5e', 'B', 'é']);
    await table.put({ item: item('a', {}, 'Q') }, 'once');

    expect(await sortKeys(table, {})).toEqual(['B', 'b', 'é', '\uff5e', '\u{1f600}']);
    expect(await sortKeys(table, { descending: true })).toEqual([
      '\u{1f600}',
      '\uff5e',
      'é',
      'b',
      'B',
    ]);
  });

  test.each([
    [{ from: 'b' }, ['b', 'c', 'd']],
    [{ to: 'b' }, ['a', 'b']],
    [{ from: 'b', to: 'c' }, ['b', 'c']],
    [{ from: 'bb', to: 'cc' }, ['c']],
    [{ from: 'b', to: 'b' }, ['b']],
    [{ from: 'x' }, []],
    [{ to: 'c', descending: true, limit: 1 }, ['c']],
    [{ from: 'b', descending: true, limit: 2 }, ['d', 'c']],
  ])('of %j', async (range, wanted) => {
    expect(await sortKeys(await tableOf(['a', 'b', 'c', 'd']), range)).toEqual(wanted);
  });

  test('goes on from page to page, in both directions', async () => {
    const names = Array.from({ length: 7 }, (_, index) => `s${index}`);
    const table = await tableOf(names);

    expect(await allPages(table, { limit: 3 })).toEqual([
      names.slice(0, 3),
      names.slice(3, 6),
      ['s6'],
    ]);
    expect(await allPages(table, { limit: 7 })).toEqual([names, []]);
    expect(await allPages(table, { limit: 4, descending: true })).toEqual([
      ['s6', 's5', 's4', 's3'],
      ['s2', 's1', 's0'],
    ]);
  });

  test('ends a page before 1 MB', async () => {
    const table = createMemoryTable();
    for (const s of ['a', 'b', 'c', 'd']) {
      await table.put({ item: item(s, { t: S(BIG) }) }, 'once');
    }

    expect(await allPages(table, {})).toEqual([['a', 'b', 'c'], ['d']]);
  });

  test('does not go on from the page of another', async () => {
    const table = await tableOf(['a', 'b']);
    const { next = '' } = await table.query({ k: 'P', limit: 1 });

    await expect(table.query({ k: 'Q', page: next })).rejects.toThrow('of another query');
  });

  test('refuses a range that ends before it begins', async () => {
    await expect(createMemoryTable().query({ k: 'P', from: 'b', to: 'a' })).rejects.toThrow(
      'BETWEEN',
    );
  });
});

test('costs are those of the larger item before or after, and of what is read', async () => {
  const table = createMemoryTable();
  const kilobytes = (count: number) => S('x'.repeat(count * 1024));
  const shrink = { key: key('a'), update: 'SET #t = :v', values: { ':v': S('') } };
  await table.put({ item: item('a', { t: kilobytes(4) }) }, 'once');
  await table.get(key('a'));
  await table.get(key('x'));
  await table.update({ ...shrink, condition: 'attribute_not_exists(k)' }, 'once');
  await table.update(shrink, 'once');
  await table.update(shrink, 'once');
  await table.put({ item: item('b', { t: kilobytes(7) }) }, 'once');
  await table.query({ k: 'P' });
  await table.query({ k: 'Q' });
  await table.getMany([key('a'), key('b'), key('x')]);
  const steps: TransactionStep[] = [
    { kind: 'update', ...shrink },
    { kind: 'check', key: key('b'), condition: 'attribute_exists(k)' },
    { kind: 'put', item: item('c') },
  ];
  await table.transact(steps, 't');
  await table.transact(steps, 't');
  await table.deleteMany([key('b'), key('x')]);

  expect(table.costs.map((cost) => [cost.operation, cost.writeUnits, cost.readUnits])).toEqual([
    ['put', 5, 0],
    ['get', 0, 2],
    ['get', 0, 1],
    ['update', 5, 0],
    ['update', 5, 0],
    ['update', 1, 0],
    ['put', 8, 0],
    ['query', 0, 2],
    ['query', 0, 1],
    ['getMany', 0, 4],
    ['transact', 2 + 16 + 2, 0],
    ['transact', 0, 2 + 4 + 2],
    ['deleteMany', 8 + 1, 0],
  ]);
});

async function tableOf(names: readonly string[]) {
  const table = createMemoryTable();
  for (const s of names) await table.put({ item: item(s) }, 'once');
  return table;
}

type Range = Omit<Parameters<Table['query']>[0], 'k'>;

async function sortKeys(table: Table, range: Range): Promise<readonly string[]> {
  const { items } = await table.query({ k: 'P', ...range });
  return items.map(({ s }) => (s !== undefined && 'S' in s ? s.S : '?'));
}

async function allPages(table: Table, range: Range): Promise<readonly (readonly string[])[]> {
  const pages: (readonly string[])[] = [];
  let page: string | undefined;
  do {
    const asked = { ...range, ...(page !== undefined && { page }) };
    pages.push(await sortKeys(table, asked));
    page = (await table.query({ k: 'P', ...asked })).next;
  } while (page !== undefined);
  return pages;
}
