/**
 * Clients by the thousand that are idle, slow, deaf or gone. Each time somebody else goes on publishing
 * and reading, and is served nearly as fast as before; afterwards the server's memory is what it was.
 */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { Crowd } from './crowd.ts';

const MIB = 1024 * 1024;
const PROBES = 400;
/** Of a server that is otherwise idle. Below this a disk or another process is what is measured. */
const P99_MS_MIN = 20;
const SLOWER_MAX = 5;
const LEFT_MIB_MAX = 64;
const LEFT_AFTER_MS = 30_000;
const LOOK_MS = 250;

let folder: TemporaryFolder;
let server: ServerProcess;
let probe: Worker;
let usualMs: number;
let usualMib: number;

beforeAll(async () => {
  folder = temporaryFolder();
  server = await startServerProcess({ data: folder.path });
  probe = new Worker(new URL('probe-thread.ts', import.meta.url), { workerData: server.port });
  await publish('pages', 'x'.repeat(MIB - 1), 8);
  await fetch(`${server.url}/v1/streams/pages/messages?max_bytes=4194304`).then(drain);
  await probeMs();
  usualMs = Math.max(await probeMs(), P99_MS_MIN);
  usualMib = await residentMib();
});

afterAll(async () => {
  await probe.terminate();
  await server.end('SIGTERM');
  folder[Symbol.dispose]();
});

async function publish(stream: string, body: string, count = 1): Promise<void> {
  for (let index = 0; index < count; index++) {
    const url = `${server.url}/v1/streams/${stream}/messages?create=true`;
    const answer = await fetch(url, { method: 'POST', body });
    expect(answer.status).toBe(200);
    await drain(answer);
  }
}

async function drain(answer: Response): Promise<void> {
  await answer.arrayBuffer();
}

async function probeMs(): Promise<number> {
  probe.postMessage(PROBES);
  const [p99]: number[] = await once(probe, 'message');
  return p99 ?? Number.POSITIVE_INFINITY;
}

async function residentMib(): Promise<number> {
  const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+([0-9]+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** To be called while the crowd is there. */
async function othersAreServed(): Promise<void> {
  expect(await probeMs()).toBeLessThanOrEqual(usualMs * SLOWER_MAX);
}

/** To be called when the crowd is gone. */
async function memoryIsBack(): Promise<void> {
  const endMs = performance.now() + LEFT_AFTER_MS;
  while ((await residentMib()) > usualMib + LEFT_MIB_MAX && performance.now() < endMs) {
    await pause(LOOK_MS);
  }
  expect(await residentMib()).toBeLessThanOrEqual(usualMib + LEFT_MIB_MAX);
}

async function messagesOf(stream: string): Promise<number> {
  const answer = await fetch(`${server.url}/v1/streams/${stream}`);
  return answer.status === 404 ? 0 : JSON.parse(await answer.text()).next;
}

const head = (line: string, headers = '') => `${line} HTTP/1.1\r\nhost: 127.0.0.1\r\n${headers}`;
const get = (path: string) => `${head(`GET /v1/streams/${path}`)}\r\n`;
const post = (stream: string, bytes: number) =>
  head(`POST /v1/streams/${stream}/messages?create=true`, `content-length: ${bytes}\r\n\r\n`);

test('2 000 idle connections', async () => {
  {
    using _crowd = await Crowd.open(server.port, 2_000);
    await othersAreServed();
  }
  await memoryIsBack();
});

test('500 requests whose heads come a byte at a time', async () => {
  {
    using crowd = await Crowd.open(server.port, 500);
    const text = get('pages/messages');
    const served = othersAreServed();
    for (const byte of text.slice(0, 20)) {
      crowd.write(byte);
      await pause(LOOK_MS / 10);
    }
    await served;
  }
  await memoryIsBack();
});

test('P1: 500 bodies that never come to their end store nothing', async () => {
  {
    using crowd = await Crowd.open(server.port, 500);
    crowd.write(post('half', 4 * MIB));
    for (let part = 0; part < 4; part++) crowd.write('x'.repeat(16 * 1024));
    await othersAreServed();
    // Small ones of a shorter length, too.
    using other = await Crowd.open(server.port, 500);
    other.write(`${post('half', 1_000)}${'x'.repeat(999)}`);
    await othersAreServed();
  }
  await memoryIsBack();
  expect(await messagesOf('half')).toBe(0);
});

test('LR4: 400 readers that ask for 4 MiB pages and take nothing', async () => {
  {
    using crowd = await Crowd.open(server.port, 400);
    for (const format of ['json', 'binary', 'text']) {
      crowd.write(get(`pages/messages?max_bytes=4194304&limit=10000&as=${format}`));
    }
    await othersAreServed();
  }
  await memoryIsBack();
});

test('LR3: 1 000 followers that take nothing', async () => {
  {
    using crowd = await Crowd.open(server.port, 1_000);
    crowd.write(get('pages/messages?as=sse'));
    await othersAreServed();
    await publish('pages', 'y'.repeat(100_000));
    await othersAreServed();
  }
  await memoryIsBack();
});

test('LR2: 10 000 readers that wait, and are all woken by one message', async () => {
  await publish('awaited', 'before');
  {
    using crowd = await Crowd.open(server.port, 10_000);
    const answered = Promise.all(
      crowd.sockets.map(async (socket) => String((await once(socket, 'data'))[0]).slice(9, 12)),
    );
    crowd.write(get('awaited/messages?from=1&wait=20'));
    await othersAreServed();
    const served = othersAreServed();
    await publish('awaited', 'now');
    expect(new Set(await answered)).toEqual(new Set(['200']));
    await served;
  }
  await memoryIsBack();
});

test('LR5: 2 000 requests that are given up at any byte store nothing or all of it', async () => {
  const request = `${post('aborted', 5_000)}${'z'.repeat(5_000)}`;
  const served = othersAreServed();
  for (let round = 0; round < 20; round++) {
    using crowd = await Crowd.open(server.port, 100);
    crowd.sockets.forEach((socket, index) => {
      const part = (round * 100 + index) / 2_000;
      socket.end(request.slice(0, Math.ceil(part * request.length)));
    });
    await pause(1);
  }
  await served;
  await memoryIsBack();
  const text = await (
    await fetch(`${server.url}/v1/streams/aborted/messages?as=text&create=true`)
  ).text();
  const bodies = text.includes('urn:varve') ? [] : text.split('\n').slice(0, -1);
  expect(new Set(bodies)).toEqual(new Set(bodies.length === 0 ? [] : ['z'.repeat(5_000)]));
});

test('answers that are never read, one request after the other on each connection', async () => {
  {
    using crowd = await Crowd.open(server.port, 200);
    for (let round = 0; round < 50; round++) crowd.write(get('pages/messages?limit=1'));
    await othersAreServed();
  }
  await memoryIsBack();
});
