/**
 * Work that is left for maintainers is forgotten by none of them, whoever comes between the item for it and what
 * makes it necessary (PROTOCOL R14).
 */
import { describe, expect, test } from 'vitest';
import { collectObjects } from '../../lib/aws/collect-objects.ts';
import { createAwsContext } from '../../lib/aws/create-context.ts';
import { horizonAt } from '../../lib/aws/horizon.ts';
import type { Table } from '../../lib/aws/table.ts';
import { chunkObjectName } from '../../lib/format/object-key.ts';
import { encodeUlid } from '../../lib/format/ulid.ts';
import { createPrometheusMeter } from '../../lib/http/prometheus-meter.ts';
import { createSystemRandom } from '../../lib/process/system-random.ts';
import { append, publish, STREAM, STREAM_ID } from '../contract/contract-steps.ts';
import { at, batchOfSize } from '../support/batches.ts';
import { type MemoryAws, openMemoryAws } from '../support/memory-aws.ts';
import { HOUR_MS, keysOf, maintain, publishSegments } from './segment-steps.ts';

interface Creator {
  create(store: MemoryAws): Promise<unknown>;
  /** By which it takes effect. */
  readonly update: RegExp;
  /** Of the items of its work. */
  readonly letter: string;
  /** Whether that has been done. */
  isDone(store: MemoryAws): Promise<boolean>;
}

const isRemoved = async (store: MemoryAws) => keysOf(store, `G${STREAM_ID}`).length === 0;

/** What makes work necessary. */
const CREATORS: readonly (readonly [name: string, creator: Creator])[] = [
  [
    'a trim',
    {
      create: ({ log }) => log.trim(STREAM_ID, at(20)),
      update: /^SET #t = /,
      letter: 'd',
      isDone: isRemoved,
    },
  ],
  [
    'a purge',
    {
      create: ({ log }) => log.trim(STREAM_ID, 'next'),
      update: /^SET #t = /,
      letter: 'd',
      isDone: isRemoved,
    },
  ],
  [
    'a change of settings',
    {
      create: changeSettings,
      update: /^SET #e = /,
      letter: 's',
      isDone: async ({ log }) => (await log.tail(STREAM))?.first === 20,
    },
  ],
  [
    'the opening of a segment',
    {
      create: openSegment,
      update: /#g\[0\] = #n/,
      letter: 's',
      isDone: async ({ log }) => {
        const segments = await log.segments({ streamId: STREAM_ID, from: at(20), limit: 1 });
        return segments[0]?.state === 'packed';
      },
    },
  ],
];

async function changeSettings({ catalog }: MemoryAws): Promise<void> {
  const expected = (await catalog.load(STREAM))?.revision ?? 0;
  const settings = { segment_max_bytes: 1_000, max_age: HOUR_MS };
  expect(await catalog.saveSettings(STREAM_ID, { settings, expected })).toBe(true);
}

async function openSegment(store: MemoryAws): Promise<void> {
  const timeMs = store.clock.nowMs();
  await publish(store, append(batchOfSize(20, 100), { timeMs }));
}

/** Segments [0, 10) and [10, 20), with nothing left to be done, and the active one full. */
async function openStream(): Promise<MemoryAws> {
  const store = openMemoryAws();
  await publishSegments(store, 30, { inSegment: 10 });
  for (let hour = 0; hour < 4; hour++) {
    await store.clock.advance(HOUR_MS);
    await maintain(store);
  }
  expect(dueOf(store)).toEqual([]);
  return store;
}

/** Letters of the work that is left. */
function dueOf(store: MemoryAws): readonly string[] {
  return Array.from({ length: 8 }, (_, shard) => keysOf(store, `D${shard}`))
    .flat()
    .map((key) => key.charAt(12));
}

/** Another process, before whose first update of this kind something happens. */
function interrupted(store: MemoryAws, update: RegExp, before: () => Promise<unknown>): MemoryAws {
  let isOver = false;
  const layer = (table: Table): Table => ({
    ...table,
    async update(request, repeat) {
      if (!isOver && update.test(request.update)) {
        isOver = true;
        await before();
      }
      return await table.update(request, repeat);
    },
  });
  return store.another({ table: layer });
}

describe.each(CREATORS)('%s', (_name, { create, update, letter, isDone }) => {
  test('leaves an item anew when a maintainer took the first one for nothing', async () => {
    const store = await openStream();
    const late = interrupted(store, update, async () => {
      expect(dueOf(store)).toContain(letter);
      await store.clock.advance(3 * HOUR_MS);
      await maintain(store);
      expect(dueOf(store)).not.toContain(letter);
    });
    // As a process that has known the stream for long.
    await late.log.tail(STREAM);
    await create(late);

    expect(dueOf(store)).toContain(letter);
  });

  test('is not forgotten by a maintainer that looked before it and ends behind it', async () => {
    const store = await openStream();
    // Both have known the stream for long.
    const maintainer = await prepareMaintainer(store);
    let isOver = false;
    const late = store.another({
      table: (table) => ({
        ...table,
        async update(request, repeat) {
          if (isOver || !update.test(request.update)) return await table.update(request, repeat);
          isOver = true;
          await store.clock.advance(3 * HOUR_MS);
          await maintainer.runUntilItsEnd();
          const result = await table.update(request, repeat);
          await maintainer.finish();
          return result;
        },
      }),
    });
    await late.log.tail(STREAM);
    await create(late);

    expect(dueOf(store).includes(letter) || (await isDone(store))).toBe(true);
  });
});

/** A maintainer that finds nothing to do, and stands still before it says so. */
async function prepareMaintainer(store: MemoryAws) {
  const [reached, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = interrupted(store, /^SET #w = :ended$/, async () => {
    reached.resolve();
    await gate.promise;
  });
  await slow.log.tail(STREAM);
  let run: Promise<unknown> | undefined;
  return {
    async runUntilItsEnd() {
      run = maintain(slow);
      await reached.promise;
    },
    async finish() {
      gate.resolve();
      await run;
    },
  };
}

test('an item that was put again for the same time is not the one that was seen', async () => {
  const store = await openStream();
  await store.log.trim(STREAM_ID, at(1));
  await store.clock.advance(3 * HOUR_MS);
  let [isOver, survived] = [false, false];
  const slow = store.another({
    table: (table) => ({
      ...table,
      async delete(request, repeat) {
        if (!isOver && request.key.k.startsWith('D')) {
          isOver = true;
          // Whoever leaves work for the same hour writes over the item.
          const item = store.table.items().find(({ k }) => k && 'S' in k && k.S === request.key.k);
          if (item === undefined) throw new Error('no item');
          await table.put({ item: { ...item, v: { B: Uint8Array.of(1, 2, 3) } } }, 'harmless');
          const result = await table.delete(request, repeat);
          survived = dueOf(store).length > 0;
          return result;
        }
        return await table.delete(request, repeat);
      },
    }),
  });
  await maintain(slow);

  // It was done once more by the same run, under what it saw then.
  expect(survived).toBe(true);
  expect(dueOf(store)).toEqual([]);
});

test('each item has a version of its own', async () => {
  const store = await openStream();
  const versions = new Set<string>();
  for (let before = 1; before <= 3; before++) {
    await store.log.trim(STREAM_ID, at(before));
    const [item] = store.table.items().filter(({ k }) => k && 'S' in k && /^D\d$/.test(k.S));
    versions.add(JSON.stringify(item?.['v']));
  }

  expect(versions.size).toBe(3);
});

test('T14: a collection goes no higher than its horizon, wherever it looks', async () => {
  const store = await openStream();
  const { table, objects, clock } = store;
  const context = createAwsContext({
    table,
    objects,
    clock,
    random: createSystemRandom(),
    meter: createPrometheusMeter(),
    telemetry: { error: () => {} },
  });
  const stream = await context.streams.load(STREAM);
  if (stream === undefined) throw new Error('no stream');
  const nowMs = clock.nowMs();
  const young = encodeUlid(nowMs - 1, '0'.repeat(20));
  await objects.put(chunkObjectName({ streamId: STREAM_ID, ulid: young }), Uint8Array.of(1));
  const before = objects.names();
  // A commit of it may still land, as the horizon is below.
  await collectObjects(context, stream, {
    horizon: horizonAt(nowMs - HOUR_MS),
    chunksUpTo: horizonAt(nowMs),
  });

  expect(objects.names()).toEqual(before);
});
