/** The process ends after each single step of sealing, packing, dropping and removing. */
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFolder } from '../../lib/embedded/embedded-store.ts';
import { at } from '../support/batches.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openPackedStore, S, S_ID } from './packed-store.ts';

type Store = ReturnType<typeof openPackedStore>;

const OLDEST = { stream: 1, first: 0, end: 300 };

function packOldest(store: Store) {
  return { ...OLDEST, pieces: store.pack({ ...OLDEST, dueMs: 0 }) };
}

function savePacked(store: Store): void {
  store.writer.savePacked(packOldest(store));
}

/** To 300, where the second of three segments begins. */
function drop(store: Store): void {
  store.writer.saveSettings(S_ID, { settings: { max_length: 600 }, expected: 1, nowMs: 0 });
  store.writer.retain(S_ID, 0);
}

/** What is done before the process ends, with the first offset that is retained then. */
const STEPS: readonly (readonly [
  what: string,
  first: number | undefined,
  act: (store: Store) => void,
])[] = [
  ['a segment was sealed', 0, () => {}],
  [
    'a part of a file was written',
    0,
    ({ files }) => {
      writeSync(files.createNew(OLDEST), 'VS');
    },
  ],
  ['its file was written and has its name', 0, packOldest],
  [
    'a file of it was written that it would not have again',
    0,
    ({ files }) => {
      files.finishNew(files.createNew(OLDEST), { ...OLDEST, end: 200 });
    },
  ],
  [
    'it was dropped while a part of a file was written',
    300,
    (store) => {
      writeSync(store.files.createNew(OLDEST), 'VS');
      drop(store);
    },
  ],
  ['its file is what is read', 0, savePacked],
  [
    'some of its runs were removed',
    0,
    (store) => {
      savePacked(store);
      store.writer.sweep();
    },
  ],
  [
    'all of its runs were removed',
    0,
    (store) => {
      savePacked(store);
      store.sweepAll();
    },
  ],
  ['it was dropped as it was sealed', 300, drop],
  [
    'it was dropped while it was packed',
    300,
    (store) => {
      const segment = packOldest(store);
      drop(store);
      store.writer.savePacked(segment);
    },
  ],
  [
    'it was dropped when it was packed',
    300,
    (store) => {
      savePacked(store);
      drop(store);
    },
  ],
  [
    'it was dropped and some of its runs removed',
    300,
    (store) => {
      savePacked(store);
      drop(store);
      store.writer.sweep();
    },
  ],
  [
    'it was dropped and its file removed',
    300,
    (store) => {
      savePacked(store);
      drop(store);
      store.files.remove(OLDEST);
    },
  ],
  [
    'all of it was removed, but the disk had not taken in that its file is gone',
    300,
    (store) => {
      savePacked(store);
      drop(store);
      store.sweepAll();
      store.files.finishNew(store.files.createNew(OLDEST), OLDEST);
    },
  ],
  [
    'its stream was deleted',
    undefined,
    (store) => {
      savePacked(store);
      store.writer.remove(S, S_ID);
    },
  ],
  [
    'its stream was deleted and all removed, but the disk had not taken that in',
    undefined,
    (store) => {
      savePacked(store);
      store.writer.remove(S, S_ID);
      store.sweepAll();
      store.files.finishNew(store.files.createNew(OLDEST), OLDEST);
    },
  ],
];

describe('T14: nothing retained is lost, and nothing dropped comes back, when it ends after', () => {
  test.each(STEPS)('%s', async (_what, first, act) => {
    using folder = temporaryFolder();
    const [live, crashed] = [join(folder.path, 'live'), join(folder.path, 'crashed')];
    mkdirSync(live);
    const store = openPackedStore(live);
    store.create({ segment_max_bytes: 3_000 });
    store.publish(Array.from({ length: 901 }, (_, n) => n));
    act(store);
    cpSync(live, crashed, { recursive: true });
    store.close();

    const again = await openFolder({
      folder: crashed,
      writer: 'inline',
      clock: createManualClock(0),
      packing: { segmentBytesMin: 0 },
    });
    expect((await again.log.tail(S))?.first).toBe(first);
    const read = async (from: number) => {
      const range = { streamId: S_ID, from: at(from), end: at(901), bytesMax: 1e9 };
      return (await again.log.readChunks(range)).map(({ base }) => base);
    };
    const retained = Array.from(
      { length: first === undefined ? 0 : 901 - first },
      (_, n) => first! + n,
    );
    const dropped = first === undefined ? 0 : first - 1;
    for (const _round of ['as it was left', 'after maintenance']) {
      expect(await read(first ?? 0)).toEqual(retained);
      expect(await read(Math.max(0, dropped))).toEqual(dropped > 0 ? [] : retained);
      expect(await again.maintenance.run(new AbortController().signal)).toMatchObject({
        failed: 0,
      });
    }
    await again.close();
    expectNothingLeft(crashed, first);
  });
});

/** Files and rows are of the same pieces, and none is of what was dropped. */
function expectNothingLeft(path: string, first: number | undefined): void {
  const store = openPackedStore(path);
  store.sweepAll();
  const rows = store.database.prepare('SELECT stream, first, "end" FROM piece').all();
  const pieces = rows.map((row) => [row['stream'], row['first'], row['end']]);
  store.close();
  const expected = [0, 300, 600].filter((from) => first !== undefined && from >= first);
  expect(pieces).toEqual(expected.map((from) => [1, from, from + 300]));
  const folder = join(path, 'segments', '1');
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  const digits = (offset: number) => `${offset}`.padStart(20, '0');
  expect(names).toEqual(expected.map((from) => `${digits(from)}-${digits(from + 300)}`));
  expect(existsSync(folder)).toBe(first !== undefined);
}

test('T14: what Varve did not write stays where it is', async () => {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, 'segments', '1'), { recursive: true });
  mkdirSync(join(folder.path, 'segments', 'notes'));
  const store = openPackedStore(folder.path);
  store.create({});
  store.close();
  writeFileSync(join(folder.path, 'segments', '1', 'notes'), 'text');
  const again = await openFolder({
    folder: folder.path,
    writer: 'inline',
    clock: createManualClock(0),
  });
  await again.maintenance.run(new AbortController().signal);
  await again.close();

  expect(readdirSync(join(folder.path, 'segments')).sort()).toEqual(['1', 'notes']);
  expect(readdirSync(join(folder.path, 'segments', '1'))).toEqual(['notes']);
});
