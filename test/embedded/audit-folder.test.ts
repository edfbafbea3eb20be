/** What an audit of a folder tells, of each kind of damage, and that it changes nothing. */
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openFolderAudit } from '../../lib/embedded/audit-folder.ts';
import { openFolder } from '../../lib/embedded/embedded-store.ts';
import { FolderError } from '../../lib/embedded/folder-error.ts';
import type { AuditCounts, AuditFinding } from '../../lib/ports/audit.ts';
import { createSystemClock } from '../../lib/process/system-clock.ts';
import { append, createStream, publish, STREAM_ID } from '../contract/contract-steps.ts';
import { at, batchOfSize } from '../support/batches.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const clock = createSystemClock();
const NEVER = new AbortController().signal;
const PIECE = /^[0-9]{20}-[0-9]{20}$/;

function newFolder(): string {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  return folder.path;
}

/** Segments [0, 20) and [20, 40), packed, and [40, 50) in the database. */
async function prepareFolder(): Promise<string> {
  const folder = newFolder();
  const store = await openFolder({
    folder,
    clock,
    writer: 'inline',
    packing: { segmentBytesMin: 0 },
  });
  await createStream(store, { segment_max_bytes: 2_000 });
  for (let n = 0; n < 5; n++) await publish(store, append(batchOfSize(10, 100)));
  await store.maintenance.run(NEVER);
  await vi.waitFor(() => expect(runs(folder)).toBe(1), { timeout: 10_000 });
  await store.close();
  return folder;
}

/** Those of packed segments are removed in the background. */
function runs(folder: string): unknown {
  const database = new DatabaseSync(join(folder, 'varve.db'), { readOnly: true });
  try {
    return database.prepare('SELECT count(*) AS runs FROM run').get()?.['runs'];
  } finally {
    database.close();
  }
}

async function audit(folder: string) {
  const opened = openFolderAudit(folder, clock);
  onTestFinished(() => opened.close());
  const findings: AuditFinding[] = [];
  const counts = { streams: 0, messages: 0, objects: 0, bytes: 0 };
  const looked = (some: Partial<AuditCounts>) => {
    counts.streams += some.streams ?? 0;
    counts.messages += some.messages ?? 0;
  };
  await opened.audit.run({ found: (finding) => findings.push(finding), looked }, NEVER);
  return { findings, streams: counts.streams, messages: counts.messages };
}

function pieces(folder: string): readonly string[] {
  const segments = join(folder, 'segments', '1');
  return readdirSync(segments)
    .filter((name) => PIECE.test(name))
    .map((name) => join(segments, name));
}

/** Of every file but those by which processes that read a database find each other. */
function contents(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/-(?:shm|wal)$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((path) => `${path} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`)
    .sort();
}

test('T14: of a sound folder tells nothing, and changes nothing', async () => {
  const folder = await prepareFolder();
  const before = contents(folder);

  expect(await audit(folder)).toEqual({ findings: [], streams: 1, messages: 50 });
  expect(contents(folder)).toEqual(before);
});

test('T14: goes on while a server works on the folder', async () => {
  const folder = await prepareFolder();
  const store = await openFolder({ folder, clock, writer: 'inline' });
  onTestFinished(() => store.close());
  await publish(store, append(batchOfSize(10, 100)));
  await store.log.trim(STREAM_ID, at(25));

  expect(await audit(folder)).toEqual({ findings: [], streams: 1, messages: 35 });
});

describe('finds', () => {
  test('a packed segment whose file is gone', async () => {
    const folder = await prepareFolder();
    rmSync(pieces(folder)[1] ?? '');

    expect(await audit(folder)).toEqual({
      findings: [{ kind: 'dangling', what: expect.stringContaining('[20, 40)') }],
      streams: 1,
      messages: 50,
    });
  });

  test.each([
    ['changed', (file: string) => flipByte(file, 100)],
    ['cut off', (file: string) => truncateSync(file, statSync(file).size - 1)],
  ])('a file that was %s', async (_how, damage) => {
    const folder = await prepareFolder();
    damage(pieces(folder)[0] ?? '');

    expect((await audit(folder)).findings).toEqual([
      { kind: 'corrupt', what: expect.stringContaining('segments/1/') },
    ]);
  });

  test.each([
    ['changed', 'UPDATE run SET chunks = zeroblob(length(chunks))', 'corrupt'],
    ['gone', 'DELETE FROM run', 'hole'],
  ])('messages in the database that are %s', async (_how, statement, kind) => {
    const folder = await prepareFolder();
    const database = new DatabaseSync(join(folder, 'varve.db'));
    database.exec(statement);
    database.close();

    expect((await audit(folder)).findings).toMatchObject([{ kind }]);
  });

  test('files that nothing refers to, once they are old enough', async () => {
    const folder = await prepareFolder();
    const [left, foreign] = [
      join(folder, 'segments', '1', `${'9'.repeat(20)}-${'9'.repeat(20)}`),
      join(folder, 'segments', '77', `${'0'.repeat(20)}.new`),
    ];
    mkdirSync(join(folder, 'segments', '77'));
    for (const file of [left, foreign]) writeFileSync(file, 'x');
    expect((await audit(folder)).findings).toEqual([]);

    const longAgo = new Date(Date.now() - 7_200_000);
    for (const file of [left, foreign]) utimesSync(file, longAgo, longAgo);
    const { findings } = await audit(folder);
    expect(findings.map(({ kind }) => kind)).toEqual(['orphan', 'orphan']);
  });
});

test.each([
  ['a folder without a store', () => {}],
  ['a file that is no database', (folder: string) => writeFileSync(join(folder, 'varve.db'), 'x')],
])('%s cannot be audited', (_name, prepare) => {
  const folder = newFolder();
  prepare(folder);

  expect(() => openFolderAudit(folder, clock)).toThrow(FolderError);
});

function flipByte(file: string, position: number): void {
  const bytes = readFileSync(file);
  bytes[position] = (bytes[position] ?? 0) ^ 0xff;
  writeFileSync(file, bytes);
}
