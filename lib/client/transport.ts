/**
 * One request and its answer over `fetch`: addresses, headers, the time an answer may take. Never
 * repeats anything. Throws {@link ClientError} for whatever is no success, and the signal's reason
 * when the caller went away.
 */
import type { SideEffects } from '../wire/error-codes.ts';
import { ClientError } from './client-error.ts';
import { type LinkedAbort, linkAbort } from './linked-abort.ts';
import { answerError } from './problem.ts';
import { type Timer, within } from './timer.ts';

export type ClientHeaders = { readonly [name: string]: string };

export interface TransportOptions {
  /** Without a slash at its end. */
  readonly url: string;
  readonly fetch: typeof fetch;
  /** Asked before every request. */
  readonly headers: () => ClientHeaders | Promise<ClientHeaders>;
  readonly timeoutMs: number;
  readonly timer: Timer;
}

export interface ClientRequest {
  readonly method: 'GET' | 'PUT' | 'POST';
  /** From `/v1` on, encoded. */
  readonly path: string;
  /** Undefined values are left out. */
  readonly query?: { readonly [name: string]: string | number | boolean | undefined };
  readonly headers?: ClientHeaders;
  readonly body?: Uint8Array<ArrayBuffer>;
  /** Of a POST: one that reads. */
  readonly changesNothing?: boolean;
  readonly signal: AbortSignal;
  /** How long the server was asked to wait, on top of the time that any answer may take. */
  readonly waitMs?: number;
}

export interface WholeAnswer {
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

/** An answer that goes on, until it is closed. */
export interface OpenAnswer {
  readonly response: Response;
  close(): void;
}

export interface Transport {
  exchange(request: ClientRequest): Promise<WholeAnswer>;
  /** Only the beginning of the answer is waited for. */
  open(request: ClientRequest): Promise<OpenAnswer>;
}

export function createTransport(options: TransportOptions): Transport {
  return {
    async exchange(request) {
      return await withinTime(options, request, async (life) => {
        const response = await send(options, request, life);
        const bytes = new Uint8Array(await response.arrayBuffer());
        life.end();
        return { headers: response.headers, bytes };
      });
    },
    async open(request) {
      return await withinTime(options, request, async (life) => {
        const response = await send(options, request, life);
        return { response, close: () => life.end() };
      });
    },
  };
}

/** The connection is given up when the work fails or is not done in time. */
async function withinTime<Result>(
  { timeoutMs, timer }: TransportOptions,
  request: ClientRequest,
  work: (life: LinkedAbort) => Promise<Result>,
): Promise<Result> {
  const { signal, waitMs = 0 } = request;
  const life = linkAbort(signal);
  const ms = timeoutMs + waitMs;
  const fault = `no answer within ${ms} ms`;
  try {
    return await within({ timer, ms, signal, fault }, work(life));
  } catch (error) {
    life.end();
    signal.throwIfAborted();
    throw error instanceof ClientError ? error : connectionError(error, request);
  }
}

async function send(
  options: TransportOptions,
  request: ClientRequest,
  { signal }: LinkedAbort,
): Promise<Response> {
  signal.throwIfAborted();
  const { method, headers, body } = request;
  const response = await options.fetch(address(options.url, request), {
    method,
    headers: { ...(await options.headers()), ...headers },
    ...(body && { body }),
    signal,
  });
  if (response.ok) return response;
  const { status, headers: told } = response;
  const text = await response.text();
  throw answerError({ status, headers: told, text, changes: mayChange(request) });
}

function address(url: string, { path, query = {} }: ClientRequest): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.append(name, String(value));
  }
  const text = parameters.toString();
  return `${url}${path}${text && `?${text}`}`;
}

/** A stream's path; names that a URL would resolve away are refused here (SPEC P9). */
export function streamPath(stream: string, ...rest: readonly string[]): string {
  return ['/v1/streams', ...[stream, ...rest].map(pathStep)].join('/');
}

function pathStep(name: string): string {
  if (name !== '' && name !== '.' && name !== '..' && name.isWellFormed()) {
    return encodeURIComponent(name);
  }
  throw new ClientError(`${JSON.stringify(name)} is no name`, { code: 'invalid_name' });
}

/** A read changes nothing, but for one that commits. */
function mayChange({ method, changesNothing, query }: ClientRequest): boolean {
  return method === 'GET' ? query?.['commit'] !== undefined : changesNothing !== true;
}

function connectionError(cause: unknown, request: ClientRequest): ClientError {
  const isHarmless = !mayChange(request) || wasNotSent(cause);
  const sideEffects: SideEffects = isHarmless ? 'none' : 'possible';
  const reason = sideEffects === 'none' ? '' : ', and the request may have taken effect';
  return new ClientError(`no answer: ${describe(cause)}${reason}`, {
    code: 'connection_failed',
    retryable: true,
    sideEffects,
    cause,
  });
}

/** Only these come before the first byte is sent. Where `fetch` does not tell, it is not assumed. */
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

function wasNotSent(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  return ('code' in cause && NOT_SENT.has(String(cause.code))) || wasNotSent(cause.cause);
}

/** `fetch failed` says nothing; what it was caused by does. */
function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const inner = cause.cause instanceof Error ? ` (${cause.cause.message || cause.cause.name})` : '';
  return `${cause.message}${inner}`;
}
