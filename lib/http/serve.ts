/**
 * The application behind a socket: limits of the connection, answers to what is no HTTP request, and
 * an end that lets every request under way finish.
 */
import { createServer, type Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { watchTurns } from './answer-turns.ts';
import { createApp } from './app.ts';
import { type BrokenOptions, brokenAnswer, brokenParts } from './broken-answer.ts';
import { piecesOf, writePieces } from './pieces-answer.ts';
import { liveBodyOf, writeLive } from './render/live-body.ts';
import { inOrder } from './request-order.ts';
import { isClearUrl } from './request-url.ts';
import { type HttpOptions, URL_BYTES_MAX } from './route.ts';
import { createShortPublish } from './short-publish.ts';
import { createAllTurns } from './turns.ts';
import { createUnsentAnswers } from './unsent-answers.ts';

/** Above the longest URL, so that one over its limit is told so instead of being cut off. */
const HEADERS_BYTES_MAX = URL_BYTES_MAX + 128 * 1024;
/** A request that takes longer to arrive holds memory for nobody's use. */
const REQUEST_MS_MAX = 60_000;
/** Longer than common proxies keep an idle connection, so that they close first. */
const KEEP_ALIVE_MS = 75_000;
/**
 * A connection on which nothing moves either way for so long is cut: its client does not take its answer.
 * The longest wait of a read is 20 s, and event streams ping more often.
 */
const SILENCE_MS_MAX = 60_000;
/** Requests under way at the end get this long; then their connections are cut. */
const CLOSE_MS_MAX = 5_000;
const IDLE_CHECK_MS = 20;

export interface RunningServer {
  readonly address: AddressInfo;
  close(): Promise<void>;
}

export interface ServeOptions extends Omit<HttpOptions, 'closing' | 'unsent' | 'turns'> {
  readonly host: string;
  readonly port: number;
}

export async function startServing(options: ServeOptions): Promise<RunningServer> {
  const closing = new AbortController();
  const http = {
    ...options,
    closing: closing.signal,
    unsent: createUnsentAnswers(),
    turns: createAllTurns(),
  };
  const server = createNodeServer(http);
  const turns = watchTurns(server);
  server.on('clientError', (error, socket: Socket) =>
    turns.inTurn(socket, () => answerBroken(error, socket, options)),
  );
  server.on('connection', (socket: Socket) => countConnection(socket, options));
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

function countConnection(socket: Socket, { metrics: { connections } }: BrokenOptions): void {
  connections.add(1);
  socket.once('close', () => connections.add(-1));
}

function createNodeServer(options: HttpOptions): Server {
  const app = createApp(options);
  const publishShortly = createShortPublish(options);
  const listener = getRequestListener(
    async (request, { incoming, outgoing }) => {
      const { url: target, headers } = incoming;
      if (!isClearUrl(request.url, { target, headers })) throw new RequestError('no clear URL');
      const answer = await app.fetch(request, incoming.url);
      if (!(outgoing instanceof ServerResponse)) return answer;
      const [pieces, live] = [piecesOf(answer), liveBodyOf(answer)];
      if (pieces !== undefined) writePieces(outgoing, pieces);
      else if (live !== undefined) void writeLive(outgoing, live);
      else return answer;
      return RESPONSE_ALREADY_SENT;
    },
    // Whatever has a URL that can be parsed is answered by the application, its failures too.
    {
      errorHandler: (error) =>
        error instanceof RequestError
          ? brokenAnswer('400 Bad Request', options)
          : new Response(null, { status: 500 }),
    },
  );
  const limits = {
    maxHeaderSize: HEADERS_BYTES_MAX,
    requestTimeout: REQUEST_MS_MAX,
    keepAliveTimeout: KEEP_ALIVE_MS,
    noDelay: true,
  };
  const handle = inOrder((incoming, outgoing) => {
    if (publishShortly(incoming, outgoing)) return;
    options.unsent.watch(outgoing);
    void listener(incoming, outgoing);
  });
  const server = createServer(limits, handle);
  server.setTimeout(SILENCE_MS_MAX);
  return server;
}

/** What the parser refuses never becomes a request; the answer is written by hand. */
function answerBroken(
  error: Error & { readonly code?: string },
  socket: Socket,
  options: BrokenOptions,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = STATUS_OF_PARSER[error.code ?? ''] ?? '400 Bad Request';
  const { headers, text } = brokenParts(status, options);
  const all = { ...headers, 'content-length': text.length, connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${text}`);
}

const STATUS_OF_PARSER: { readonly [code: string]: string } = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};
