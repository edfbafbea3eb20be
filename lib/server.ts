/**
 * The server process: `npm start`. Wires a store to the HTTP application, says where it
 * listens, and ends cleanly on a signal. What keeps it from starting is one line and exit code 1.
 */
import { resolve } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { parseConfig, type ServerConfig } from './config.ts';
import { FolderError } from './embedded/folder-error.ts';
import { startIdleCollector } from './embedded/idle-collector.ts';
import { createBodyBudget } from './http/body-budget.ts';
import { createCrossOrigin } from './http/cross-origin.ts';
import { createHttpMetrics } from './http/http-metrics.ts';
import { createPrometheusMeter, type PrometheusMeter } from './http/prometheus-meter.ts';
import { type RunningServer, startServing } from './http/serve.ts';
import { type OpenedStore, openStore, type StoreParts } from './open-store.ts';
import type { Meter } from './ports/meter.ts';
import type { Telemetry } from './ports/telemetry.ts';
import { createSystemClock } from './process/system-clock.ts';
import { createSystemRandom } from './process/system-random.ts';
import { createLoopCheck, LOOP_CHECK_MS, registerProcessMetrics } from './process-metrics.ts';
import type { Components } from './services/components.ts';
import { createComponents } from './services/create-components.ts';
import { keepMaintained } from './services/keep-maintained.ts';
import { keepReleased } from './services/keep-released.ts';
import { createLogMetrics } from './services/log-metrics.ts';
import { VERSION } from './version.ts';

/** For held messages that other processes of the same store accepted; its own are known to it. */
const LOOK_EVERY_MS = 60_000;

async function main(): Promise<void> {
  const config = readConfig();
  process.umask(0o077);
  const parts = {
    clock: createSystemClock(),
    random: createSystemRandom(),
    meter: createPrometheusMeter(),
    telemetry: createTelemetry(),
  };
  const store = await openStore(config.store, parts);
  const components = assemble(config, store, parts);
  const server = await serve(config, { store, components }, parts);
  startIdleCollector(() => process.memoryUsage.rss());
  process.stdout.write(greeting(config, server.address));
  const ending = new AbortController();
  const upkeep = { ...parts, waker: store.waker, everyMs: config.maintainEveryMs };
  const maintained = keepMaintained(store.maintenance, upkeep, ending.signal);
  const releasing = { components, telemetry: parts.telemetry, everyMs: LOOK_EVERY_MS };
  const released = keepReleased(releasing, ending.signal);
  endOnSignal(async () => {
    ending.abort();
    await server.close();
    await maintained;
    await released;
    await store.close();
  });
}

function readConfig(): ServerConfig {
  const { values } = parseArgs({
    options: {
      port: { type: 'string' },
      host: { type: 'string' },
      store: { type: 'string' },
      data: { type: 'string' },
      bucket: { type: 'string' },
      table: { type: 'string' },
      linger: { type: 'string' },
      'maintain-every': { type: 'string' },
      insecure: { type: 'boolean' },
      'cors-origin': { type: 'string', multiple: true },
    },
  });
  const parsed = parseConfig({ flags: values, environment: process.env });
  if (parsed.kind === 'reject') throw new StartFault(parsed.reason);
  return parsed.config;
}

async function serve(
  config: ServerConfig,
  { store, components }: { readonly store: OpenedStore; readonly components: Components },
  { meter, telemetry }: ServerParts,
): Promise<RunningServer> {
  const { host, port, insecure, corsOrigins } = config;
  const bodies = createBodyBudget();
  const startedMs = components.clock.nowMs();
  countProcess(meter, startedMs);
  try {
    return await startServing({
      components,
      telemetry,
      bodies,
      metrics: createHttpMetrics(meter, bodies),
      about: { version: VERSION, store: config.store.kind, startedMs },
      insecure,
      crossOrigin: createCrossOrigin(corsOrigins),
      host,
      port,
    });
  } catch (cause) {
    await store.close();
    throw new StartFault(listenFault(cause, config), { cause });
  }
}

interface ServerParts extends StoreParts {
  readonly meter: PrometheusMeter;
}

function assemble(
  { lingerMs }: ServerConfig,
  store: OpenedStore,
  { clock, random, meter }: ServerParts,
): Components {
  const metrics = createLogMetrics(meter);
  const defer = lingerMs === 0 ? setImmediate : (run: () => void) => clock.alarm(lingerMs, run);
  return createComponents({ store, clock, random, metrics, defer, lanes: store.lanes });
}

function countProcess(meter: Meter, startedMs: number): void {
  registerProcessMetrics(meter, { process, version: VERSION, startedMs });
  const checkLoop = createLoopCheck(meter, () => performance.now());
  setInterval(checkLoop, LOOP_CHECK_MS).unref();
}

function listenFault(cause: unknown, { host, port }: ServerConfig): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'EADDRINUSE') return `port ${port} of ${host} is in use: choose another with --port`;
  if (code === 'EACCES') return `port ${port} may not be used: choose one above 1023 with --port`;
  return `cannot listen on ${host}:${port}: ${cause instanceof Error ? cause.message : cause}`;
}

/** Faults go to standard error, a JSON line each. */
function createTelemetry(): Telemetry {
  const log = pino({ name: 'varve', level: 'error' }, pino.destination(2));
  return { error: (event, { error, ...details }) => log.error({ event, err: error, ...details }) };
}

function greeting(config: ServerConfig, address: RunningServer['address']): string {
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  const url = `http://${host}:${address.port}`;
  const stream = `${url}/v1/streams/hello`;
  const warning = config.insecure
    ? '\n  --insecure: anyone who reaches this address may read, write and delete.\n'
    : '';
  return `
  Varve listens on ${url}
  data in          ${placeOf(config)}
${warning}
  Try, in another terminal:
    curl '${stream}/messages?create=true' -d 'a first message'
    curl '${stream}/messages'
    curl -N '${stream}/messages?as=sse'

`;
}

function placeOf({ store }: ServerConfig): string {
  return store.kind === 'aws'
    ? `bucket ${store.bucket} and table ${store.table} of ${store.endpoint ?? store.region}`
    : resolve(store.data);
}

function endOnSignal(end: () => Promise<void>): void {
  let isEnding = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (isEnding) return;
      isEnding = true;
      void end().then(() => process.exit(0), fail);
    });
  }
}

/** Something that whoever starts the server can mend. */
class StartFault extends Error {
  override readonly name = 'StartFault';
}

function fail(error: unknown): never {
  const isKnown =
    error instanceof StartFault || error instanceof FolderError || isArgumentFault(error);
  const text =
    error instanceof Error ? (isKnown ? error.message : (error.stack ?? error.message)) : error;
  process.stderr.write(`varve: ${text}\n`);
  process.exit(1);
}

function isArgumentFault(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code.startsWith('ERR_PARSE_ARGS_');
}

main().catch(fail);
