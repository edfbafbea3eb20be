/**
 * The HTTP API as tests use it: in this process, on a store in memory. Nothing of the service is
 * replaced but the clock, and the store only where a test puts faults in front of it. `Api` is what
 * there is of it at an address too (url-api.ts); `LocalApi` is in this process alone.
 */
import process from 'node:process';
import { createApp } from '../../lib/http/app.ts';
import { createBodyBudget } from '../../lib/http/body-budget.ts';
import { createCrossOrigin } from '../../lib/http/cross-origin.ts';
import { createHttpMetrics } from '../../lib/http/http-metrics.ts';
import { createPrometheusMeter } from '../../lib/http/prometheus-meter.ts';
import type { HttpOptions } from '../../lib/http/route.ts';
import { createAllTurns } from '../../lib/http/turns.ts';
import { createUnsentAnswers } from '../../lib/http/unsent-answers.ts';
import type { Consumers } from '../../lib/ports/consumers.ts';
import type { Exchanges } from '../../lib/ports/exchanges.ts';
import type { LogStore } from '../../lib/ports/log-store.ts';
import type { Telemetry } from '../../lib/ports/telemetry.ts';
import type { ReleaseReport } from '../../lib/ports/timers.ts';
import { createSystemRandom } from '../../lib/process/system-random.ts';
import type { Components } from '../../lib/services/components.ts';
import { createComponents } from '../../lib/services/create-components.ts';
import { createLogMetrics } from '../../lib/services/log-metrics.ts';
import { releaseDue } from '../../lib/services/release-due.ts';
import { createManualClock, type ManualClock } from './manual-clock.ts';
import { openStoreInMemory, type StoreKind } from './memory-store.ts';

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
  /** `call('PUT /v1/streams/s')` */
  call(line: string, options?: CallOptions): Promise<Answer>;
  /** The response as it comes, for bodies that go on. */
  open(line: string, options?: CallOptions): Promise<Response>;
  /** What a time of the service equals when it is of now: exact where the clock is the test's. */
  timeNow(): unknown;
  close(): Promise<void>;
}

export interface LocalApi extends Api {
  readonly clock: ManualClock;
  readonly components: Components;
  /** What the application runs on; a server for it too (listen). */
  readonly http: HttpOptions;
  readonly errors: readonly Record<string, unknown>[];
  /** What the timer of the server does. */
  maintain(): Promise<void>;
  /** What the server does at the time when held messages are due. */
  release(): Promise<ReleaseReport>;
}

export interface ApiOptions {
  /** Puts a layer of faults in front of the store. */
  readonly wrapLog?: (log: LogStore) => LogStore;
  readonly wrapConsumers?: (consumers: Consumers) => Consumers;
  readonly wrapExchanges?: (exchanges: Exchanges) => Exchanges;
  readonly insecure?: boolean;
  /** Embedded, unless the whole run is on the other one. */
  readonly store?: StoreKind;
  /** As `--cors-origin` gives them. */
  readonly corsOrigins?: readonly string[];
}

/** `VARVE_TEST_STORE=aws` runs what does not say which store it is about on the other one. */
function storeOfRun(): StoreKind {
  return process.env['VARVE_TEST_STORE'] === 'aws' ? 'aws' : 'embedded';
}

export function createApi(options: ApiOptions = {}): LocalApi {
  if (process.env['VARVE_TEST_URL'])
    throw new Error('VARVE_TEST_URL names another API: see inProcess');
  const kind = options.store ?? storeOfRun();
  const clock = createManualClock(START_MS);
  const errors: Record<string, unknown>[] = [];
  const telemetry: Telemetry = { error: (event, details) => errors.push({ event, ...details }) };
  const closing = new AbortController();
  const meter = createPrometheusMeter();
  const random = createSystemRandom();
  const store = openStoreInMemory(kind, { clock, random, meter, telemetry });
  const bodies = createBodyBudget();
  const metrics = createLogMetrics(meter);
  const { log, consumers, exchanges, waker, lanes } = store;
  const wrapped = {
    ...store,
    log: options.wrapLog?.(log) ?? log,
    consumers: options.wrapConsumers?.(consumers) ?? consumers,
    exchanges: options.wrapExchanges?.(exchanges) ?? exchanges,
  };
  const queue = { defer: setImmediate, lanes };
  const components = createComponents({ store: wrapped, clock, random, metrics, ...queue });
  const http: HttpOptions = {
    components,
    telemetry,
    bodies,
    metrics: createHttpMetrics(meter, bodies),
    about: { version: '1.2.3', store: kind, startedMs: START_MS },
    insecure: options.insecure ?? false,
    crossOrigin: createCrossOrigin(options.corsOrigins ?? []),
    closing: closing.signal,
    unsent: createUnsentAnswers(),
    turns: createAllTurns(),
  };
  const app = createApp(http);
  const open = async (line: string, call: CallOptions = {}) => await app.fetch(request(line, call));
  return {
    clock,
    components,
    http,
    errors,
    open,
    timeNow: () => clock.nowMs(),
    async maintain() {
      const { trimmed } = await store.maintenance.run(closing.signal);
      for (const streamId of trimmed) waker.wake(streamId);
    },
    release: () => releaseDue(components, closing.signal),
    call: async (line, call) => await readAnswer(await open(line, call)),
    async close() {
      closing.abort();
      await store.close();
    },
  };
}

function request(line: string, call: CallOptions): Request {
  const { method, path, headers, body } = sentOf(line, call);
  return new Request(`http://127.0.0.1:4600${path}`, {
    method,
    headers,
    ...(body && { body }),
    ...(call.signal && { signal: call.signal }),
  });
}

/** All but those that are other ones with each answer. */
export function steadyHeaders({ headers }: Answer): readonly (readonly [string, string])[] {
  return [...headers].filter(([name]) => name !== 'server-timing' && name !== 'x-request-id');
}

export interface Sent {
  readonly method: string;
  /** As it is written, with its query. */
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
  /** Bytes: text would get a content type of its own from `Request`. */
  readonly body?: Uint8Array<ArrayBuffer>;
}

export function sentOf(line: string, { headers = {}, body }: CallOptions): Sent {
  const [method = 'GET', path = '/'] = line.split(' ', 2);
  if (body === undefined) return { method, path, headers };

  const isJson = typeof body === 'object' && !(body instanceof Uint8Array);
  const text = isJson ? JSON.stringify(body) : body;
  return {
    method,
    path,
    headers: { ...(isJson && { 'content-type': 'application/json' }), ...headers },
    body: new Uint8Array(typeof text === 'string' ? Buffer.from(text) : text),
  };
}

export async function readAnswer(response: Response): Promise<Answer> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const text = Buffer.from(bytes).toString('utf8');
  const { status, headers } = response;
  return { status, headers, bytes, text, json: () => JSON.parse(text) };
}
