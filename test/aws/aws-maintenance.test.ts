import { describe, expect, test } from 'vitest';
import { StoreError } from '../../lib/ports/store-error.ts';
import { append, createStream, publish, STREAM, STREAM_ID } from '../contract/contract-steps.ts';
import { at, batchOfSize, publisherName } from '../support/batches.ts';
import { settle } from '../support/manual-clock.ts';
import { type MemoryAws, openMemoryAws } from '../support/memory-aws.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NEVER = new AbortController().signal;
const NOTHING = { done: 0, failed: 0, overdueMs: 0, trimmed: [] };

const run = (store: MemoryAws) => store.maintenance.run(NEVER);
const keys = ({ table }: MemoryAws) =>
  table.items().map(({ k, s }) => [k, s].map((key) => (key && 'S' in key ? key.S : '')).join(' '));
/** Without the notes of what is to be done. */
const ofStream = (store: MemoryAws) =>
  keys(store).filter((key) => key.includes(STREAM_ID) && !key.startsWith('D'));

/** Segments [0, 20), [20, 40), [40, 50), of 10 messages of 100 bytes an object. */
async function publishSegments(store: MemoryAws): Promise<void> {
  await createStream(store, { segment_max_bytes: 2_000 });
  for (let n = 0; n < 5; n++) {
    await publish(store, append(batchOfSize(10, 100), { timeMs: store.clock.nowMs() }));
    await store.clock.advance(1);
  }
}

test('a store of which nothing is due has nothing to do, and says so', async () => {
  const store = openMemoryAws();
  await publishSegments(store);

  expect(await run(store)).toEqual(NOTHING);
});

describe('what was dropped', () => {
  test('is kept for an hour, then its items and objects go, and no other', async () => {
    const store = openMemoryAws();
    await publishSegments(store);
    const [items, objects] = [ofStream(store), store.objects.names()];
    await store.log.trim(STREAM_ID, at(45));
    await store.clock.advance(HOUR_MS - 1);
    await run(store);
    expect(ofStream(store)).toEqual(items);
    expect(store.objects.names()).toEqual(objects);

    await store.clock.advance(HOUR_MS + 1);
    expect(await run(store)).toMatchObject({ done: 1, failed: 0, overdueMs: 0 });
    const gone = items.filter((key) => !ofStream(store).includes(key));
    const offsets = ['0000000000000000', '0000000000000020'];
    expect(gone).toEqual(
      ['G', 'I'].flatMap((kind) => offsets.map((at) => `${kind}${STREAM_ID} ${at}`)),
    );
    expect(store.objects.names()).toEqual(objects.slice(4));
    expect(await run(store)).toEqual(NOTHING);
  });

  test('of a segment that was still open then is removed when it has ended', async () => {
    const store = openMemoryAws();
    await publishSegments(store);
    const next = () => append(batchOfSize(10, 100), { timeMs: store.clock.nowMs() });
    await publish(store, next());
    await store.log.trim(STREAM_ID, 'next');
    await store.clock.advance(2 * HOUR_MS);
    await run(store);
    // The open segment stays until it has ended, though nothing of it is retained.
    expect(store.objects.names()).toHaveLength(2);
    await publish(store, next());
    await store.clock.advance(2 * HOUR_MS);
    await run(store);

    expect(ofStream(store).filter((key) => key.startsWith('G'))).toEqual([]);
    expect(store.objects.names()).toHaveLength(1);
  });

  test('of many trims within an hour is one piece of work', async () => {
    const store = openMemoryAws();
    await publishSegments(store);
    for (let before = 1; before <= 30; before++) await store.log.trim(STREAM_ID, at(before));

    expect(keys(store).filter((key) => /^D\d [0-9a-f]{12}d/.test(key))).toHaveLength(1);
  });

  test('of a stream that is gone by then is nothing', async () => {
    const store = openMemoryAws();
    await publishSegments(store);
    await store.log.trim(STREAM_ID, at(25));
    await store.catalog.remove(STREAM, STREAM_ID);
    await store.clock.advance(8 * DAY_MS);

    for (let minute = 0; minute < 3; minute++) await run(store);
    await store.clock.advance(2 * DAY_MS);
    await run(store);
    expect(keys(store)).toEqual([]);
  });
});

describe('a deleted stream', () => {
  test('T13: leaves nothing, and its grave stays for a week', async () => {
    const store = openMemoryAws();
    await publishSegments(store);
    const publisher = { name: publisherName('p'), ids: [1] };
    await publish(store, append(['x'], { publisher }));
    await store.clock.advance(5_000);
    await store.catalog.remove(STREAM, STREAM_ID);
    // Two segments that ended, a sweep, and one that finds nothing any more.
    expect(await run(store)).toMatchObject({ done: 4, failed: 0 });
    expect(keys(store)).toEqual([`X ${STREAM_ID}`]);
    expect(store.objects.names()).toEqual([]);

    await store.clock.advance(7 * DAY_MS);
    await run(store);
    expect(keys(store)).toEqual([`X ${STREAM_ID}`]);
    await store.clock.advance(DAY_MS + 1);
    await run(store);
    expect(keys(store)).toEqual([]);
  });

  test('T13: what arrives late is swept too', async () => {
    const store = openMemoryAws();
    await publishSegments(store);
    const [late = ''] = store.objects.names();
    await store.catalog.remove(STREAM, STREAM_ID);
    await run(store);
    await store.objects.put(late, Uint8Array.of(1));
    await store.clock.advance(DAY_MS);
    await run(store);
    await store.clock.advance(DAY_MS);
    await run(store);

    expect(store.objects.names()).toEqual([]);
  });

  test('one of which a grave says that it is gone, and is not, is never swept', async () => {
    const store = openMemoryAws();
    await publishSegments(store);
    const [before, objects] = [ofStream(store), store.objects.names()];
    const grave = { k: { S: 'X' }, s: { S: STREAM_ID }, d: { N: '0' } };
    await store.table.put({ item: grave }, 'once');

    expect(await run(store)).toMatchObject({ done: 0, failed: 1 });
    expect(store.told).toEqual(['maintenance_failed']);
    expect(ofStream(store)).toEqual([...before, `X ${STREAM_ID}`]);
    expect(store.objects.names()).toEqual(objects);
  });
});

describe('a stream that a publish was to create', () => {
  const creating = () => append(['a'], { createAs: STREAM_ID });

  test('P12: has no grave once it is there', async () => {
    const store = openMemoryAws();
    await publish(store, creating());
    await store.clock.advance(2 * HOUR_MS);

    expect(await run(store)).toEqual(NOTHING);
    expect(await store.log.tail(STREAM)).toMatchObject({ next: 1 });
  });

  test('P12: leaves nothing when it never came to be', async () => {
    const store = openMemoryAws({
      table: (table) => ({
        ...table,
        transact: () =>
          Promise.reject(new StoreError('away', { kind: 'unavailable', sideEffects: 'none' })),
      }),
    });
    await expect(publish(store, creating())).rejects.toMatchObject({ sideEffects: 'none' });
    expect(store.objects.names()).toHaveLength(1);

    const calm = store.another();
    for (const ms of [2 * HOUR_MS, 8 * DAY_MS, 2 * DAY_MS]) {
      await store.clock.advance(ms);
      await run(calm);
    }
    expect(store.objects.names()).toEqual([]);
    expect(keys(store)).toEqual([]);
  });

  test('P12: cannot come to be any more once it was swept', async () => {
    const waiting = Promise.withResolvers<void>();
    const store = openMemoryAws({
      table: (table) => ({
        ...table,
        async transact(steps, token) {
          await waiting.promise;
          return await table.transact(steps, token);
        },
      }),
    });
    const late = publish(store, creating());
    await settle();
    await store.clock.advance(2 * HOUR_MS);
    await run(store.another());
    waiting.resolve();

    await expect(late).rejects.toMatchObject({ sideEffects: 'none' });
    expect(await store.log.tail(STREAM)).toBeUndefined();
  });
});

describe('what was cancelled', () => {
  test('P7: leaves the tail when nobody can mean it any more', async () => {
    const store = openMemoryAws();
    await createStream(store);
    await publish(store, append(['a']));
    const lost = store.another({
      table: (table) => ({
        ...table,
        update: (request, repeat) =>
          request.update.includes('list_append(#r')
            ? Promise.reject(new StoreError('away', { kind: 'timeout', sideEffects: 'possible' }))
            : table.update(request, repeat),
      }),
    });
    await expect(publish(lost, append(['b']))).rejects.toBeInstanceOf(StoreError);
    const cancelled = () => {
      const tail = store.table.items().find(({ k }) => k && 'S' in k && k.S === 'T=s');
      return tail?.['c'];
    };
    expect(cancelled()).toBeDefined();

    for (let hour = 0; hour < 4; hour++) {
      await store.clock.advance(HOUR_MS);
      await run(store);
    }
    expect(cancelled()).toBeUndefined();
    expect(keys(store).filter((key) => key.startsWith('D'))).toEqual([]);
    expect(await publish(store, append(['c']))).toMatchObject([{ kind: 'stored', start: 1 }]);
  });
});

describe('a tail that could not be spilled', () => {
  test('is spilled later, and the publish was told nothing of it', async () => {
    const store = openMemoryAws();
    await createStream(store);
    const failing = store.another({
      table: (table) => ({
        ...table,
        put: (request, repeat) =>
          'S' in (request.item['k'] ?? {}) && JSON.stringify(request.item['k']).includes('"I')
            ? Promise.reject(new StoreError('away', { kind: 'unavailable', sideEffects: 'none' }))
            : table.put(request, repeat),
      }),
    });
    for (let n = 0; n < 16; n++) await publish(failing, append(['a']));
    expect(failing.told).toEqual(['tail_upkeep_failed']);
    expect(keys(store).filter((key) => key.startsWith('I'))).toEqual([]);

    await store.clock.advance(5_000);
    expect(await run(store)).toMatchObject({ done: 1, failed: 0 });
    expect(keys(store).filter((key) => key.startsWith('I'))).toHaveLength(1);
    expect(await run(store)).toEqual(NOTHING);
  });
});

describe('a run', () => {
  test('goes on when one piece of work fails, and says how long that is overdue', async () => {
    const store = openMemoryAws({
      objects: (objects) => ({
        ...objects,
        list: () =>
          Promise.reject(new StoreError('away', { kind: 'unavailable', sideEffects: 'none' })),
      }),
    });
    await publishSegments(store);
    await store.log.trim(STREAM_ID, at(25));
    await store.clock.advance(3 * HOUR_MS);
    const report = await run(store);

    // Segments that ended, which need no list.
    expect(report).toMatchObject({ done: 2, failed: 1 });
    expect(report.overdueMs).toBeGreaterThan(HOUR_MS);
    expect(store.told).toEqual(['maintenance_failed']);
    expect(await run(store.another())).toMatchObject({ done: 1, failed: 0, overdueMs: 0 });
  });

  test('ends when it is told to', async () => {
    const store = openMemoryAws();
    await publishSegments(store);
    await store.log.trim(STREAM_ID, at(25));
    await store.clock.advance(3 * HOUR_MS);

    expect(await store.maintenance.run(AbortSignal.abort())).toMatchObject({ done: 0, failed: 0 });
    expect(await run(store)).toMatchObject({ done: 3 });
  });
});
