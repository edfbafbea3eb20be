import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { openFolder } from '../../lib/embedded/embedded-store.ts';
import { FolderError } from '../../lib/embedded/folder-error.ts';
import { createSystemClock } from '../../lib/process/system-clock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const clock = createSystemClock();
const open = (folder: string) => openFolder({ folder, writer: 'inline', clock });

/** The message, without the path of the folder. */
async function refusal(folder: string): Promise<string> {
  const error = await open(folder).then(
    async (store) => {
      await store.close();
      throw new Error('the folder was opened');
    },
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(FolderError);
  return error instanceof Error ? error.message.replaceAll(folder, '<folder>') : '';
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('a folder', () => {
  test('A6: is made for its owner alone, with the folders above it', async () => {
    using temporary = temporaryFolder();
    const folder = join(temporary.path, 'a', 'b');
    const store = await open(folder);

    expect(modeOf(folder)).toBe('700');
    const files = readdirSync(folder).sort();
    expect(files).toEqual(['lock', 'varve.db', 'varve.db-shm', 'varve.db-wal']);
    expect(files.map((file) => modeOf(join(folder, file)))).toEqual(['600', '600', '600', '600']);
    await store.close();
    expect(readdirSync(folder).sort()).toEqual(['lock', 'varve.db']);
  });

  test('A6: that others could read is closed to them', async () => {
    using temporary = temporaryFolder();
    await (await open(temporary.path)).close();
    chmodSync(temporary.path, 0o755);
    chmodSync(join(temporary.path, 'varve.db'), 0o644);
    await (await open(temporary.path)).close();

    expect(modeOf(temporary.path)).toBe('700');
    expect(modeOf(join(temporary.path, 'varve.db'))).toBe('600');
  });

  test('may be reached through a link', async () => {
    using temporary = temporaryFolder();
    const [folder, link] = [join(temporary.path, 'data'), join(temporary.path, 'link')];
    mkdirSync(folder);
    symlinkSync(folder, link);
    const store = await open(link);

    expect(await refusal(folder)).toContain('is in use');
    await store.close();
  });

  test.each(['inline', 'worker'] as const)(
    'is opened once at a time, written %s',
    async (writer) => {
      using temporary = temporaryFolder();
      const store = await openFolder({ folder: temporary.path, writer, clock });

      expect(await refusal(temporary.path)).toBe(
        '<folder> is in use by another Varve: stop that one or choose another folder',
      );
      await store.close();
      await (await open(temporary.path)).close();
    },
  );

  test('is free again when the process that has it is killed', async () => {
    using temporary = temporaryFolder();
    const holder = spawn(process.execPath, [
      join(import.meta.dirname, 'folder-holder.ts'),
      temporary.path,
    ]);
    await new Promise((resolve) => holder.stdout.once('data', resolve));
    expect(await refusal(temporary.path)).toContain('is in use');

    holder.kill('SIGKILL');
    await new Promise((resolve) => holder.once('exit', resolve));
    await (await open(temporary.path)).close();
  });

  test('that is a file, or below one, is refused', async () => {
    using temporary = temporaryFolder();
    const file = join(temporary.path, 'file');
    writeFileSync(file, 'text');
    const message = '<folder> is or lies below a file: choose another folder';

    expect(await refusal(file)).toBe(message);
    expect(await refusal(join(file, 'data'))).toBe(message);
  });

  test('that cannot be made is refused with the reason', async () => {
    // Nobody, not even root, makes a folder here.
    expect(await refusal('/proc/varve')).toBe(
      "<folder> cannot be written (ENOENT): make it this user's own or choose another folder",
    );
  });
});

describe('a database', () => {
  test.each([
    ['text', Buffer.from('not a database, but long enough to be read as one\n'.repeat(100))],
    [
      'noise behind the magic',
      Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(4_080, 7)]),
    ],
  ])('that is %s is refused', async (_what, bytes) => {
    using temporary = temporaryFolder();
    writeFileSync(join(temporary.path, 'varve.db'), bytes);

    expect(await refusal(temporary.path)).toBe(
      '<folder>/varve.db is damaged or no database: restore it from a backup',
    );
  });

  test.each([
    [
      'of another program',
      'CREATE TABLE t (x)',
      '<folder>/varve.db is not a Varve database: choose another folder',
    ],
    [
      'of a newer Varve',
      'PRAGMA user_version = 5',
      '<folder>/varve.db was made by a newer Varve (format 5); this one knows up to 4: update it',
    ],
  ])('%s is refused and left as it was', async (what, sql, message) => {
    using temporary = temporaryFolder();
    if (what.includes('newer')) await (await open(temporary.path)).close();
    const database = new DatabaseSync(join(temporary.path, 'varve.db'));
    database.exec(sql);
    database.close();

    expect(await refusal(temporary.path)).toBe(message);
    expect(await refusal(temporary.path)).toBe(message);
  });

  test('carries the application id and the version of its format', async () => {
    using temporary = temporaryFolder();
    await (await open(temporary.path)).close();
    const database = new DatabaseSync(join(temporary.path, 'varve.db'));
    const pragma = (name: string) => database.prepare(`PRAGMA ${name}`).get()?.[name];

    expect(pragma('application_id')).toBe(Buffer.from('VARV').readInt32BE());
    expect(pragma('user_version')).toBe(4);
    expect(pragma('page_size')).toBe(4_096);
    expect(pragma('journal_mode')).toBe('wal');
    expect(pragma('auto_vacuum')).toBe(2);
    expect(pragma('encoding')).toBe('UTF-8');
    database.close();
  });
});
