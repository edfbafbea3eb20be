/**
 * The application behind a socket: limits of the connection, answers to what is no HTTP request, and
 * an end that lets every request under way finish.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import { LogError } from '../services/log-error.ts';
import { baseHeaders } from './answer.ts';
import { createApp } from './app.ts';
import { describeProblem } from './problem.ts';
import { type HttpOptions, URL_BYTES_MAX } from './route.ts';
import { createShortPublish } from './short-publish.ts';

/** Above the longest URL, so that one over its limit is told so instead of being cut off. */
const HEADERS_BYTES_MAX = URL_BYTES_MAX + 128 * 1024;
/** A request that takes longer to arrive holds memory for nobody's use. */
const REQUEST_MS_MAX = 60_000;
/** Longer than common proxies keep an idle connection, so that they close first. */
const KEEP_ALIVE_MS = 75_000;
/** Requests under way at the end get this long; then their connections are cut. */
const CLOSE_MS_MAX = 5_000;
const IDLE_CHECK_MS = 20;

export interface RunningServer {
  readonly address: AddressInfo;
  close(): Promise<void>;
}

export interface ServeOptions extends Omit<HttpOptions, 'closing'> {
  readonly host: string;
  readonly port: number;
}

export async function startServing(options: ServeOptions): Promise<RunningServer> {
  const closing = new AbortController();
  const drawId = () => options.components.random.hex128();
  const http = { ...options, closing: closing.signal };
  const server = createNodeServer(http, drawId);
  server.on('clientError', (error, socket: Socket) =>
    answerBroken(error, { socket, id: drawId() }),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    address: server.address() as AddressInfo,
    async close() {
      closing.abort();
      // A connection whose last answer ends now is idle from then on, and nobody else closes it.
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
      const cut = setTimeout(() => server.closeAllConnections(), CLOSE_MS_MAX);
      await new Promise((resolve) => server.close(resolve));
      clearInterval(idle);
      clearTimeout(cut);
    },
  };
}

function createNodeServer(options: HttpOptions, drawId: () => string): Server {
  const app = createApp(options);
  const publishShortly = createShortPublish(options);
  const listener = getRequestListener(
    (request, { incoming }) => app.fetch(request, incoming.url),
    // Whatever has a URL that can be parsed is answered by the application, its failures too.
    {
      errorHandler: (error) =>
        error instanceof RequestError
          ? brokenAnswer('400 Bad Request', drawId())
          : new Response(null, { status: 500 }),
    },
  );
  const limits = {
    maxHeaderSize: HEADERS_BYTES_MAX,
    requestTimeout: REQUEST_MS_MAX,
    keepAliveTimeout: KEEP_ALIVE_MS,
    noDelay: true,
  };
  return createServer(limits, (incoming, outgoing) => {
    if (!publishShortly(incoming, outgoing)) void listener(incoming, outgoing);
  });
}

/** What the parser refuses never becomes a request; the answer is written by hand. */
function answerBroken(
  error: Error & { readonly code?: string },
  { socket, id }: { readonly socket: Socket; readonly id: string },
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = STATUS_OF_PARSER[error.code ?? ''] ?? '400 Bad Request';
  const body = JSON.stringify(brokenMembers(status, id));
  const headers = { ...brokenHeaders(id), 'content-length': body.length, connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`);
}

const STATUS_OF_PARSER: { readonly [code: string]: string } = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

function brokenAnswer(status: string, id: string): Response {
  return new Response(JSON.stringify(brokenMembers(status, id)), {
    status: Number(status.slice(0, 3)),
    headers: brokenHeaders(id),
  });
}

function brokenHeaders(id: string) {
  return { ...baseHeaders(id), 'content-type': 'application/problem+json' };
}

/** It is not known which path was meant, so the instance is the server as a whole. */
function brokenMembers(status: string, id: string) {
  const code = status.startsWith('431') ? 'headers_too_large' : 'invalid_request';
  const detail = `the request could not be read as HTTP: ${status.slice(4)}`;
  const fault = new LogError(detail, { code });
  const { members } = describeProblem(fault, { id, instance: '*', changes: false });
  return { ...members, status: Number(status.slice(0, 3)) };
}
