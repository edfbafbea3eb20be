/** Runs in the place of the writer thread, takes jobs and dies of one. */
import { parentPort, workerData } from 'node:worker_threads';

const patience = workerData.location === 'at once' ? 0 : 2;
if (patience === 0) throw new Error('the thread had enough');

let jobs = 0;
parentPort?.on('message', () => {
  jobs++;
  if (jobs === patience) throw new Error('the thread had enough');
});
parentPort?.postMessage({ kind: 'ready' });
