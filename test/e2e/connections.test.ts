/** What only a real socket can do to a server: bodies without a length, cut off, or too long. */
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exchange, openSocket, requestText } from '../support/raw-exchange.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';

const MIB = 1024 * 1024;

let folder: TemporaryFolder;
let server: ServerProcess;

beforeAll(async () => {
  folder = temporaryFolder();
  server = await startServerProcess({ data: folder.path });
});

afterAll(async () => {
  await server.end('SIGTERM');
  folder[Symbol.dispose]();
});

async function declare(stream: string): Promise<void> {
  expect((await fetch(`${server.url}/v1/streams/${stream}`, { method: 'PUT' })).status).toBe(201);
}

async function next(stream: string): Promise<number> {
  const answer = await fetch(`${server.url}/v1/streams/${stream}`);
  return JSON.parse(await answer.text()).next;
}

function publish(stream: string, headers: readonly string[], body = ''): string {
  return requestText(`POST /v1/streams/${stream}/messages`, headers, body);
}

const chunked = (size: number) => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`;

test('P1: a body without a length is taken like any other', async () => {
  await declare('chunked');
  const body = `${chunked(1_000)}${chunked(2_000)}0\r\n\r\n`;
  const answer = await exchange(
    server.port,
    publish('chunked', ['transfer-encoding: chunked'], body),
  );

  expect(answer.status).toBe(200);
  const read = await fetch(`${server.url}/v1/streams/chunked/messages?as=text`);
  expect(await read.text()).toBe(`${'x'.repeat(3_000)}\n`);
});

test('P6: a body over the limit is told so, whether it gave its length or not', async () => {
  await declare('long');
  for (let attempt = 0; attempt < 10; attempt++) {
    const body = chunked(MIB).repeat(5);
    const unsized = publish('long', ['transfer-encoding: chunked'], `${body}0\r\n\r\n`);
    expect((await exchange(server.port, unsized)).status).toBe(413);

    const sized = publish('long', [`content-length: ${5 * MIB}`], 'x'.repeat(5 * MIB));
    const answer = await exchange(server.port, sized);
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'request_too_large', limit: 4 * MIB });
  }
  expect(await next('long')).toBe(0);
});

test('P1: a client that breaks off in the middle of its body leaves nothing', async () => {
  await declare('cut');
  for (const framing of ['content-length: 1000', 'transfer-encoding: chunked']) {
    const socket = await openSocket(server.port);
    socket.write(
      publish('cut', [framing], framing.startsWith('c') ? 'x'.repeat(500) : chunked(500)),
    );
    await fetch(`${server.url}/health/live`);
    socket.destroy();
    await once(socket, 'close');
  }
  await fetch(`${server.url}/v1/streams/cut/messages`, { method: 'POST', body: 'whole' });

  expect(await next('cut')).toBe(1);
});

test('HEAD is GET without the body, also where GET goes on', async () => {
  await declare('head');
  for (const path of [
    '/v1/streams/head',
    '/v1/streams/head/messages',
    '/v1/streams/head/messages?as=sse',
  ]) {
    const answer = await exchange(server.port, requestText(`HEAD ${path}`));
    expect({ path, status: answer.status, body: answer.body }).toEqual({
      path,
      status: 200,
      body: '',
    });
  }
});

test('LR5: a thousand readers that go away leave the server as it was', async () => {
  await declare('left');
  const sockets = await Promise.all(Array.from({ length: 1_000 }, () => openSocket(server.port)));
  for (const [index, socket] of sockets.entries()) {
    const query = index % 2 === 0 ? 'wait=20' : 'as=sse';
    socket.write(requestText(`GET /v1/streams/left/messages?${query}`));
  }
  await fetch(`${server.url}/health/live`);
  for (const socket of sockets) socket.destroy();
  await fetch(`${server.url}/v1/streams/left/messages`, { method: 'POST', body: 'after' });

  const read = await fetch(`${server.url}/v1/streams/left/messages?as=text`);
  expect(await read.text()).toBe('after\n');
  expect(server.errors()).toBe('');
});
