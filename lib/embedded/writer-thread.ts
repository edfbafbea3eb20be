/** The entry of the writer thread: does the jobs it is sent in their order, and sweeps between them. */
import { dirname } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../core/assert.ts';
import { openDatabase } from './database.ts';
import { createRoomCheck } from './disk-room.ts';
import { packOutcomes, unpackCommit } from './packed-commit.ts';
import { SegmentFiles } from './segment-files.ts';
import { createSweptWriter } from './store-writer.ts';
import type { WriterThreadData } from './thread-writer.ts';
import { type ThreadAnswer, type ThreadRequest, toFault, type WriteJob } from './write-job.ts';

const port = parentPort;
assert(port !== null, 'the writer thread was started as a program');

const { location, packBytesMin }: WriterThreadData = workerData;
const folder = dirname(location);
const database = openDatabase(location);
const { writer, sweeper } = createSweptWriter(
  database,
  {
    checkRoom: createRoomCheck(database, folder),
    files: new SegmentFiles(folder),
    packBytesMin,
  },
  (error) => send({ kind: 'sweep-failed', fault: toFault(error) }),
);

port.on('message', ({ id, job }: ThreadRequest<WriteJob>) => {
  try {
    send({ kind: 'done', id, result: perform(job) });
  } catch (error) {
    send({ kind: 'failed', id, fault: toFault(error) });
  }
  // With nothing left to listen to, the thread ends.
  if (job.kind === 'close') port.close();
});

send({ kind: 'ready' });

function send(answer: ThreadAnswer): void {
  port?.postMessage(answer);
}

function perform(job: WriteJob): unknown {
  switch (job.kind) {
    case 'commit':
      return packOutcomes(writer.commit(unpackCommit(job)));
    case 'create':
      return writer.create(job.entry);
    case 'settings':
      return writer.saveSettings(job.streamId, job.change);
    case 'token':
      return writer.setFencingToken(job.streamId, job.token);
    case 'trim':
      return writer.trim(job.streamId, job.before);
    case 'retain':
      return writer.retain(job.streamId, job.nowMs);
    case 'offsets':
      return writer.saveOffsets(job.saves);
    case 'forget':
      return writer.removeOffset(job.streamId, job.name);
    case 'exchange':
      return writer.changeExchange(job.change);
    case 'release': {
      const outcomes = writer.release(job.ids, unpackCommit(job.commit));
      return outcomes && packOutcomes(outcomes);
    }
    case 'cancel':
      return writer.cancelHeld(job.id);
    case 'remember':
      return writer.remember(job.request);
    case 'packed':
      return writer.savePacked(job.segment);
    case 'remove':
      return writer.remove(job.stream, job.streamId);
    case 'close':
      sweeper.stop();
      database.close();
      return undefined;
  }
}
