/** The service over slow stores, behind a real socket: all of the server but its process. */
import { createAwsStore } from '../../../lib/aws/aws-store.ts';
import { createPollingWaker } from '../../../lib/aws/polling-waker.ts';
import { createBodyBudget } from '../../../lib/http/body-budget.ts';
import { createCrossOrigin } from '../../../lib/http/cross-origin.ts';
import { createHttpMetrics } from '../../../lib/http/http-metrics.ts';
import { createPrometheusMeter } from '../../../lib/http/prometheus-meter.ts';
import { startServing } from '../../../lib/http/serve.ts';
import { createLocalWaker } from '../../../lib/process/local-waker.ts';
import { createSystemClock } from '../../../lib/process/system-clock.ts';
import { createSystemRandom } from '../../../lib/process/system-random.ts';
import { createComponents } from '../../../lib/services/create-components.ts';
import { createLogMetrics, type LogMetrics } from '../../../lib/services/log-metrics.ts';
import { createSlowStores, type SlowStores } from './slow-stores.ts';

export interface Simulated {
  readonly port: number;
  readonly stores: SlowStores;
  /** Resolves when the next reader begins to wait. */
  readerWaits(): Promise<void>;
  end(): Promise<void>;
}

export interface SimulatedOptions {
  readonly seed: number;
  /** What the first publish of a group waits for others. */
  readonly lingerMs: number;
}

export async function startSimulated({ seed, lingerMs }: SimulatedOptions): Promise<Simulated> {
  const stores = createSlowStores(seed);
  const meter = createPrometheusMeter();
  const waiting = createWaitSignal(createLogMetrics(meter));
  const { metrics } = waiting;
  const { versions, ...parts } = openStore(stores);
  const waker = createPollingWaker({ ...parts, local: createLocalWaker(), versions });
  const defer = lingering(stores, lingerMs);
  const bodies = createBodyBudget();
  const server = await startServing({
    components: createComponents({
      ...parts,
      store: { ...parts, waker },
      metrics,
      defer,
      lanes: 'stream',
    }),
    telemetry: parts.telemetry,
    bodies,
    metrics: createHttpMetrics(meter, bodies),
    about: { version: '0.0.0', store: 'aws', startedMs: parts.clock.nowMs() },
    insecure: false,
    crossOrigin: createCrossOrigin([]),
    host: '127.0.0.1',
    port: 0,
  });
  return {
    port: server.address.port,
    stores,
    readerWaits: waiting.next,
    end: () => server.close(),
  };
}

/** Polls find what other processes wrote: there are none, and no request waits for them. */
function openStore(stores: SlowStores) {
  const [clock, random] = [createSystemClock(), createSystemRandom()];
  const telemetry = {
    error(event: string, details: { readonly error?: unknown }) {
      throw new Error(event, { cause: details.error });
    },
  };
  const own = { clock, random, telemetry };
  // Its metrics would have the names of the server's own.
  const meter = createPrometheusMeter();
  const { table, objects } = stores;
  const { log, catalog, consumers, exchanges, timers, versions } = createAwsStore({
    ...own,
    table,
    objects,
    meter,
  });
  return {
    ...own,
    log,
    catalog,
    consumers,
    exchanges,
    timers,
    versions: {
      ...versions,
      current: (streamId: Parameters<typeof versions.current>[0]) =>
        stores.inBackground(() => versions.current(streamId)),
    },
  };
}

/** As the server does it. That it waits so long is meant, what it waits longer is not. */
function lingering({ storeTime }: SlowStores, lingerMs: number): (run: () => void) => void {
  if (lingerMs === 0) return setImmediate;
  const clock = createSystemClock();
  return (run) => {
    const startMs = performance.now();
    storeTime.add({ startMs, endMs: startMs + lingerMs });
    clock.alarm(lingerMs, run);
  };
}

function createWaitSignal(all: LogMetrics) {
  let next = Promise.withResolvers<void>();
  const { waitingReaders } = all;
  const metrics: LogMetrics = {
    ...all,
    waitingReaders: {
      value: () => waitingReaders.value(),
      add(amount) {
        waitingReaders.add(amount);
        if (amount > 0) next.resolve();
      },
    },
  };
  return {
    metrics,
    next() {
      next = Promise.withResolvers();
      return next.promise;
    },
  };
}
