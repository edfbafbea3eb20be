/** What happens when the disk fails to write or sync, made so by strace. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const stored = (start: number) => ({ kind: 'stored', start, end: start + 1 });
const lost = { kind: 'unavailable', sideEffects: 'possible' };

test.each(['fsync', 'pwrite64'])(
  'P7: a commit whose %s fails may be there, and later ones are stored',
  (call) => {
    using folder = temporaryFolder();
    const publisher = join(import.meta.dirname, 'eight-commits.ts');
    const wal = join(folder.path, 'varve.db-wal');
    const run = spawnSync(
      'strace',
      // Only calls on the write-ahead log count; with these numbers the tables are there, and some commits.
      [
        '-f',
        '-qq',
        '-o',
        '/dev/null',
        '-P',
        wal,
        '-e',
        `trace=${call}`,
        '-e',
        `inject=${call}:error=EIO:when=${call === 'fsync' ? '6..7' : '90..91'}`,
        process.execPath,
        publisher,
        folder.path,
      ],
      { encoding: 'utf8' },
    );
    const [outcomes, next, nextAgain] = JSON.parse(run.stdout);
    const before = outcomes.findIndex((outcome: { kind: string }) => outcome.kind !== 'stored');

    expect(before).toBeGreaterThan(0);
    expect(outcomes).toMatchObject([
      ...Array.from({ length: before }, (_, n) => stored(n)),
      lost,
      lost,
      ...Array.from({ length: 6 - before }, (_, n) => stored(before + n)),
    ]);
    expect([next, nextAgain]).toEqual([6, 6]);
  },
);
