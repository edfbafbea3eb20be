/** HTTP as bytes on a socket: for requests that no client library would send. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawResponse {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

export async function openSocket(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  await once(socket, 'connect');
  return socket;
}

/** Sends the text, and reads until the server closes. Ask for that by `connection: close`. */
export async function exchange(port: number, text: string | Uint8Array): Promise<RawResponse> {
  return parseResponse(await exchangeBytes(port, text));
}

/** The same, with all that came. */
export async function exchangeBytes(port: number, text: string | Uint8Array): Promise<Buffer> {
  const socket = await openSocket(port);
  const received: Buffer[] = [];
  socket.on('data', (data) => received.push(data));
  socket.write(text);
  await once(socket, 'close');
  return Buffer.concat(received);
}

function parseResponse(bytes: Buffer): RawResponse {
  const end = bytes.indexOf('\r\n\r\n');
  const head = bytes.toString('latin1', 0, end);
  return { status: Number(head.slice(9, 12)), head, body: bytes.toString('utf8', end + 4) };
}

/** A request that asks the server to close behind its answer. */
export function requestText(line: string, headers: readonly string[] = [], body = ''): string {
  const all = ['host: 127.0.0.1', 'connection: close', ...headers];
  return `${line} HTTP/1.1\r\n${all.map((header) => `${header}\r\n`).join('')}\r\n${body}`;
}
