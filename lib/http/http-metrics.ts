/**
 * What is counted of requests and answers. Labels are templates of paths, methods, statuses, formats and
 * codes of errors: never what stands in a path.
 */
import type { StoredChunk } from '../ports/log-store.ts';
import type { Counter, Family, Gauge, Histogram } from '../ports/meter.ts';
import type { ErrorCode } from '../wire/error-codes.ts';
import type { BodyBudget } from './body-budget.ts';
import type { PrometheusMeter } from './prometheus-meter.ts';
import { READ_FORMATS, type ReadFormat } from './read-format.ts';

export interface HttpMetrics {
  /** Taken, and their answer not begun. */
  readonly inFlight: Gauge;
  readonly connections: Gauge;
  /** `template` as the description of the API has it, or {@link NO_ROUTE}. */
  route(template: string): RouteMetrics;
  problem(code: ErrorCode): void;
  read(format: ReadFormat, chunks: readonly StoredChunk[]): void;
  exposition(): string;
}

/** Of requests to paths that there are not, and of what never became a request. */
export const NO_ROUTE = 'none';

/** Others are counted together: anybody may make up a method. */
const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'PUT',
  'POST',
  'PATCH',
  'DELETE',
  'OPTIONS',
]);

/** From a publish to a fast disk to a read that waits for as long as it may (SPEC LR1). */
const SECONDS_BOUNDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 21];

/** Once a meter. */
export function createHttpMetrics(meter: PrometheusMeter, bodies: BodyBudget): HttpMetrics {
  const routes = new Map<string, RouteMetrics>();
  const families = requestFamilies(meter);
  const problems = problemCounters(meter);
  meter.reading(
    {
      name: 'varve_http_held_body_bytes',
      help: 'Bytes of large request bodies that are held.',
      kind: 'gauge',
    },
    bodies.heldBytes,
  );
  return {
    ...gauges(meter),
    read: readCounter(meter),
    problem: (code) => problems(code).add(1),
    exposition: () => meter.exposition(),
    route(template) {
      const route = routes.get(template) ?? new RouteMetrics(template, families);
      routes.set(template, route);
      return route;
    },
  };
}

function gauges(meter: PrometheusMeter) {
  return {
    inFlight: meter.gauge({
      name: 'varve_http_requests_in_flight',
      help: 'Requests whose answer has not begun.',
    }),
    connections: meter.gauge({
      name: 'varve_http_connections',
      help: 'Open connections.',
    }),
  };
}

interface RequestFamilies {
  readonly requests: Family<'route' | 'method' | 'status', Counter>;
  readonly seconds: Family<'route', Histogram>;
}

function requestFamilies(meter: PrometheusMeter): RequestFamilies {
  return {
    requests: meter.counters({
      name: 'varve_http_requests_total',
      help: 'Requests answered.',
      labels: ['route', 'method', 'status'],
    }),
    seconds: meter.histograms({
      name: 'varve_http_request_duration_seconds',
      help: 'From a request to the head of its answer.',
      labels: ['route'],
      bounds: SECONDS_BOUNDS,
    }),
  };
}

/** The series of one route, made when they are first needed. */
export class RouteMetrics {
  readonly #route: string;
  readonly #families: RequestFamilies;
  readonly #requests = new Map<string, Map<number, Counter>>();
  #seconds: Histogram | undefined;

  constructor(route: string, families: RequestFamilies) {
    this.#route = route;
    this.#families = families;
  }

  /** Without a duration, where it is not known when the request began. */
  refused(method: string, status: number): void {
    const counter = this.#requests.get(method)?.get(status) ?? this.#create(method, status);
    counter.add(1);
  }

  answered(method: string, status: number, elapsedMs: number): void {
    this.refused(method, status);
    this.#seconds ??= this.#families.seconds.with({ route: this.#route });
    this.#seconds.observe(elapsedMs / 1000);
  }

  #create(given: string, status: number): Counter {
    const method = METHODS.has(given) ? given : 'other';
    const { requests } = this.#families;
    const counter = requests.with({ route: this.#route, method, status: String(status) });
    if (method === 'other') return counter;
    const byStatus = this.#requests.get(method) ?? new Map<number, Counter>();
    this.#requests.set(method, byStatus.set(status, counter));
    return counter;
  }
}

function problemCounters(meter: PrometheusMeter): (code: ErrorCode) => Counter {
  const family = meter.counters({
    name: 'varve_http_problems_total',
    help: 'Requests that failed, by the code of their error; events that end a stream of them too.',
    labels: ['code'],
  });
  const counters = new Map<ErrorCode, Counter>();
  return (code) => {
    const counter = counters.get(code) ?? family.with({ code });
    counters.set(code, counter);
    return counter;
  };
}

function readCounter(meter: PrometheusMeter): HttpMetrics['read'] {
  const messages = meter.counters({
    name: 'varve_read_messages_total',
    help: 'Messages given to readers, by the format of the answer.',
    labels: ['format'],
  });
  const bytes = meter.counters({
    name: 'varve_read_bytes_total',
    help: 'Logical bytes given to readers, by the format of the answer.',
    labels: ['format'],
  });
  const series = new Map(
    READ_FORMATS.map((format) => {
      return [format, [messages.with({ format }), bytes.with({ format })]] as const;
    }),
  );
  return (format, chunks) => {
    const [ofMessages, ofBytes] = series.get(format) ?? [];
    for (const chunk of chunks) {
      ofMessages?.add(chunk.count);
      ofBytes?.add(chunk.bytes);
    }
  };
}
