/** Somebody who uses the service as usual, on a thread of their own: publishes a message and reads it. */
import { parentPort, workerData } from 'node:worker_threads';
import { encodeRequest, RawConnection } from '../../support/raw-connection.ts';

const connection = await RawConnection.open(Number(workerData));
const publish = encodeRequest({
  method: 'POST',
  path: '/v1/streams/probe/messages?create=true',
  contentType: 'text/plain',
  body: Buffer.from('from somebody else'),
});
const read = encodeRequest({ method: 'GET', path: '/v1/streams/probe/messages?from=-1' });

parentPort?.on('message', (count: number) => void probe(count));

/** Answers with the 99th percentile of both requests together, in ms. */
async function probe(count: number): Promise<void> {
  const latencies: number[] = [];
  for (let index = 0; index < count; index++) {
    for (const request of [publish, read]) {
      const startMs = performance.now();
      await connection.send(request);
      latencies.push(performance.now() - startMs);
    }
  }
  latencies.sort((a, b) => a - b);
  parentPort?.postMessage(latencies[Math.floor((latencies.length - 1) * 0.99)]);
}
