import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { type EmbeddedStore, openFolder } from '../../lib/embedded/embedded-store.ts';
import { StoreError } from '../../lib/ports/store-error.ts';
import { createSystemClock } from '../../lib/process/system-clock.ts';
import { at, batchOf, batchOfSize, idOf, streamName } from '../support/batches.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const S = streamName('s');
const clock = createSystemClock();
const range = { streamId: idOf(1), from: at(0), end: at(9), bytesMax: 1e9 };

/** Three runs at 0, 2 and 3; the first holds two chunks. */
async function openDamaged(path: string, damage: string): Promise<EmbeddedStore> {
  const store = await openFolder({ folder: path, writer: 'inline', clock });
  const append = { stream: S, batch: batchOf('text'), timeMs: 5, createAs: idOf(1) };
  await store.log.commit([append, append]);
  await store.log.commit([append]);
  await store.log.commit([{ ...append, batch: batchOfSize(3, 1_000) }]);
  await store.close();

  const database = new DatabaseSync(join(path, 'varve.db'));
  database.exec(damage);
  database.close();
  return await openFolder({ folder: path, writer: 'inline', clock });
}

/** A byte of the column becomes another, its length stays. */
const flip = (column: string, position: number, base: number) =>
  `UPDATE run SET ${column} = CAST(substr(${column}, 1, ${position}) || x'ee' ||
   substr(${column}, ${position + 2}) AS BLOB) WHERE base = ${base}`;

describe('stored bytes that fail their check are an error that names them', () => {
  const stream = `stream ${idOf(1)}`;

  test.each([
    ['in the second chunk of a run', flip('chunks', 30, 0), 'run at 0, chunk at 1: the checksum'],
    ['in a compressed chunk', flip('chunks', 20, 3), 'run at 3, chunk at 3: the checksum'],
    ['in refs', flip('refs', 2, 2), 'run at 2: the checksum of the refs does not match'],
    ['a run cut short', "UPDATE run SET chunks = x'5643' WHERE base = 2", 'run at 2, chunk at 2: '],
    [
      'a run that moved',
      'UPDATE run SET base = 1 WHERE base = 2',
      'run at 1: its refs are for [2, 3)',
    ],
    [
      'a run that is missing',
      'DELETE FROM run WHERE base = 2',
      'run at 3: messages from 2 are missing',
    ],
  ])('%s', async (_what, damage, message) => {
    using folder = temporaryFolder();
    const store = await openDamaged(folder.path, damage);
    const failure = await store.log.readChunks(range).catch((error: unknown) => error);
    await store.close();

    expect(failure).toBeInstanceOf(StoreError);
    expect(failure).toMatchObject({ kind: 'corrupt', sideEffects: 'none' });
    expect(String(failure)).toContain(`${stream}, ${message}`);
    expect(String(failure)).not.toContain(folder.path);
  });

  test('a first run that is missing gives nothing, as a trim that has just passed would', async () => {
    using folder = temporaryFolder();
    const store = await openDamaged(folder.path, 'DELETE FROM run WHERE base = 0');

    expect(await store.log.readChunks(range)).toEqual([]);
    await store.close();
  });

  test('what lies before the damage can still be read', async () => {
    using folder = temporaryFolder();
    const store = await openDamaged(folder.path, flip('chunks', 30, 0));

    expect(await store.log.readChunks({ ...range, bytesMax: 1 })).toHaveLength(1);
    expect(await store.log.readChunks({ ...range, from: at(2) })).toHaveLength(2);
    await store.close();
  });

  test('a stream whose row makes no sense is corrupt, not a fault of the program', async () => {
    using folder = temporaryFolder();
    const store = await openDamaged(folder.path, `UPDATE stream SET settings = '{"x": 1}'`);

    await expect(store.log.tail(S)).rejects.toMatchObject({ kind: 'corrupt', sideEffects: 'none' });
    await store.close();
  });

  test('so are pages of the database that were overwritten', async () => {
    using folder = temporaryFolder();
    await (await openDamaged(folder.path, 'VACUUM')).close();
    const file = openSync(join(folder.path, 'varve.db'), 'r+');
    for (let page = 3; page < 12; page++)
      writeSync(file, Buffer.alloc(4_096, 0xee), 0, 4_096, page * 4_096);
    closeSync(file);
    const store = await openFolder({ folder: folder.path, writer: 'inline', clock });

    await expect(store.log.tail(S)).rejects.toMatchObject({ kind: 'corrupt', sideEffects: 'none' });
    const append = { stream: S, batch: batchOf('x'), timeMs: 5 };
    await expect(store.log.commit([append])).rejects.toMatchObject({ kind: 'corrupt' });
    await store.close();
  });
});
