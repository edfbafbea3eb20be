/** The entry of the packer thread: packs one segment after the other, behind everybody else who needs a core. */

import { platform, setPriority } from 'node:os';
import { dirname } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../core/assert.ts';
import { openReadOnly } from './database.ts';
import type { PackerThreadData } from './packer.ts';
import type { PieceRange } from './piece-table.ts';
import { SegmentFiles } from './segment-files.ts';
import { SegmentPacker } from './segment-packer.ts';
import { toStoreError } from './sqlite-error.ts';
import { type ThreadAnswer, type ThreadRequest, toFault } from './write-job.ts';

/** Half-way to the least there is: with both cores busy it still gets about a tenth of one. */
const NICENESS = 10;

const port = parentPort;
assert(port !== null, 'the packer thread was started as a program');

const { location, pieceBytes }: PackerThreadData = workerData;
const packer = new SegmentPacker(openReadOnly(location), {
  files: new SegmentFiles(dirname(location)),
  pieceBytes,
});
yieldToOthers();

port.on('message', ({ id, job }: ThreadRequest<PieceRange>) => {
  try {
    send({ kind: 'done', id, result: packer.pack(job) });
  } catch (error) {
    send({ kind: 'failed', id, fault: toFault(toStoreError(error, 'reading')) });
  }
});

send({ kind: 'ready' });

function send(answer: ThreadAnswer): void {
  port?.postMessage(answer);
}

/** Linux takes 0 for the calling thread, other systems for all of the process. */
function yieldToOthers(): void {
  if (platform() !== 'linux') return;
  try {
    setPriority(0, NICENESS);
  } catch {
    // Not allowed everywhere, and not needed anywhere.
  }
}
