/** Many writers of one item at once: a condition lets one of them through. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Item, Table, WriteResult } from '../../../lib/aws/table.ts';
import { type AwsStore, createAwsStore } from '../../support/aws-store.ts';

const RACERS = 64;
const ROUNDS = 10;
const KEY = { k: 'T=race', s: 't' };
const ITEM: Item = { k: { S: KEY.k }, s: { S: KEY.s }, n: { L: [{ N: '0' }] }, r: { L: [] } };

let store: AwsStore;
/** Half of them in another process, so to speak. */
let tables: readonly Table[];

beforeAll(async () => {
  store = await createAwsStore();
  tables = [store.connect().table, store.connect().table];
});
afterAll(() => store.drop());

function race(
  write: (racer: number, table: Table) => Promise<WriteResult>,
): Promise<WriteResult[]> {
  const racers = Array.from({ length: RACERS }, (_, racer) => racer);
  return Promise.all(racers.map((racer) => write(racer, tables[racer % tables.length]!)));
}

const append = (racer: number) => ({
  key: KEY,
  update: 'SET #n[0] = #n[0] + :one, #r = list_append(#r, :ref)',
  values: { ':one': { N: '1' }, ':ref': { L: [{ N: String(racer) }] } },
});

test('of 64 writers at one position one wins, in each round', async () => {
  await tables[0]!.put({ item: ITEM }, 'harmless');
  const winners: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const results = await race((racer, table) => {
      const { values, ...request } = append(racer);
      const expected = { ...values, ':n': { N: String(round) } };
      return table.update({ ...request, condition: '#n[0] = :n', values: expected }, 'once');
    });
    expect(results.filter(({ kind }) => kind === 'done')).toHaveLength(1);
    winners.push(results.findIndex(({ kind }) => kind === 'done'));
  }

  expect(await tables[0]!.get(KEY)).toEqual({
    ...ITEM,
    n: { L: [{ N: String(ROUNDS) }] },
    r: { L: winners.map((racer) => ({ N: String(racer) })) },
  });
});

test('of 64 writers without a position none is lost and none counted twice', async () => {
  await tables[0]!.put({ item: ITEM }, 'harmless');
  const results = await race((racer, table) => table.update(append(racer), 'once'));
  const positions = results.map(({ item }) => JSON.stringify(item?.['n'])).sort();
  const expected = results.map((_, index) => JSON.stringify({ L: [{ N: String(index + 1) }] }));

  expect(positions).toEqual(expected.sort());
});

test('of 64 puts of one new item one wins', async () => {
  const item = (racer: number): Item => ({
    k: { S: 'new' },
    s: { S: 't' },
    n: { N: String(racer) },
  });
  const results = await race((racer, table) =>
    table.put({ item: item(racer), condition: 'attribute_not_exists(#k)' }, 'once'),
  );
  const winner = results.findIndex(({ kind }) => kind === 'done');

  expect(results.filter(({ kind }) => kind === 'done')).toHaveLength(1);
  expect(await tables[0]!.get({ k: 'new', s: 't' })).toEqual(item(winner));
});
