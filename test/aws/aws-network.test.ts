/** The clients against real sockets: what is known of a request that got no answer, and that none hangs. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { failureOf } from '../../lib/aws/aws-error.ts';
import { type Aws, createAws } from '../../lib/aws/create-aws.ts';
import { createPrometheusMeter } from '../../lib/http/prometheus-meter.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';

interface Service extends AsyncDisposable {
  readonly url: string;
  readonly aws: Aws;
  readonly clock: ManualClock;
  /** How many requests arrived. */
  arrived(): number;
  /** Resolves when so many requests have arrived. */
  arrivals(count: number): Promise<void>;
  /** Resolves when the client has broken so many of them off. */
  brokenOff(count: number): Promise<void>;
  close(): Promise<void>;
}

const UPDATE = { key: { k: 'k', s: 's' }, update: 'SET #n = :n', values: { ':n': { N: '1' } } };

async function startService(answer: RequestListener): Promise<Service> {
  let arrived = 0;
  let broken = 0;
  const server = createServer((request, response) => {
    arrived++;
    server.emit('change');
    response.on('close', () => {
      if (!response.writableFinished) broken++;
      server.emit('change');
    });
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const url = `http://127.0.0.1:${port}`;
  const clock = createManualClock(0);
  const aws = createAws({
    region: 'us-east-1',
    endpoint: url,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    bucket: 'bucket',
    table: 'table',
    meter: createPrometheusMeter(),
    clock,
    random: { hex128: () => '0'.repeat(32) },
  });
  const close = async () => {
    aws.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    url,
    aws,
    clock,
    arrived: () => arrived,
    async arrivals(count) {
      while (arrived < count) await once(server, 'change');
    },
    async brokenOff(count) {
      while (broken < count) await once(server, 'change');
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function outcomeOf(answer: Promise<unknown>): Promise<unknown> {
  return await answer.catch(
    ({ message, kind, sideEffects }) => `${kind} ${sideEffects}: ${message}`,
  );
}

test('where nobody listens nothing was sent', async () => {
  const service = await startService(() => undefined);
  await service.close();

  expect(await outcomeOf(service.aws.table.update(UPDATE, 'once'))).toBe(
    'unavailable none: UpdateItem failed: ECONNREFUSED',
  );
});

test('a connection that ends without an answer leaves an update to be sent once unknown', async () => {
  await using service = await startService((request) => request.socket.destroy());

  expect(await outcomeOf(service.aws.table.update(UPDATE, 'once'))).toBe(
    'unavailable possible: UpdateItem failed: ECONNRESET',
  );
  expect(service.arrived()).toBe(1);
});

test('a request without an answer is broken off at its limit', async () => {
  await using service = await startService(() => undefined);
  const outcome = outcomeOf(service.aws.table.update(UPDATE, 'once'));
  await service.arrivals(1);
  await service.clock.advance(5_000);

  expect(await outcome).toBe('timeout possible: UpdateItem failed: AttemptTimeout');
  await service.brokenOff(1);
});

test('an object that stops in the middle is broken off, whichever of two GETs it was', async () => {
  await using service = await startService((_request, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('the beginning');
  });
  const outcome = outcomeOf(service.aws.objects.get('a'));
  await service.arrivals(1);
  await service.clock.advance(500);
  await service.arrivals(2);
  await service.clock.advance(14_500);
  await service.arrivals(3);
  await service.clock.advance(15_000);

  expect(await outcome).toBe('timeout none: GetObject failed: AttemptTimeout');
  await service.brokenOff(3);
});

test('the GET that comes second is broken off when the other has answered', async () => {
  await using service = await startService((_request, response) => {
    // The first is answered up to its last byte.
    response.writeHead(200, { 'content-length': '3' });
    response.write('ab');
    if (service.arrived() === 2) response.end('c');
  });
  const bytes = service.aws.objects.get('a');
  await service.arrivals(1);
  await service.clock.advance(500);

  expect(await bytes).toEqual(new Uint8Array(Buffer.from('abc')));
  await service.brokenOff(1);
});

test('a request that found no connection in time was never sent', async () => {
  await using service = await startService(() => undefined);
  const client = new S3Client({
    region: 'us-east-1',
    endpoint: service.url,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
    // The only connection is in use.
    requestHandler: { connectionTimeout: 20, httpAgent: { maxSockets: 1 } },
  });
  const first = client.send(new ListBucketsCommand()).catch(() => undefined);
  await service.arrivals(1);
  const error = await client.send(new ListBucketsCommand()).catch((reason) => reason);

  expect(failureOf(error)).toMatchObject({ effect: 'none', again: 'later', code: 'TimeoutError' });
  client.destroy();
  await first;
});

test('connections are kept for the next request', async () => {
  const ports = new Set<number | undefined>();
  await using service = await startService((request, response) => {
    ports.add(request.socket.remotePort);
    response.end('{}');
  });
  for (let n = 0; n < 5; n++) await service.aws.table.get({ k: 'k', s: String(n) });

  expect(service.arrived()).toBe(5);
  expect(ports.size).toBe(1);
});
