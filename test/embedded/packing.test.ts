import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BEGINNING } from '../../lib/embedded/due-segments.ts';
import type { PieceRange } from '../../lib/embedded/piece-table.ts';
import { SegmentFiles } from '../../lib/embedded/segment-files.ts';
import { SegmentPacker } from '../../lib/embedded/segment-packer.ts';
import type { StoredChunk } from '../../lib/ports/log-store.ts';
import { at, batchOf } from '../support/batches.ts';
import { noise } from '../support/noise.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openPackedStore, S, S_ID } from './packed-store.ts';

const MIB = 1024 * 1024;
const range = { streamId: S_ID, first: at(0), next: at(10) };

function openStore(pieceBytes?: number) {
  const folder = temporaryFolder();
  const store = openPackedStore(folder.path, pieceBytes);
  onTestFinished(() => {
    store.close();
    folder[Symbol.dispose]();
  });
  return { ...store, folder: folder.path };
}

type Store = ReturnType<typeof openStore>;

const bases = (chunks: readonly StoredChunk[]) => chunks.map(({ base }) => base);
const read = ({ reader }: Store, from: number, { end = 1e9, bytesMax = 1e9 } = {}) =>
  reader.chunks.read({ streamId: S_ID, from: at(from), end: at(end), bytesMax });
const runs = ({ database }: Store) =>
  database
    .prepare('SELECT base FROM run ORDER BY base')
    .all()
    .map(({ base }) => base);

class WatchedFiles extends SegmentFiles {
  /** First offsets of the files that were finished. */
  readonly finished: number[] = [];

  override finishNew(descriptor: number, piece: PieceRange): void {
    super.finishNew(descriptor, piece);
    this.finished.push(piece.first);
  }
}

describe('a packed segment', () => {
  test('T2: is read from files of its own, whose names say what they hold', () => {
    const store = openStore();
    store.create({ segment_max_bytes: 30 });
    store.publish([1, 2, 3, 4, 5, 6, 7]);
    const before = read(store, 0);

    expect(store.packAll()).toBe(2);
    store.sweepAll();
    expect(runs(store)).toEqual([6]);
    expect(read(store, 0)).toEqual(before);

    const names = [
      'segments/1/00000000000000000000-00000000000000000003',
      'segments/1/00000000000000000003-00000000000000000006',
    ];
    const bytes = names.map((name) => statSync(join(store.folder, name)).size);
    const query = { streamId: S_ID, from: at(0), limit: 9 };
    expect(store.reader.segments(query)).toMatchObject([
      { state: 'packed', objects: [{ start: 0, end: 3, name: names[0], bytes: bytes[0] }] },
      { state: 'packed', objects: [{ start: 3, end: 6, name: names[1], bytes: bytes[1] }] },
      { state: 'active', objects: [] },
    ]);
    expect(readdirSync(join(store.folder, 'segments/1'))).toHaveLength(2);
  });

  // Many that take a few KiB together may be all of a segment when they are decoded.
  test('T2: is written before what follows is decoded', () => {
    const store = openStore();
    store.create({ segment_max_bytes: 3 * MIB });
    store.publish([1, 2, 3, 4], MIB);
    store.database.exec('UPDATE run SET chunks = zeroblob(length(chunks)) WHERE base = 2');
    const files = new WatchedFiles(store.folder);
    const packer = new SegmentPacker(store.database, { files, pieceBytes: 1 });

    expect(() => packer.pack({ stream: 1, first: 0, end: 3 })).toThrow('chunk at 2');
    expect(files.finished).toEqual([0, 1]);
  });

  test('T2: is read from its runs or its files, whatever is left of the runs', () => {
    const store = openStore();
    store.create({ segment_max_bytes: 6_000 });
    store.publish(Array.from({ length: 700 }, (_, n) => n));
    const before = read(store, 0);
    store.packAll();

    // 256 runs a step: the first one ends in the middle of the segment.
    do {
      expect(read(store, 0)).toEqual(before);
      expect(bases(read(store, 250, { end: 600 }))).toEqual(bases(before).slice(250, 600));
    } while (store.writer.sweep());
    expect(runs(store)).toHaveLength(100);
  });

  test('T2: takes several files when it is large, and pages go on from one to the next', () => {
    const store = openStore(2 * MIB);
    store.create({ segment_max_bytes: 8 * MIB });
    const batch = batchOf(noise(MIB));
    for (let n = 0; n < 9; n++) store.writer.commit([{ stream: S, batch, timeMs: n }]);
    const before = read(store, 0);
    expect(store.packAll()).toBe(1);
    store.sweepAll();

    const [segment] = store.reader.segments({ streamId: S_ID, from: at(0), limit: 1 });
    expect(segment?.objects.map(({ start, end }) => [start, end])).toEqual([
      [0, 2],
      [2, 4],
      [4, 6],
      [6, 8],
    ]);
    expect(read(store, 0)).toEqual(before);
    expect(bases(read(store, 1, { end: 3 }))).toEqual([1, 2]);
    expect(bases(read(store, 3, { bytesMax: 2 * MIB }))).toEqual([3, 4]);
    expect(bases(read(store, 7))).toEqual([7, 8]);
  });

  test('T2: leaves its neighbours where they are, and pages go from runs to files and back', () => {
    const store = openStore();
    store.create({ segment_max_bytes: 30 });
    store.publish([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const before = read(store, 0);
    const second = { stream: 1, first: 3, end: 6 };
    const pieces = store.pack({ ...second, dueMs: 0 });
    expect(store.writer.savePacked({ ...second, pieces })).toBe(true);
    store.sweepAll();

    expect(runs(store)).toEqual([0, 1, 2, 6, 7, 8, 9]);
    expect(read(store, 0)).toEqual(before);
    for (const from of [2, 3, 5, 6]) {
      expect(bases(read(store, from, { bytesMax: 20 }))).toEqual([from, from + 1]);
    }
    expect(store.reader.chunks.findTime({ ...range, timeMs: 4 })).toBe(3);
    expect(store.reader.chunks.findTime({ ...range, timeMs: 7 })).toBe(6);
  });

  test('T2: is packed in the order in which segments were sealed, of all streams', () => {
    const store = openStore();
    store.create({ segment_max_bytes: 10 });
    store.publish([5, 6]);
    store.publish([1, 8, 7, 9]);
    const { database, due } = store;

    expect(database.prepare('SELECT count(*) AS n FROM segment').get()).toEqual({ n: 6 });
    expect(due.toPack(BEGINNING)).toMatchObject({ first: 0, end: 1 });
    expect(due.toPack({ dueMs: 6, stream: 1, first: 1 })).toMatchObject({ first: 2, dueMs: 8 });
  });

  test('T13: of a stream that was deleted meanwhile is none, and leaves no file', () => {
    const store = openStore();
    store.create({ segment_max_bytes: 10 });
    store.publish([1, 2]);
    const segment = store.due.toPack(BEGINNING);
    if (segment === undefined) throw new Error('nothing to pack');
    const pieces = store.pack(segment);
    store.writer.remove(S, S_ID);

    expect(store.writer.savePacked({ ...segment, pieces })).toBe(false);
    store.sweepAll();
    expect(store.pack(segment)).toEqual([]);
    expect(readdirSync(join(store.folder, 'segments'))).toEqual(['1']);
    expect(readdirSync(join(store.folder, 'segments/1'))).toEqual([]);
  });

  test('T13: of a stream that is deleted while it is written is none, and no failure', () => {
    const store = openStore();
    store.create({ segment_max_bytes: 10 });
    store.publish([1, 2]);
    const { files } = store;
    const finishNew = files.finishNew.bind(files);
    files.finishNew = (descriptor, piece) => {
      store.writer.remove(S, S_ID);
      store.sweepAll();
      finishNew(descriptor, piece);
    };

    expect(store.pack({ stream: 1, first: 0, end: 1, dueMs: 0 })).toEqual([]);
    expect(readdirSync(join(store.folder, 'segments'))).toEqual([]);
  });

  test('T2: that was dropped is not packed, although it is not removed yet', () => {
    const store = openStore();
    store.create({ segment_max_bytes: 10 });
    store.publish([1, 2, 3]);
    store.writer.trim(S_ID, at(1));

    expect(store.due.toPack(BEGINNING)).toMatchObject({ first: 1, end: 2 });
  });

  test('T2: that fails in the middle leaves none of its files', () => {
    const store = openStore(MIB);
    store.create({ segment_max_bytes: 4 * MIB });
    const batch = batchOf(noise(MIB));
    for (let n = 0; n < 5; n++) store.writer.commit([{ stream: S, batch, timeMs: n }]);
    store.database.exec('DELETE FROM run WHERE base = 2');

    expect(() => store.packAll()).toThrow('messages from 2 are missing');
    expect(readdirSync(join(store.folder, 'segments/1'))).toEqual([]);
  });

  test('T2 T12: begins with what was not dropped, as a purge leaves a segment without its beginning', () => {
    const store = openStore();
    store.create({ segment_max_bytes: 50 });
    store.publish([1, 2]);
    store.writer.trim(S_ID, 'next');
    store.sweepAll();
    store.publish([3, 4, 5, 6]);
    expect(runs(store)).toEqual([2, 3, 4, 5]);
    store.writer.trim(S_ID, at(3));

    expect(store.packAll()).toBe(1);
    store.sweepAll();
    expect(runs(store)).toEqual([5]);
    expect(bases(read(store, 3))).toEqual([3, 4, 5]);
    expect(store.reader.usage(S_ID)).toMatchObject({
      bytes: 60,
      oldestMs: 4,
      oldest: { first: 0, end: 5, state: 'packed', objects: [{ start: 3, end: 5 }] },
    });
  });

  test('T2: that lacks a run although nobody dropped it is not packed', () => {
    const store = openStore();
    store.create({ segment_max_bytes: 30 });
    store.publish([1, 2, 3, 4]);
    store.database.exec('DELETE FROM run WHERE base = 1');

    expect(() => store.packAll()).toThrow('messages from 1 are missing');
    expect(readdirSync(join(store.folder, 'segments/1'))).toEqual([]);
  });
});

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('publish' as const),
      counts: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }),
      timeMs: fc.nat(1_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('trim' as const), back: fc.nat(60) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('retain' as const), length: fc.nat(80) }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'pack' as const }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'sweep' as const }) },
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** What both stores are given. */
function perform({ writer, reader }: Store, given: Step): void {
  switch (given.kind) {
    case 'publish':
      writer.commit(
        given.counts.map((count) => ({
          stream: S,
          batch: batchOf(...Array.from({ length: count }, (_, n) => `${n}`)),
          timeMs: given.timeMs,
        })),
      );
      break;
    case 'trim':
      writer.trim(S_ID, at(Math.max(0, (reader.tail(S)?.next ?? 0) - given.back)));
      break;
    case 'retain': {
      const expected = reader.tail(S)?.revision ?? 0;
      const settings = { segment_max_bytes: 12, max_length: given.length };
      writer.saveSettings(S_ID, { settings, expected, nowMs: 0 });
      writer.retain(S_ID, 0);
      break;
    }
    default:
  }
  reader.forget();
}

function observe({ reader }: Store) {
  const state = reader.tail(S);
  if (state === undefined) throw new Error('the stream is gone');
  const { first, next } = state;
  const froms = Array.from({ length: 8 }, (_, n) => first + Math.floor(((next - first) * n) / 8));
  return {
    state,
    usage: reader.usage(S_ID),
    pages: froms.flatMap((from) =>
      [1, 9, 1e9].map((bytesMax) =>
        reader.chunks.read({ streamId: S_ID, from: at(from), end: next, bytesMax }),
      ),
    ),
    dropped: reader.chunks.read({
      streamId: S_ID,
      from: at(Math.max(0, first - 1)),
      end: next,
      bytesMax: 1,
    }),
    times: Array.from({ length: 12 }, (_, n) =>
      reader.chunks.findTime({ streamId: S_ID, first, next, timeMs: n * 100 }),
    ),
  };
}

const asSealed = (seen: ReturnType<typeof observe>) => {
  const { oldest } = seen.usage;
  if (oldest?.state !== 'packed') return seen;
  return { ...seen, usage: { ...seen.usage, oldest: { ...oldest, state: 'sealed', objects: [] } } };
};

test('T2 T11: whatever is packed and removed, readers see what they would without', () => {
  let pagesOfPacked = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 60 }), (steps) => {
      const [packed, plain] = [openStore(), openStore()];
      packed.create({ segment_max_bytes: 12 });
      plain.create({ segment_max_bytes: 12 });
      for (const given of steps) {
        perform(packed, given);
        perform(plain, given);
        if (given.kind === 'pack') packed.packAll();
        if (given.kind === 'sweep') packed.writer.sweep();
        const seen = observe(packed);
        if (seen.usage.oldest?.state === 'packed') pagesOfPacked++;
        expect(asSealed(seen)).toEqual(observe(plain));
        expect(packed.lost).toEqual([]);
      }
    }),
    { numRuns: 25 },
  );
  expect(pagesOfPacked).toBeGreaterThan(50);
});
