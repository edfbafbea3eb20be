/**
 * Stands in for Lambda and the two fronts before it, on 127.0.0.1: calls a built handler as the runtime for
 * Node does. It keeps to what was read of that runtime and reported of the fronts, and has met neither.
 *
 * `node test/support/lambda-runtime.ts dist/api.js url|http-api [port]` serves a built function.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { RuntimeContext, StreamHandler } from '../../functions/runtime.ts';
import type { BufferedAnswer } from '../../lib/http/lambda/buffered-answer.ts';
import type { HttpEvent } from '../../lib/http/lambda/http-event.ts';
import { createEvent, decodedPath } from './lambda-event.ts';
import { createRuntimeStream, HttpResponseStream } from './lambda-stream.ts';

export type BufferedHandler = (
  event: HttpEvent,
  context: RuntimeContext,
) => Promise<BufferedAnswer>;

export interface FrontOptions {
  readonly port?: number;
  /** After which the runtime ends the invocation. */
  readonly timeoutMs?: number;
  /** Whether the runtime hears that a client has gone; that of AWS does not. */
  readonly tellsDisconnect?: boolean;
  /** Who signed the requests, where somebody did. */
  readonly iam?: object;
}

export interface RunningFront {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Of an event or a result, as JSON. */
const PAYLOAD_BYTES_MAX = 6_291_556;
const TIMEOUT_MS_DEFAULT = 60_000;
const STREAMING = Symbol.for('aws.lambda.runtime.handler.streaming');

/** To be called before a function is loaded: it asks for the global when it is. */
export function installRuntime(): void {
  globalThis.awslambda = {
    streamifyResponse: (handler) => Object.assign(handler, { [STREAMING]: 'response' }),
    HttpResponseStream,
  };
}

/** A Function URL that streams. */
export function startFunctionUrl(
  handler: StreamHandler,
  options: FrontOptions = {},
): Promise<RunningFront> {
  if (!Object.hasOwn(handler, STREAMING)) throw new Error('the handler does not stream');
  return startFront(options, async (incoming, outgoing) => {
    const { event, size } = await readEvent(incoming, options, (path) => path);
    if (size > PAYLOAD_BYTES_MAX) return refuse(outgoing, 413, 'Request Entity Too Large');
    const stream = createRuntimeStream(outgoing);
    if (options.tellsDisconnect ?? true) outgoing.once('close', () => stream.destroy());
    await handler(event, stream, createContext(options));
    if (!stream.writableEnded && !stream.destroyed) throw new Error('the stream is not finished');
  });
}

/** An HTTP API with payload 2.0, which hands everything over as a whole. */
export function startHttpApi(
  handler: BufferedHandler,
  options: FrontOptions = {},
): Promise<RunningFront> {
  return startFront(options, async (incoming, outgoing) => {
    const { event, size } = await readEvent(incoming, options, decodedPath);
    if (size > PAYLOAD_BYTES_MAX) return refuse(outgoing, 413, 'Request Entity Too Large');
    const result = JSON.stringify(await handler(event, createContext(options)));
    if (Buffer.byteLength(result) > PAYLOAD_BYTES_MAX) throw new Error('the result is too large');
    const { statusCode, headers, body, isBase64Encoded }: BufferedAnswer = JSON.parse(result);
    outgoing.writeHead(statusCode, headers);
    outgoing.end(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'));
  });
}

async function readEvent(
  incoming: IncomingMessage,
  { iam }: FrontOptions,
  rawPath: (path: string) => string,
) {
  const event = createEvent(incoming, { body: await buffer(incoming), rawPath, iam });
  const json = JSON.stringify(event);
  return { event: JSON.parse(json) as HttpEvent, size: Buffer.byteLength(json) };
}

let invocations = 0;

function createContext({ timeoutMs = TIMEOUT_MS_DEFAULT }: FrontOptions): RuntimeContext {
  const endMs = performance.now() + timeoutMs;
  return {
    awsRequestId: `00000000-0000-4000-8000-${String(++invocations).padStart(12, '0')}`,
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => endMs - performance.now(),
  };
}

type Serve = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

async function startFront(options: FrontOptions, serve: Serve): Promise<RunningFront> {
  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch((error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
      if (outgoing.headersSent) outgoing.destroy();
      else refuse(outgoing, 502, 'Internal Server Error');
    });
  });
  await new Promise<void>((done) => server.listen(options.port ?? 0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async close() {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    },
  };
}

function refuse(outgoing: ServerResponse, status: number, message: string): void {
  outgoing.writeHead(status, { 'content-type': 'application/json' });
  outgoing.end(JSON.stringify({ message }));
}

if (import.meta.main) {
  const [file = 'dist/api.js', front = 'url', port = '0'] = process.argv.slice(2);
  installRuntime();
  const api: { handler: StreamHandler; buffered: BufferedHandler } = createRequire(import.meta.url)(
    resolve(file),
  );
  const options = { port: Number(port), iam: {} };
  const { url } = await (front === 'url'
    ? startFunctionUrl(api.handler, options)
    : startHttpApi(api.buffered, options));
  process.stdout.write(`listens on ${url}\n`);
}
