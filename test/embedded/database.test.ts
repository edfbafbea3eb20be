import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase, pragma } from '../../lib/embedded/database.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('P2: a commit is synced before it returns: write-ahead log, synchronous FULL', () => {
  using folder = temporaryFolder();
  const database = openDatabase(join(folder.path, 'varve.db'));
  const mode = database.prepare('PRAGMA journal_mode').get();

  expect(pragma(database, 'synchronous')).toBe(2);
  expect(mode).toEqual({ journal_mode: 'wal' });
  database.close();
});
