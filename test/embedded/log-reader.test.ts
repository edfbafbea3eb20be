/** Reads on a connection of their own, beside a writer whose end of a commit is told of a moment later. */
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase, openReadOnly } from '../../lib/embedded/database.ts';
import { LogReader } from '../../lib/embedded/log-reader.ts';
import { LogWriter } from '../../lib/embedded/log-writer.ts';
import { append, STREAM, STREAM_ID } from '../contract/contract-steps.ts';
import { at, batchOfSize } from '../support/batches.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('O16: who finds nothing where it was dropped a moment ago sees that at its next look', () => {
  const folder = temporaryFolder();
  const location = join(folder.path, 'varve.db');
  const database = openDatabase(location);
  const reading = openReadOnly(location);
  onTestFinished(() => {
    reading.close();
    database.close();
    folder[Symbol.dispose]();
  });
  const writer = new LogWriter(database);
  const reader = new LogReader(reading);
  writer.commit([append(batchOfSize(10, 100), { createAs: STREAM_ID })]);
  expect(reader.tail(STREAM)).toMatchObject({ first: 0, next: 10 });
  writer.trim(STREAM_ID, at(5));

  // Nobody has told the reader of it.
  expect(reader.tail(STREAM)).toMatchObject({ first: 0 });
  const range = { streamId: STREAM_ID, from: at(0), end: at(10), bytesMax: 1_000 };
  expect(reader.read(range)).toEqual([]);
  expect(reader.tail(STREAM)).toMatchObject({ first: 5 });
});
