/** A piece is held in memory once, whatever publishes it is made of: a function of 256 MiB affords it. */
import { execFile } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const SCRIPT = fileURLToPath(new URL('pack-large-segment.ts', import.meta.url));

test.each([256, 64])(
  'a segment of 64 MiB in publishes of %i KiB is packed within 256 MiB',
  async (kib) => {
    const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, String(kib)]);
    const { done, failed, pieces, peakMib } = JSON.parse(stdout);

    expect({ done, failed, pieces: pieces.length }).toEqual({ done: 1, failed: 0, pieces: 3 });
    expect(peakMib).toBeLessThan(256);
  },
);
