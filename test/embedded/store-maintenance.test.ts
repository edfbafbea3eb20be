import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../lib/embedded/database.ts';
import { BEGINNING, DueSegments } from '../../lib/embedded/due-segments.ts';
import { openMemory } from '../../lib/embedded/embedded-store.ts';
import { LeftoverFiles } from '../../lib/embedded/leftover-files.ts';
import { createInlinePacker } from '../../lib/embedded/packer.ts';
import { SegmentPacker } from '../../lib/embedded/segment-packer.ts';
import { createMaintenance } from '../../lib/embedded/store-maintenance.ts';
import { createInlineWriter } from '../../lib/embedded/store-writer.ts';
import { at, batchOf, batchOfSize, idOf, streamName } from '../support/batches.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { noise } from '../support/noise.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { by, create, IDLE, NOW, openStore, publish, run } from './maintained-store.ts';
import { openPackedStore } from './packed-store.ts';

const KIB = 1024;

describe('a sealed segment', () => {
  test.each(['inline', 'worker'] as const)(
    'is packed, and what fails is told: %s',
    async (writer) => {
      const store = await openStore({ writer, segmentBytesMin: 0 });
      for (const number of [1, 2]) await create(store, number, { segment_max_bytes: 20 });
      // What is in the records is looked at only when they are packed.
      const batch = { ...batchOf('x'), records: noise(30), bytes: 20 };
      await store.log.commit([{ stream: streamName('s1'), batch, timeMs: NOW }]);
      await publish(store, 1, [NOW]);
      await publish(store, 2, [NOW, NOW, NOW]);
      by(store.clock, 500);

      const report = { ...IDLE, done: 1, failed: 1, overdueMs: 500 };
      expect(await run(store)).toEqual(report);
      expect(store.told).toMatchObject([{ event: 'maintenance_failed' }]);
      // The next run looks for what a failure may have left.
      writeFileSync(join(store.folder, 'segments/1', `${'7'.padStart(20, '0')}.new`), 'VS');
      expect(await run(store)).toEqual({ ...report, done: 1 });
      const states = async (number: number) => {
        const query = { streamId: idOf(number), from: at(0), limit: 9 };
        return (await store.log.segments(query)).map(({ state }) => state);
      };
      expect([await states(1), await states(2)]).toEqual([
        ['sealed', 'active'],
        ['packed', 'active'],
      ]);
      expect(readdirSync(join(store.folder, 'segments/1'))).toEqual([]);
    },
  );

  test('stays in the database when it is small', async () => {
    const store = await openStore();
    await create(store, 1, { segment_max_bytes: 1 });
    for (const bytes of [256 * KIB - 1, 256 * KIB, 1]) {
      const batch = batchOfSize(1, bytes);
      await store.log.commit([{ stream: streamName('s1'), batch, timeMs: NOW }]);
    }

    expect(await run(store)).toEqual({ ...IDLE, done: 1 });
    expect(await store.log.segments({ streamId: idOf(1), from: at(0), limit: 9 })).toMatchObject([
      { state: 'sealed' },
      { state: 'packed' },
      { state: 'active' },
    ]);
  });

  test('is not packed when the disk is nearly full', async () => {
    using folder = temporaryFolder();
    const parts = openPackedStore(folder.path);
    parts.create({ segment_max_bytes: 10 });
    parts.publish([NOW, NOW]);
    const told: unknown[] = [];
    const { database, files, due } = parts;
    const maintenance = createMaintenance(
      {
        due,
        writer: createInlineWriter(database, {}, () => {}),
        clock: createManualClock(NOW),
        telemetry: { error: (event) => told.push(event) },
        packing: {
          packer: createInlinePacker(new SegmentPacker(database, { files, pieceBytes: 1 })),
          files,
          leftovers: new LeftoverFiles(database, files),
          sample: { fault: () => undefined },
          checkRoom: () => {
            throw new Error('the disk is nearly full');
          },
        },
        changed: () => {},
      },
      new AbortController().signal,
    );

    const report = await maintenance.run(new AbortController().signal);
    expect(report).toEqual({ ...IDLE, failed: 1 });
    expect(told).toEqual(['maintenance_failed']);
    expect(existsSync(join(folder.path, 'segments'))).toBe(false);
    parts.close();
  });

  test('is not packed in memory', async () => {
    const store = openMemory({ clock: createManualClock(NOW) });
    await create(store, 1, { segment_max_bytes: 1 });
    for (const _round of [1, 2]) {
      const batch = batchOfSize(1, 300 * KIB);
      await store.log.commit([{ stream: streamName('s1'), batch, timeMs: NOW }]);
    }

    expect(await run(store)).toEqual(IDLE);
    await store.close();
  });

  test('P8: is read by others while it is packed, and is the same', async () => {
    const store = await openStore({ writer: 'worker' });
    await create(store, 1, { segment_max_bytes: 1_000 * KIB });
    const stream = streamName('s1');
    for (let round = 0; round < 40; round++) {
      await store.log.commit([{ stream, batch: batchOfSize(100, KIB), timeMs: NOW }]);
    }
    const range = { streamId: idOf(1), from: at(0), end: at(4_000), bytesMax: 1e9 };
    const before = await store.log.readChunks(range);
    let isOver = false;
    const packing = run(store).finally(() => {
      isOver = true;
    });
    let reads = 0;
    while (!isOver) {
      // Another range each time: what was read a moment ago is not read again.
      const chunks = await store.log.readChunks({ ...range, bytesMax: 1e9 + ++reads });
      expect(chunks).toEqual(before);
      await new Promise((resolve) => setImmediate(resolve));
    }

    expect(await packing).toEqual({ ...IDLE, done: 3 });
    expect(await store.log.readChunks(range)).toEqual(before);
    expect(reads).toBeGreaterThan(1);
  });

  test('is left alone when the store closes meanwhile, and packed by the next one', async () => {
    const store = await openStore({ writer: 'worker' });
    await create(store, 1, { segment_max_bytes: 12_000 * KIB });
    const batch = batchOfSize(4_000, KIB);
    for (let round = 0; round < 9; round++) {
      await store.log.commit([{ stream: streamName('s1'), batch, timeMs: NOW }]);
    }
    const running = run(store);
    const folder = join(store.folder, 'segments/1');
    while (!existsSync(folder)) await new Promise((resolve) => setImmediate(resolve));
    await store.close();

    expect(await running).toMatchObject({ failed: 0 });
    expect(store.told).toEqual([]);
    const again = await store.open();
    expect(await again.log.tail(streamName('s1'))).toMatchObject({ next: 36_000 });
    await run(again);
    expect(readdirSync(folder)).toHaveLength(2);
    await again.close();
  });
});

test('runs that are asked for at the same time come one after the other', async () => {
  const store = await openStore({ segmentBytesMin: 0 });
  await create(store, 1, { segment_max_bytes: 10 });
  await publish(store, 1, [NOW, NOW, NOW]);

  const reports = await Promise.all([run(store), run(store)]);
  expect(reports).toEqual([{ ...IDLE, done: 2 }, IDLE]);
});

test('a store that has nothing to do costs two reads, each through an index on what is due', async () => {
  const store = await openStore();
  expect(await run(store)).toEqual(IDLE);
  expect(existsSync(join(store.folder, 'segments'))).toBe(false);

  const database = openDatabase(':memory:');
  const prepared: string[] = [];
  const prepare = database.prepare.bind(database);
  database.prepare = (sql) => {
    prepared.push(sql);
    return prepare(sql);
  };
  const due = new DueSegments(database);
  expect([due.toRetain(BEGINNING, NOW), due.toPack(BEGINNING)]).toEqual([undefined, undefined]);
  const plans = prepared.map((sql) =>
    prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => detail),
  );
  expect(plans).toEqual([
    [
      expect.stringContaining('SEARCH retention USING COVERING INDEX retention_due (due_ms>'),
      'SEARCH stream USING INTEGER PRIMARY KEY (rowid=?)',
    ],
    [
      expect.stringContaining('SEARCH segment USING INDEX segment_to_pack (pack_ms>'),
      'SEARCH stream USING INTEGER PRIMARY KEY (rowid=?)',
    ],
  ]);
  database.close();
});
