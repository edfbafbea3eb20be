/**
 * The HTTP API as tests use it: in this process, on a store in memory. Nothing of the service is
 * replaced but the clock, and the store only where a test puts faults in front of it.
 */
import { openMemory } from '../../lib/embedded/embedded-store.ts';
import { createLocalWaker } from '../../lib/embedded/local-waker.ts';
import { createSystemRandom } from '../../lib/embedded/system-random.ts';
import { createApp } from '../../lib/http/app.ts';
import { createBodyBudget } from '../../lib/http/body-budget.ts';
import type { LogStore } from '../../lib/ports/log-store.ts';
import { createAppendQueue } from '../../lib/services/append-queue.ts';
import type { Components } from '../../lib/services/components.ts';
import { createManualClock, type ManualClock } from './manual-clock.ts';

/** Sunday, 2026-11-29T10:00:00Z */
export const START_MS = 1_795_946_400_000;

export interface CallOptions {
  readonly headers?: { readonly [name: string]: string };
  /** An object is sent as JSON; text and bytes as they are, with the headers given. */
  readonly body?: object | string | Uint8Array;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly bytes: Uint8Array;
  /** The text parsed as JSON. Throws when it is none. */
  json(): Record<string, unknown>;
}

export interface Api {
  readonly clock: ManualClock;
  readonly components: Components;
  readonly errors: readonly Record<string, unknown>[];
  /** `call('PUT /v1/streams/s')` */
  call(line: string, options?: CallOptions): Promise<Answer>;
  /** The response as it comes, for bodies that go on. */
  open(line: string, options?: CallOptions): Promise<Response>;
  close(): Promise<void>;
}

export interface ApiOptions {
  /** Puts a layer of faults in front of the store. */
  readonly wrapLog?: (log: LogStore) => LogStore;
  readonly insecure?: boolean;
}

export function createApi(options: ApiOptions = {}): Api {
  const store = openMemory();
  const log = options.wrapLog?.(store.log) ?? store.log;
  const clock = createManualClock(START_MS);
  const waker = createLocalWaker();
  const components: Components = {
    log,
    catalog: store.catalog,
    waker,
    clock,
    random: createSystemRandom(),
    appends: createAppendQueue({ log, waker, defer: setImmediate }),
  };
  const errors: Record<string, unknown>[] = [];
  const closing = new AbortController();
  const app = createApp({
    components,
    telemetry: { error: (event, details) => errors.push({ event, ...details }) },
    bodies: createBodyBudget(),
    insecure: options.insecure ?? false,
    closing: closing.signal,
  });
  const open = async (line: string, call: CallOptions = {}) => await app.fetch(request(line, call));
  return {
    clock,
    components,
    errors,
    open,
    call: async (line, call) => await readAnswer(await open(line, call)),
    async close() {
      closing.abort();
      await store.close();
    },
  };
}

function request(line: string, { headers = {}, body, signal }: CallOptions): Request {
  const [method = 'GET', path = '/'] = line.split(' ', 2);
  const isJson = typeof body === 'object' && !(body instanceof Uint8Array);
  return new Request(`http://127.0.0.1:4600${path}`, {
    method,
    headers: { ...(isJson && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: isJson ? JSON.stringify(body) : untyped(body) }),
    ...(signal && { signal }),
  });
}

/** Text would get a content type of its own from `Request`; bytes get none. */
function untyped(body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(typeof body === 'string' ? Buffer.from(body) : body);
}

async function readAnswer(response: Response): Promise<Answer> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const text = Buffer.from(bytes).toString('utf8');
  const { status, headers } = response;
  return { status, headers, bytes, text, json: () => JSON.parse(text) };
}
