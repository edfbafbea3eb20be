import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFolder } from '../../lib/embedded/embedded-store.ts';
import { LostMessages, StoreError } from '../../lib/ports/store-error.ts';
import { at } from '../support/batches.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openPackedStore, S_ID } from './packed-store.ts';

const FILE = 'segments/1/00000000000000000003-00000000000000000006';

/** Segments [0, 3), [3, 6), [6, 9) are packed, 9 is in the active one; something happens to the second file. */
async function openDamaged(folder: string, damage: (file: string) => void) {
  const parts = openPackedStore(folder);
  parts.create({ segment_max_bytes: 30 });
  parts.publish([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  parts.packAll();
  parts.sweepAll();
  parts.close();
  damage(join(folder, FILE));
  const told: unknown[] = [];
  const telemetry = { error: (event: string, details: object) => told.push({ event, ...details }) };
  const clock = createManualClock(0);
  const store = await openFolder({ folder, writer: 'inline', clock, telemetry });
  const read = async (from: number) =>
    (
      await store.log.readChunks({ streamId: S_ID, from: at(from), end: at(10), bytesMax: 1e9 })
    ).map(({ base }) => base);
  return { ...store, read, told };
}

/** A byte becomes another; counted from the end when it is negative. */
const flip = (position: number) => (file: string) => {
  const bytes = readFileSync(file);
  const index = position < 0 ? bytes.length + position : position;
  bytes[index] = (bytes[index] ?? 0) ^ 0x10;
  writeFileSync(file, bytes);
};

describe('O16: a file that fails its check is an error that names it', () => {
  test.each([
    ['in a block', flip(20), `${FILE}, block at offset 3: `],
    ['in the index', flip(-28), `${FILE}, its index: `],
    ['in the footer', flip(-10), `${FILE}, its footer: `],
    ['cut short', (file: string) => truncateSync(file, 30), `${FILE}: it ends at byte `],
    ['empty', (file: string) => truncateSync(file, 0), `${FILE}: it ends at byte `],
  ])('%s', async (_what, damage, message) => {
    using folder = temporaryFolder();
    const store = await openDamaged(folder.path, damage);
    const failure = await store.read(4).catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(StoreError);
    expect(failure).not.toBeInstanceOf(LostMessages);
    expect(failure).toMatchObject({ kind: 'corrupt', sideEffects: 'none' });
    expect(String(failure)).toContain(message);
    expect(String(failure)).not.toContain(folder.path);
    expect(await store.read(6)).toEqual([6, 7, 8, 9]);
    await store.close();
  });

  test('in the file of other messages', async () => {
    using folder = temporaryFolder();
    const store = await openDamaged(folder.path, (file) => {
      writeFileSync(file, readFileSync(join(folder.path, 'segments/1', FIRST)));
    });

    await expect(store.read(3)).rejects.toMatchObject({ kind: 'corrupt' });
    await store.close();
  });
});

const FIRST = '00000000000000000000-00000000000000000003';

describe('O16: a file that is gone although nobody dropped its messages', () => {
  test('ends the page before it, and a page that begins with it says what is lost', async () => {
    using folder = temporaryFolder();
    const store = await openDamaged(folder.path, rmSync);

    expect(await store.read(1)).toEqual([1, 2]);
    const failure = await store.read(4).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(LostMessages);
    expect(failure).toMatchObject({ kind: 'corrupt', start: 4, end: 6 });
    expect(String(failure)).toContain(`file ${FILE} is not there`);
    expect(store.told).toEqual([{ event: 'messages_lost', error: failure }]);
    expect(await store.read(6)).toEqual([6, 7, 8, 9]);
    await store.close();
  });

  test('costs what is told of the stream no more than the time that lay in it', async () => {
    using folder = temporaryFolder();
    const store = await openDamaged(folder.path, rmSync);
    await store.log.trim(S_ID, at(4));

    const usage = await store.log.usage(S_ID);
    expect(usage).toMatchObject({ segments: 3, bytes: 70, oldest: { first: 3, end: 6 } });
    expect(usage).not.toHaveProperty('oldestMs');
    await store.close();
  });
});

test('O16: a file that goes since its messages are dropped while it is looked for is no loss', () => {
  using folder = temporaryFolder();
  const parts = openPackedStore(folder.path);
  parts.create({ segment_max_bytes: 30 });
  parts.publish([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  parts.packAll();
  parts.sweepAll();
  // As when the look-up came just before the drop, and the file just after it.
  const { files } = parts;
  const pathOf = files.pathOf.bind(files);
  files.pathOf = (piece) => {
    files.pathOf = pathOf;
    parts.writer.trim(S_ID, at(7));
    parts.sweepAll();
    return pathOf(piece);
  };
  const read = (from: number) =>
    parts.reader.chunks.read({ streamId: S_ID, from: at(from), end: at(10), bytesMax: 1e9 });

  expect(read(4)).toEqual([]);
  expect(parts.lost).toEqual([]);
  expect(read(7).map(({ base }) => base)).toEqual([7, 8, 9]);
  parts.close();
});
