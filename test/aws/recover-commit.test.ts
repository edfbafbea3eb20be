/** Commits whose answer is lost: what is found to have become of them, and what is done then (PROTOCOL R1). */
import { describe, expect, test } from 'vitest';
import type { Table, UpdateRequest } from '../../lib/aws/table.ts';
import { StoreError } from '../../lib/ports/store-error.ts';
import {
  append,
  bodiesOf,
  createStream,
  publish,
  readAll,
  STREAM_ID,
} from '../contract/contract-steps.ts';
import { publisherName, streamName } from '../support/batches.ts';
import { type MemoryAws, openMemoryAws } from '../support/memory-aws.ts';

const LOST = new StoreError('no answer', { kind: 'timeout', sideEffects: 'possible' });
const isCommit = ({ update }: UpdateRequest) => update.includes('list_append(#r');

/** The first commit gets no answer; `happens` says when it takes effect, if at all. */
function losingFirst(happens: (commit: () => Promise<unknown>) => Promise<void>) {
  let isFirst = true;
  return (table: Table): Table => ({
    ...table,
    async update(request, repeat) {
      if (!isCommit(request) || !isFirst) return await table.update(request, repeat);
      isFirst = false;
      await happens(() => table.update(request, repeat));
      throw LOST;
    },
  });
}

const named = (id: number, body: string, rest: object = {}) =>
  append([body], { publisher: { name: publisherName('p'), ids: [id] }, ...rest });
const all = async (store: MemoryAws) => bodiesOf(await readAll(store));
const outcomes = (store: MemoryAws) =>
  ['stored', 'absent', 'unknown'].filter((outcome) =>
    store.metrics().includes(`varve_lost_answers_total{outcome="${outcome}"} 1`),
  );

async function openStream(): Promise<MemoryAws> {
  const store = openMemoryAws();
  await createStream(store);
  await publish(store, append(['first']));
  return store;
}

describe('an unnamed publish', () => {
  test('P7: that took effect is answered with its offsets', async () => {
    const store = await openStream();
    const losing = store.another({ table: losingFirst(async (commit) => void (await commit())) });

    expect(await publish(losing, append(['a', 'b']))).toMatchObject([{ start: 1, end: 3 }]);
    expect(await all(store)).toEqual(['first', 'a', 'b']);
    expect(outcomes(losing)).toEqual(['stored']);
  });

  test('P7: that never took effect is stored by a second try, under another id', async () => {
    const store = await openStream();
    const losing = store.another({ table: losingFirst(async () => {}) });

    expect(await publish(losing, append(['a']))).toMatchObject([{ start: 1, end: 2 }]);
    expect(await all(store)).toEqual(['first', 'a']);
    expect(store.objects.names()).toHaveLength(3);
    expect(outcomes(losing)).toEqual(['absent']);
  });

  test('P7: that is still on its way can no longer take effect', async () => {
    const store = await openStream();
    let late: () => Promise<unknown> = async () => {};
    const losing = store.another({
      table: losingFirst(async (commit) => {
        late = commit;
      }),
    });
    await publish(losing, append(['a']));

    expect(await late()).toMatchObject({ kind: 'refused' });
    expect(await all(store)).toEqual(['first', 'a']);
  });

  test('P7: that took effect and was spilled is found in the index', async () => {
    const store = await openStream();
    const losing = store.another({
      table: losingFirst(async (commit) => {
        await commit();
        for (let n = 0; n < 40; n++) await publish(store, append([`other ${n}`]));
      }),
    });

    expect(await publish(losing, append(['a']))).toMatchObject([{ start: 1, end: 2 }]);
    expect((await all(store)).filter((body) => body === 'a')).toEqual(['a']);
    expect(outcomes(losing)).toEqual(['stored']);
  });

  test('P7: of which nothing can be found out is told as possible, and not sent again', async () => {
    const store = await openStream();
    const losing = store.another({
      table: losingFirst(async (commit) => {
        await commit();
        for (let n = 0; n < 40; n++) await publish(store, append([`other ${n}`]));
        // What the index held is dropped and removed before anybody looks.
        for (const item of store.table.items()) {
          const [k, s] = [item['k'], item['s']];
          if (k && s && 'S' in k && 'S' in s && k.S.startsWith('I')) {
            await store.table.delete({ key: { k: k.S, s: s.S } }, 'once');
          }
        }
      }),
    });

    await expect(publish(losing, append(['a']))).rejects.toMatchObject({
      sideEffects: 'possible',
    });
    expect(outcomes(losing)).toEqual(['unknown']);
  });

  test('P7: whose stream is deleted meanwhile may have been stored', async () => {
    const store = await openStream();

    const losing = store.another({
      table: losingFirst(async (commit) => {
        await commit();
        await store.catalog.remove(streamName('s'), STREAM_ID);
      }),
    });

    await expect(publish(losing, append(['a']))).rejects.toMatchObject({
      sideEffects: 'possible',
    });
  });

  test('P7: many of them in a row find room among what is cancelled', async () => {
    const store = await openStream();
    for (let n = 0; n < 12; n++) {
      const losing = store.another({ table: losingFirst(async () => {}) });
      await publish(losing, append([`a${n}`]));
    }

    expect(await all(store)).toEqual(['first', ...Array.from({ length: 12 }, (_, n) => `a${n}`)]);
    const tail = store.table.items().find(({ r }) => r !== undefined && 'L' in r);
    const cancelled = tail?.['c'];
    expect(cancelled && 'BS' in cancelled ? cancelled.BS.length : 0).toBeLessThanOrEqual(8);
  });
});

describe('a named publish', () => {
  test('D1: that took effect is answered as stored, without a fence', async () => {
    const store = await openStream();
    const losing = store.another({ table: losingFirst(async (commit) => void (await commit())) });

    expect(await publish(losing, named(1, 'a'))).toMatchObject([{ kind: 'stored', start: 1 }]);
    expect(await all(store)).toEqual(['first', 'a']);
    expect(store.table.items().some(({ c }) => c !== undefined)).toBe(false);
  });

  test('D1: that lands after its repeat is refused by its id', async () => {
    const store = await openStream();
    let late: () => Promise<unknown> = async () => {};
    const losing = store.another({
      table: losingFirst(async (commit) => {
        late = commit;
      }),
    });
    expect(await publish(losing, named(1, 'a'))).toMatchObject([{ kind: 'stored', start: 1 }]);

    expect(await late()).toMatchObject({ kind: 'refused' });
    expect(await all(store)).toEqual(['first', 'a']);
  });

  test('D1 P7: that may still land is possible when its repeat fails', async () => {
    const store = await openStream();
    let commits = 0;
    const losing = store.another({
      table: (table) => ({
        ...table,
        async update(request, repeat) {
          if (!isCommit(request)) return await table.update(request, repeat);
          commits++;
          if (commits === 1) throw LOST;
          throw new StoreError('away', { kind: 'unavailable', sideEffects: 'none' });
        },
      }),
    });

    await expect(publish(losing, named(1, 'a'))).rejects.toMatchObject({
      sideEffects: 'possible',
    });
  });

  test('P5 P7: with a token is fenced, since the token may come back', async () => {
    const store = await openStream();
    await store.log.setFencingToken(STREAM_ID, 't');
    let late: () => Promise<unknown> = async () => {};
    const losing = store.another({
      table: losingFirst(async (commit) => {
        late = commit;
        await store.log.setFencingToken(STREAM_ID, 'u');
      }),
    });
    expect(await publish(losing, named(1, 'a', { fencingToken: 't' }))).toEqual([
      { kind: 'reject', code: 'fenced' },
    ]);

    await store.log.setFencingToken(STREAM_ID, 't');
    expect(await late()).toMatchObject({ kind: 'refused' });
    expect(await all(store)).toEqual(['first']);
  });
});

test('P7: of a commit with several runs a later failure is told as possible', async () => {
  const store = openMemoryAws();
  await createStream(store, { segment_max_bytes: 1 });
  let commits = 0;
  const failing = store.another({
    table: (table) => ({
      ...table,
      async update(request, repeat) {
        if (isCommit(request) && ++commits === 2) {
          throw new StoreError('away', { kind: 'unavailable', sideEffects: 'none' });
        }
        return await table.update(request, repeat);
      },
    }),
  });

  await expect(failing.log.commit([append(['a']), append(['b'])])).rejects.toMatchObject({
    sideEffects: 'possible',
  });
  expect(await all(store)).toEqual(['a']);
});
