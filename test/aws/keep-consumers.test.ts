/** Stored offsets beyond a limit, with somebody in between any two steps (PROTOCOL R16). */
import { describe, expect, test } from 'vitest';
import type { Table, TransactionStep } from '../../lib/aws/table.ts';
import { append, createStream, publish, STREAM, STREAM_ID } from '../contract/contract-steps.ts';
import { at, batchOf, consumerName } from '../support/batches.ts';
import { type AwsLayers, type MemoryAws, openMemoryAws } from '../support/memory-aws.ts';
import { keysOf } from './segment-steps.ts';

const MINUTE_MS = 60_000;

/** Of nine messages, with a stored offset of each name, one written after the other. */
async function storeWith(names: string, settings = {}): Promise<MemoryAws> {
  const store = openMemoryAws();
  await createStream(store, settings);
  await publish(store, append(batchOf(...'xxxxxxxxx')));
  for (const name of names) await save(store, name);
  return store;
}

async function save({ log, consumers, clock }: MemoryAws, name: string, next = 1) {
  await log.tail(STREAM);
  await clock.advance(1);
  const change = { kind: 'set', next: at(next), nowMs: clock.nowMs() } as const;
  return await consumers.save(STREAM_ID, consumerName(name), change);
}

async function limitTo({ catalog, log }: MemoryAws, consumer_limit: number) {
  const expected = (await log.tail(STREAM))?.revision ?? 0;
  return await catalog.saveSettings(STREAM_ID, { settings: { consumer_limit }, expected });
}

async function maintain({ maintenance, clock }: MemoryAws) {
  await clock.advance(MINUTE_MS);
  return await maintenance.run(new AbortController().signal);
}

async function namesOf({ log, consumers }: MemoryAws): Promise<string> {
  await log.tail(STREAM);
  const all = await consumers.list(STREAM_ID, { prefix: '', startAfter: '', limit: 500 });
  return all.map(({ name }) => name).join('');
}

const isDue = (store: MemoryAws, letter: string) =>
  keysOf(store, 'D').some((sortKey) => sortKey.charAt(12) === letter);

/** Another process, in which `work` is done once, before the first of its transactions that are meant. */
function interrupted(
  store: MemoryAws,
  isMeant: (steps: readonly TransactionStep[]) => boolean,
  work: () => Promise<unknown>,
): MemoryAws {
  let isDone = false;
  const layers: AwsLayers = {
    table: (table): Table => ({
      ...table,
      async transact(steps, token) {
        if (!isDone && isMeant(steps)) {
          isDone = true;
          await work();
        }
        return await table.transact(steps, token);
      },
    }),
  };
  return store.another(layers);
}

const removes = (steps: readonly TransactionStep[]) => steps.some(({ kind }) => kind === 'delete');
const stores = (steps: readonly TransactionStep[]) => steps.some(({ kind }) => kind === 'put');

describe('whoever removes what is beyond the limit', () => {
  test('C6: leaves what was written since, and takes the next one', async () => {
    const store = await storeWith('abc', { consumer_limit: 1 });
    expect(isDue(store, 'o')).toBe(true);
    const sweeper = interrupted(store, removes, () => save(store, 'a', 5));
    await maintain(sweeper);
    await maintain(sweeper);

    expect(await namesOf(store)).toBe('a');
    expect(await store.consumers.load(STREAM_ID, consumerName('a'))).toMatchObject({ next: 5 });
    expect(isDue(store, 'o')).toBe(false);
  });

  test('C6: comes again when all of them were written since', async () => {
    const store = await storeWith('ab', { consumer_limit: 1 });
    const sweeper = interrupted(store, removes, async () => {
      for (const name of 'ab') await save(store, name);
    });
    await maintain(sweeper);

    expect([await namesOf(store), isDue(store, 'o')]).toEqual(['b', false]);
  });

  test('C6: does not count what somebody else removed meanwhile', async () => {
    const store = await storeWith('abcd', { consumer_limit: 2 });
    const sweeper = interrupted(store, removes, async () => {
      for (const name of 'cd') await store.consumers.remove(STREAM_ID, consumerName(name));
    });
    await maintain(sweeper);

    expect(await namesOf(store)).toBe('ab');
  });

  test('C6: does not go by a limit that was raised meanwhile', async () => {
    const store = await storeWith('abc', { consumer_limit: 2 });
    const sweeper = interrupted(store, removes, () => limitTo(store, 9));
    await maintain(sweeper);
    await maintain(sweeper);

    expect([await namesOf(store), isDue(store, 'o')]).toEqual(['abc', false]);
  });

  test('C6: comes for what was stored while the work ended', async () => {
    const store = await storeWith('ab', { consumer_limit: 1 });
    let isDone = false;
    const sweeper = store.another({
      table: (table) => ({
        ...table,
        async delete(request, repeat) {
          if (!isDone && request.key.s.charAt(12) === 'o') {
            isDone = true;
            // In the same ten seconds, and so by the same item.
            await save(store, 'c');
          }
          return await table.delete(request, repeat);
        },
      }),
    });
    await sweeper.maintenance.run(new AbortController().signal);

    expect([isDone, await namesOf(store), isDue(store, 'o')]).toEqual([true, 'c', false]);
  });
});

describe('whoever stores the first offset of a name', () => {
  test('C6: by a limit that was lowered meanwhile leaves work for it', async () => {
    const store = await storeWith('ab');
    const other = interrupted(store, stores, async () => {
      await limitTo(store, 2);
      await maintain(store);
    });
    await save(other, 'c');

    expect([await namesOf(store), isDue(store, 'o')]).toEqual(['abc', true]);
    await maintain(store);
    expect(await namesOf(store)).toBe('bc');
  });

  test('C1: while another one does comes behind it', async () => {
    const store = await storeWith('a');
    const other = interrupted(store, stores, () => save(store, 'c', 2));
    expect(await save(other, 'c', 3)).toMatchObject({ stored: { next: 3 } });

    expect(await store.consumers.load(STREAM_ID, consumerName('c'))).toMatchObject({ next: 3 });
    await store.consumers.remove(STREAM_ID, consumerName('c'));
    expect(await namesOf(store)).toBe('a');
  });
});

test('C6: a limit is on the counter before its change is answered', async () => {
  const store = await storeWith('abc');
  await limitTo(store, 2);
  const counter = await store.table.get({ k: `O${STREAM_ID}`, s: '!' });

  expect(counter).toMatchObject({ c: { N: '3' }, l: { N: '2' }, r: { N: '2' } });
});

test('C6: a lower limit is kept to by whoever comes for the change, and who changed it may have died', async () => {
  const store = await storeWith('abc');
  const dying = store.another({
    table: (table) => ({
      ...table,
      async update(request, repeat) {
        if (request.key.s === '!') throw new Error('the process ends');
        return await table.update(request, repeat);
      },
    }),
  });
  await expect(limitTo(dying, 2)).rejects.toThrow('the process ends');
  await maintain(store);

  expect(await namesOf(store)).toBe('bc');
});
