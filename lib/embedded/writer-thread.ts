/** The entry of the writer thread: does the jobs it is sent in their order, and sweeps between them. */
import { dirname } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../core/assert.ts';
import { openDatabase } from './database.ts';
import { createRoomCheck } from './disk-room.ts';
import { LogWriter } from './log-writer.ts';
import { packOutcomes, unpackCommit } from './packed-commit.ts';
import { Sweeper } from './sweeper.ts';
import { toFault, type WriteAnswer, type WriteJob, type WriteRequest } from './write-job.ts';

const port = parentPort;
assert(port !== null, 'the writer thread was started as a program');

const location = String(workerData);
const database = openDatabase(location);
const writer = new LogWriter(database, createRoomCheck(database, dirname(location)));
const sweeper = new Sweeper(writer, (error) => {
  send({ kind: 'sweep-failed', fault: toFault(error) });
});
sweeper.wake();

port.on('message', ({ id, job }: WriteRequest) => {
  try {
    send({ kind: 'done', id, result: perform(job) });
  } catch (error) {
    send({ kind: 'failed', id, fault: toFault(error) });
  }
  // With nothing left to listen to, the thread ends.
  if (job.kind === 'close') port.close();
});

send({ kind: 'ready' });

function send(answer: WriteAnswer): void {
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
      sweeper.wake();
      return writer.trim(job.streamId, job.before);
    case 'remove':
      sweeper.wake();
      return writer.remove(job.stream, job.streamId);
    case 'close':
      sweeper.stop();
      database.close();
      return undefined;
  }
}
