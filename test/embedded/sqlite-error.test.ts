import { describe, expect, test } from 'vitest';
import { CorruptRow } from '../../lib/embedded/row-values.ts';
import { toStoreError } from '../../lib/embedded/sqlite-error.ts';
import { CorruptChunk } from '../../lib/format/corrupt-chunk.ts';
import { StoreError } from '../../lib/ports/store-error.ts';

/** What node:sqlite throws: an error with the extended result code of SQLite. */
const sqliteError = (errcode: number) => Object.assign(new Error('from SQLite'), { errcode });

const IOERR_WRITE = 10 | (3 << 8);
const IOERR_FSYNC = 10 | (4 << 8);
const CORRUPT_INDEX = 11 | (3 << 8);

describe('P7: what SQLite throws says whether anything can have been stored', () => {
  test.each([
    ['another program holds the lock', 5, 'unavailable', 'none'],
    ['a table is locked', 6, 'unavailable', 'none'],
    ['the file cannot be written', 8, 'unavailable', 'none'],
    ['the disk fails to write', IOERR_WRITE, 'unavailable', 'possible'],
    ['the disk fails to sync', IOERR_FSYNC, 'unavailable', 'possible'],
    ['the disk is full', 13, 'unavailable', 'none'],
    ['the database is damaged', 11, 'corrupt', 'possible'],
    ['an index is damaged', CORRUPT_INDEX, 'corrupt', 'possible'],
    ['the file is no database', 26, 'corrupt', 'possible'],
  ])('while it commits: %s', (...[, errcode, kind, sideEffects]) => {
    const cause = sqliteError(errcode);

    expect(toStoreError(cause, 'committing')).toMatchObject({ kind, sideEffects, cause });
    expect(toStoreError(cause, 'writing')).toMatchObject({ kind, sideEffects: 'none' });
    expect(toStoreError(cause, 'reading')).toMatchObject({ kind, sideEffects: 'none' });
    expect(toStoreError(cause, 'reading')).toBeInstanceOf(StoreError);
  });
});

test.each([
  ['chunks', new CorruptChunk('chunk at 7: the checksum does not match')],
  ['rows', new CorruptRow('column base holds no integer')],
])('damaged %s keep their names', (_what, cause) => {
  const { message } = cause;

  expect(toStoreError(cause, 'reading')).toMatchObject({
    kind: 'corrupt',
    sideEffects: 'none',
    message,
    cause,
  });
});

test.each([
  ['a mistake in a statement', sqliteError(1)],
  ['a fault of the program', new TypeError('x is undefined')],
  ['what is no error', 'text'],
])('%s stays as it is', (_what, thrown) => {
  expect(toStoreError(thrown, 'committing')).toBe(thrown);
});
