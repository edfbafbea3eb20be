/** The server holds at most 512 MiB, whatever single load it is under (VmHWM, the peak of its life). */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const PEAK_MIB_MAX = 512;
const REQUEST_BYTES = 4 * 1024 * 1024;

test.each<[load: string, run: (server: ServerProcess) => Promise<void>]>([
  ['10 000 streams', manyStreams],
  ['LR2: 1000 waiting readers', waitingReaders],
  ['64 publishes of 4 MiB at once', largePublishes],
  ['LR5: 100 slow clients on event streams', slowFollowers],
])('%s', async (_load, run) => {
  using folder = temporaryFolder();
  const server = await startServerProcess({ data: folder.path });
  try {
    await run(server);

    expect(await peakMib(server.pid)).toBeLessThanOrEqual(PEAK_MIB_MAX);
    expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);
  } finally {
    await server.end();
  }
});

async function peakMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+([0-9]+)/.exec(status)?.[1]) / 1024;
}

async function manyStreams({ url }: ServerProcess): Promise<void> {
  const AT_ONCE = 50;
  for (let first = 0; first < 10_000; first += AT_ONCE) {
    const statuses = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) =>
        publish(`${url}/v1/streams/s-${first + index}/messages?create=true`, 'x'.repeat(256)),
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
  }
}

async function waitingReaders({ url }: ServerProcess): Promise<void> {
  await publish(`${url}/v1/streams/s/messages?create=true`, 'first');
  const reads = Array.from({ length: 1_000 }, async () => {
    const response = await fetch(`${url}/v1/streams/s/messages?from=1&wait=20`);
    const page: { messages: unknown[] } = JSON.parse(await response.text());
    return page.messages.length;
  });
  await publishUntilAllRead(url, reads);
  expect(new Set(await Promise.all(reads))).toEqual(new Set([1]));
}

/** A reader that came late finds the message there; so one publish is enough for all. */
async function publishUntilAllRead(url: string, reads: Promise<number>[]): Promise<void> {
  await Promise.race([...reads, new Promise((resolve) => setTimeout(resolve, 2_000))]);
  await publish(`${url}/v1/streams/s/messages`, 'second');
}

async function largePublishes({ url }: ServerProcess): Promise<void> {
  const line = `${JSON.stringify({ payload: 'y'.repeat(1_000) })}\n`;
  const lines = line.repeat(Math.floor(REQUEST_BYTES / line.length));
  const statuses = await Promise.all(
    Array.from({ length: 64 }, () =>
      publish(`${url}/v1/streams/s/messages?create=true`, lines, 'application/x-ndjson'),
    ),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
}

async function slowFollowers({ url, port }: ServerProcess): Promise<void> {
  const lines = `${JSON.stringify('z'.repeat(1_000))}\n`.repeat(4_000);
  for (let request = 0; request < 25; request++) {
    await publish(`${url}/v1/streams/s/messages?create=true`, lines, 'application/x-ndjson');
  }
  const sockets = await Promise.all(Array.from({ length: 100 }, () => slowFollower(port)));
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  for (const socket of sockets) socket.destroy();
}

/** Reads the first piece of its answer, and then nothing. */
async function slowFollower(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write('GET /v1/streams/s/messages?as=sse HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
  const [first]: Buffer[] = await once(socket, 'data');
  expect(first?.toString('latin1', 0, 12)).toBe('HTTP/1.1 200');
  socket.pause();
  return socket;
}

async function publish(url: string, body: string, contentType = 'text/plain'): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': contentType },
    body,
  });
  await response.arrayBuffer();
  return response.status;
}
