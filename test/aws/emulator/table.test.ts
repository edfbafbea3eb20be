/** Single reads and writes of items, and batches of them, on a DynamoDB. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Item, ItemKey, Table } from '../../../lib/aws/table.ts';
import { type AwsStore, createAwsStore } from '../../support/aws-store.ts';

let store: AwsStore;
let table: Table;

beforeAll(async () => {
  store = await createAwsStore();
  table = store.connect().table;
});
afterAll(() => store.drop());

const bytes = (...values: number[]) => new Uint8Array(values);

function itemOf({ k, s }: ItemKey, attributes: Item = {}): Item {
  return { k: { S: k }, s: { S: s }, ...attributes };
}

function sortKeyOf({ s }: Item): string {
  return s !== undefined && 'S' in s ? s.S : 'none';
}

async function stored(k: string, attributes: Item = {}): Promise<ItemKey> {
  const key = { k, s: 't' };
  await table.put({ item: itemOf(key, attributes) }, 'harmless');
  return key;
}

describe('an item', () => {
  test('comes back as it was put', async () => {
    const attributes: Item = {
      text: { S: 'ü' },
      number: { N: '9007199254740991' },
      bytes: { B: bytes(0, 127, 128, 255) },
      set: { BS: [bytes(1), bytes(2)] },
      list: { L: [{ N: '1' }, { L: [] }, { B: bytes() }] },
      map: { M: { inner: { M: { deepest: { S: '' } } }, empty: { M: {} } } },
    };
    const key = await stored('whole', attributes);

    expect(await table.get(key)).toEqual(itemOf(key, attributes));
  });

  test('that is not there is undefined', async () => {
    expect(await table.get({ k: 'nobody', s: 't' })).toBeUndefined();
  });

  test('is put under a condition once', async () => {
    const key = { k: 'once', s: 't' };
    const put = (n: string) =>
      table.put(
        { item: itemOf(key, { n: { N: n } }), condition: 'attribute_not_exists(#k)' },
        'once',
      );

    expect(await put('1')).toEqual({ kind: 'done' });
    expect(await put('2')).toEqual({ kind: 'refused', item: itemOf(key, { n: { N: '1' } }) });
  });

  test('is deleted under a condition', async () => {
    const key = await stored('deleted', { n: { N: '1' } });
    const remove = (n: string) =>
      table.delete({ key, condition: '#n = :n', values: { ':n': { N: n } } }, 'once');

    expect(await remove('2')).toEqual({
      kind: 'refused',
      item: itemOf(key, { n: { N: '1' } }),
    });
    expect(await remove('1')).toEqual({ kind: 'done' });
    expect(await remove('1')).toEqual({ kind: 'refused' });
    expect(await table.delete({ key }, 'harmless')).toEqual({ kind: 'done' });
  });
});

describe('an update', () => {
  const append = {
    update:
      'SET #l = #n[0] + :last, #n[0] = #n[0] + :c, #r = list_append(#r, :ref), #p.#q0 = list_append(#n, :q)',
    condition:
      '#h < :u AND NOT contains(#c, :u) AND size(#r) < :max AND attribute_not_exists(#p.#q0)',
    names: { '#q0': 'x-_y' },
    values: {
      ':last': { N: '2' },
      ':c': { N: '3' },
      ':ref': { L: [{ B: bytes(7) }] },
      ':q': { L: [{ N: '5' }] },
      ':u': { B: bytes(9) },
      ':max': { N: '64' },
    },
  } as const;
  const before: Item = {
    n: { L: [{ N: '10' }] },
    l: { N: '8' },
    r: { L: [] },
    p: { M: {} },
    h: { B: bytes(0) },
  };

  test('answers with the item after it; a refused one with the item as it is', async () => {
    const key = await stored('appended', before);
    const after = itemOf(key, {
      ...before,
      n: { L: [{ N: '13' }] },
      l: { N: '12' },
      r: { L: [{ B: bytes(7) }] },
      p: { M: { 'x-_y': { L: [{ N: '10' }, { N: '5' }] } } },
    });

    expect(await table.update({ key, ...append }, 'once')).toEqual({ kind: 'done', item: after });
    expect(await table.update({ key, ...append }, 'once')).toEqual({
      kind: 'refused',
      item: after,
    });
  });

  test('of an item that is not there is refused without one', async () => {
    const key = { k: 'gone', s: 't' };

    expect(await table.update({ key, ...append }, 'once')).toEqual({ kind: 'refused' });
    expect(await table.get(key)).toBeUndefined();
  });

  test('removes elements of a list by falling indexes', async () => {
    const refs = [1, 2, 3, 4].map((n) => ({ B: bytes(n) }));
    const key = await stored('spilled', { r: { L: refs } });
    const update = 'REMOVE #r[2], #r[1], #r[0]';

    expect(await table.update({ key, update }, 'harmless')).toEqual({
      kind: 'done',
      item: itemOf(key, { r: { L: [{ B: bytes(4) }] } }),
    });
  });

  test('adds to a set and removes its last element', async () => {
    const key = await stored('canceled');
    const values = { ':u': { BS: [bytes(1)] } };

    expect(await table.update({ key, update: 'ADD #c :u', values }, 'harmless')).toEqual({
      kind: 'done',
      item: itemOf(key, { c: { BS: [bytes(1)] } }),
    });
    expect(await table.update({ key, update: 'DELETE #c :u', values }, 'harmless')).toEqual({
      kind: 'done',
      item: itemOf(key),
    });
  });
});

describe('a query', () => {
  const k = 'I-query';
  const names = ['0001', '0002', '0003', '0004', '0005'];
  const found = (page: { readonly items: readonly Item[] }) => page.items.map(sortKeyOf);

  beforeAll(async () => {
    for (const s of names) await table.put({ item: itemOf({ k, s }) }, 'harmless');
  });

  test.each([
    [{ k }, names],
    [{ k, descending: true }, names.toReversed()],
    [{ k, from: '0002' }, names.slice(1)],
    [{ k, to: '0002' }, names.slice(0, 2)],
    [{ k, from: '0002', to: '0004' }, names.slice(1, 4)],
    [{ k, from: '0004', to: '0002' }, []],
    [{ k, from: '0006' }, []],
    [{ k: 'I-nobody' }, []],
  ])('%j finds %j', async (request, expected) => {
    const page = await table.query(request);

    expect(found(page)).toEqual(expected);
    expect(page.next).toBeUndefined();
  });

  test('finds the greatest key up to one', async () => {
    const page = await table.query({ k, to: '0003x', descending: true, limit: 1 });

    expect(found(page)).toEqual(['0003']);
  });

  test.each([false, true])('goes on where a page ended (descending: %s)', async (descending) => {
    const pages: string[][] = [];
    let page: string | undefined;
    do {
      const from = page === undefined ? {} : { page };
      const answer = await table.query({ k, from: '0002', descending, limit: 3, ...from });
      pages.push(found(answer));
      page = answer.next;
    } while (page !== undefined);

    const expected = descending ? names.slice(1).toReversed() : names.slice(1);
    expect(pages.flat()).toEqual(expected);
    expect(pages[0]).toHaveLength(3);
  });

  test('ends a page at a megabyte', async () => {
    const large = { b: { B: new Uint8Array(300_000) } };
    for (const s of names)
      await table.put({ item: itemOf({ k: 'I-large', s }, large) }, 'harmless');
    const first = await table.query({ k: 'I-large' });
    const second = await table.query({ k: 'I-large', page: first.next ?? 'no page' });

    expect([...found(first), ...found(second)]).toEqual(names);
    expect(found(first).length).toBeLessThan(5);
    expect(second.next).toBeUndefined();
  });
});

describe('a batch', () => {
  const keys = Array.from({ length: 60 }, (_, n) => ({ k: 'batch', s: String(n) }));

  test('reads what is there, deletes what is there, and minds nothing else', async () => {
    for (const key of keys.slice(0, 40)) await table.put({ item: itemOf(key) }, 'harmless');
    const items = await table.getMany(keys);
    expect(new Map(items.map((item) => [sortKeyOf(item), item]))).toEqual(
      new Map(keys.slice(0, 40).map((key) => [key.s, itemOf(key)])),
    );

    await table.deleteMany(keys);
    expect(await table.getMany(keys)).toEqual([]);
  });
});
