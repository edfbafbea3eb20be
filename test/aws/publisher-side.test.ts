/** Publishers that leave the tail, and those that come back (PROTOCOL R9, SPEC D9). */
import { describe, expect, test } from 'vitest';
import { mapOf } from '../../lib/aws/attribute.ts';
import { expressionInput } from '../../lib/aws/dynamo-request.ts';
import type { Item, Table } from '../../lib/aws/table.ts';
import { publisherHash } from '../../lib/aws/table-key.ts';
import { PUBLISHERS_PER_STREAM_MAX } from '../../lib/core/log/limits.ts';
import { StoreError } from '../../lib/ports/store-error.ts';
import { append, createStream, publish, STREAM_ID } from '../contract/contract-steps.ts';
import { publisherName } from '../support/batches.ts';
import { type MemoryAws, openMemoryAws } from '../support/memory-aws.ts';

const by = (name: string, ...ids: readonly number[]) =>
  append(
    ids.map((id) => `${name} ${id}`),
    { publisher: { name: publisherName(name), ids } },
  );

async function openStream(): Promise<MemoryAws> {
  const store = openMemoryAws();
  await createStream(store);
  return store;
}

/** Publishers with one message each, under id 100, oldest first. */
async function publishAll(store: MemoryAws, names: readonly string[]): Promise<void> {
  for (const name of names) await publish(store, by(name, 100));
}

const numbered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => `p${String(from + n).padStart(3, '0')}`);

/** The publishers that an item holds. */
function entries(store: MemoryAws, kind: 'T' | 'V'): Item {
  const item = store.table.items().find(({ k, p }) => k && 'S' in k && k.S.startsWith(kind) && p);
  return item === undefined ? {} : mapOf(item, 'p');
}

const held = (store: MemoryAws, kind: 'T' | 'V') => Object.keys(entries(store, kind)).length;

/** Another process, which cannot write side items: nobody ever leaves the tail. */
const withoutSide = (store: MemoryAws) => store.another({ table: withoutSideItems });

function withoutSideItems(table: Table): Table {
  const away = new StoreError('away', { kind: 'unavailable', sideEffects: 'none' });
  return {
    ...table,
    put: (request, repeat) =>
      request.item['p'] === undefined ? table.put(request, repeat) : Promise.reject(away),
  };
}

describe('a tail with many publishers', () => {
  test('D9: lets the least recent leave together', async () => {
    const store = await openStream();
    await publishAll(store, numbered(31));
    expect([held(store, 'T'), held(store, 'V')]).toEqual([31, 0]);

    await publishAll(store, numbered(1, 31));
    expect([held(store, 'T'), held(store, 'V')]).toEqual([16, 16]);
    await publishAll(store, numbered(20, 32));
    expect(held(store, 'T')).toBeLessThan(32);
  });

  test.each([
    ['the process that knows all', false],
    ['a process that knows nothing', true],
  ])('D1: judges those that left as before, by %s', async (_who, isCold) => {
    const store = await openStream();
    await publishAll(store, numbered(40));
    const reader = isCold ? store.another() : store;

    expect(await publish(reader, by('p000', 100), by('p000', 101), by('p000', 101))).toMatchObject([
      { kind: 'duplicate', range: { start: 0, end: 1 } },
      { kind: 'stored', start: 40 },
      { kind: 'duplicate', range: { start: 40, end: 41 } },
    ]);
    expect(await reader.log.publisher(STREAM_ID, publisherName('p001'))).toMatchObject({
      highestId: 100,
    });
  });

  test('D1: a process whose knowledge is old stores nothing twice', async () => {
    const store = await openStream();
    const old = store.another();
    await publish(old, by('p', 1));
    await publishAll(store, numbered(40));
    await publish(store, by('p', 2));
    await publishAll(store, numbered(40, 40));

    expect(await publish(old, by('p', 2), by('p', 1), by('p', 3))).toMatchObject([
      { kind: 'duplicate' },
      { kind: 'duplicate' },
      { kind: 'stored' },
    ]);
  });

  test('D9: one that was forgotten begins anew, and is not taken for what it was', async () => {
    const store = await openStream();
    await publishAll(store, ['p', ...numbered(PUBLISHERS_PER_STREAM_MAX)]);
    expect(await publish(store, by('p', 1))).toMatchObject([{ kind: 'stored' }]);
    // It leaves the tail again, into the item that may still hold its old entry.
    await publishAll(store, numbered(40, 300));

    expect(await publish(store, by('p', 2), by('p', 1))).toMatchObject([
      { kind: 'stored' },
      { kind: 'duplicate' },
    ]);
  });

  test('D9: remembers as many as it must, and no more than fit an item', async () => {
    const store = await openStream();
    await publishAll(store, numbered(400));
    const query = { prefix: '', startAfter: '', limit: 1_000 };
    const listed = await store.log.listPublishers(STREAM_ID, query);

    expect(listed.map(({ name }) => String(name))).toEqual(
      numbered(PUBLISHERS_PER_STREAM_MAX, 400 - PUBLISHERS_PER_STREAM_MAX),
    );
    expect(held(store, 'V')).toBeLessThanOrEqual(PUBLISHERS_PER_STREAM_MAX);
  });

  test('D9: lets the least recent leave, also when more than can leave together were held up', async () => {
    const store = await openStream();
    await publishAll(withoutSide(store), numbered(160));
    expect([held(store, 'T'), held(store, 'V')]).toEqual([160, 0]);

    await publishAll(store, numbered(1, 160));
    const left = numbered(64).map((name) => publisherHash(publisherName(name)));
    expect(Object.keys(entries(store, 'V')).sort()).toEqual(left.sort());
    expect(held(store, 'T')).toBe(161 - 64);
  });

  test('D2: judges all that a tail holds, if those are more than must be remembered', async () => {
    const store = withoutSide(await openStream());
    await publishAll(store, numbered(PUBLISHERS_PER_STREAM_MAX + 5));

    expect(await publish(store, by('p000', 100), by('p000', 101))).toMatchObject([
      { kind: 'duplicate', range: { start: 0, end: 1 } },
      { kind: 'stored' },
    ]);
  });

  test('D1: 64 of them, with the greatest numbers there are, fit the limits of one update', async () => {
    const store = await openStream();
    const [token, epoch] = ['t'.repeat(255), Number.MAX_SAFE_INTEGER];
    await store.log.setFencingToken(STREAM_ID, token);
    const writer = store.another({
      table: (table) => ({
        ...withoutSideItems(table),
        update(request, repeat) {
          expressionInput(request, request.update);
          return table.update(request, repeat);
        },
      }),
    });
    for (const [round, id] of [epoch - 1, epoch].entries()) {
      const appends = numbered(64).map((name, index) =>
        append([name], {
          publisher: { name: publisherName(name), ids: [id], epoch },
          fencingToken: token,
          expectedOffset: 64 * round + index,
        }),
      );
      expect(await writer.log.commit(appends)).toMatchObject(
        appends.map(() => ({ kind: 'stored' })),
      );
    }
    expect(held(store, 'T')).toBe(64);
  });

  test('D9: an eviction that is interrupted between its steps blocks nobody', async () => {
    const store = await openStream();
    await publishAll(store, numbered(31));
    const crashing = store.another({
      table: (table) => ({
        ...table,
        update: (request, repeat) =>
          request.update.includes('#v = :version')
            ? Promise.reject(new Error('the process ends here'))
            : table.update(request, repeat),
      }),
    });
    await publish(crashing, by('p031', 100));
    expect([held(store, 'T'), held(store, 'V')]).toEqual([32, 16]);

    expect(await publish(store, by('p000', 100), by('p000', 101), by('new', 1))).toMatchObject([
      { kind: 'duplicate' },
      { kind: 'stored' },
      { kind: 'stored' },
    ]);
    expect(held(store, 'T')).toBeLessThan(32);
  });
});
