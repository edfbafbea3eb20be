/**
 * What use cases are given for one request: the same components, with the time that the request waits for
 * the store taken. A view of its own for each request, so requests under way together do not mix.
 */
import type { Catalog, StreamEntry } from '../ports/catalog.ts';
import type { Consumers } from '../ports/consumers.ts';
import type { Exchanges } from '../ports/exchanges.ts';
import type { Append, ChunkRange, ListQuery, LogStore } from '../ports/log-store.ts';
import type { Timers } from '../ports/timers.ts';
import type { Components } from '../services/components.ts';
import type { RequestTiming } from './request-timing.ts';

export function timedComponents(components: Components, timing: RequestTiming): Components {
  const { appends, exchanges, timers } = components;
  return {
    ...components,
    log: new TimedLog(components.log, timing),
    catalog: new TimedCatalog(components.catalog, timing),
    consumers: new TimedConsumers(components.consumers, timing),
    exchanges: new TimedExchanges(exchanges, timing),
    timers: new TimedTimers(timers, timing),
    appends: { submit: (append) => timing.within(() => appends.submit(append)) },
  };
}

type Given<Method extends keyof LogStore> = Parameters<LogStore[Method]>;

/** A class, since nine functions for each request would cost more than what they measure. */
class TimedLog implements LogStore {
  readonly #log: LogStore;
  readonly #timing: RequestTiming;

  constructor(log: LogStore, timing: RequestTiming) {
    this.#log = log;
    this.#timing = timing;
  }

  commit(appends: readonly Append[]) {
    return this.#timing.within(() => this.#log.commit(appends));
  }

  tail(...[stream]: Given<'tail'>) {
    return this.#timing.within(() => this.#log.tail(stream));
  }

  readChunks(range: ChunkRange) {
    return this.#timing.within(() => this.#log.readChunks(range));
  }

  scanChunks(...[range, filter]: Given<'scanChunks'>) {
    return this.#timing.within(() => this.#log.scanChunks(range, filter));
  }

  findTime(...[query]: Given<'findTime'>) {
    return this.#timing.within(() => this.#log.findTime(query));
  }

  usage(...[streamId]: Given<'usage'>) {
    return this.#timing.within(() => this.#log.usage(streamId));
  }

  segments(...[query]: Given<'segments'>) {
    return this.#timing.within(() => this.#log.segments(query));
  }

  publisher(...[streamId, name]: Given<'publisher'>) {
    return this.#timing.within(() => this.#log.publisher(streamId, name));
  }

  listPublishers(...[streamId, query]: Given<'listPublishers'>) {
    return this.#timing.within(() => this.#log.listPublishers(streamId, query));
  }

  trim(...[streamId, before]: Given<'trim'>) {
    return this.#timing.within(() => this.#log.trim(streamId, before));
  }

  retain(...[streamId, nowMs]: Given<'retain'>) {
    return this.#timing.within(() => this.#log.retain(streamId, nowMs));
  }

  setFencingToken(...[streamId, token]: Given<'setFencingToken'>) {
    return this.#timing.within(() => this.#log.setFencingToken(streamId, token));
  }
}

class TimedConsumers implements Consumers {
  readonly #consumers: Consumers;
  readonly #timing: RequestTiming;

  constructor(consumers: Consumers, timing: RequestTiming) {
    this.#consumers = consumers;
    this.#timing = timing;
  }

  load(...[streamId, name]: Parameters<Consumers['load']>) {
    return this.#timing.within(() => this.#consumers.load(streamId, name));
  }

  save(...[streamId, name, change]: Parameters<Consumers['save']>) {
    return this.#timing.within(() => this.#consumers.save(streamId, name, change));
  }

  remove(...[streamId, name]: Parameters<Consumers['remove']>) {
    return this.#timing.within(() => this.#consumers.remove(streamId, name));
  }

  list(...[streamId, query]: Parameters<Consumers['list']>) {
    return this.#timing.within(() => this.#consumers.list(streamId, query));
  }
}

class TimedExchanges implements Exchanges {
  readonly #exchanges: Exchanges;
  readonly #timing: RequestTiming;

  constructor(exchanges: Exchanges, timing: RequestTiming) {
    this.#exchanges = exchanges;
    this.#timing = timing;
  }

  load(...[name]: Parameters<Exchanges['load']>) {
    return this.#timing.within(() => this.#exchanges.load(name));
  }

  create(...[entry]: Parameters<Exchanges['create']>) {
    return this.#timing.within(() => this.#exchanges.create(entry));
  }

  remove(...[name, exchangeId]: Parameters<Exchanges['remove']>) {
    return this.#timing.within(() => this.#exchanges.remove(name, exchangeId));
  }

  list(query: ListQuery) {
    return this.#timing.within(() => this.#exchanges.list(query));
  }

  bind(...[source, binding]: Parameters<Exchanges['bind']>) {
    return this.#timing.within(() => this.#exchanges.bind(source, binding));
  }

  unbind(...[source, name]: Parameters<Exchanges['unbind']>) {
    return this.#timing.within(() => this.#exchanges.unbind(source, name));
  }

  bindings(...[source, query]: Parameters<Exchanges['bindings']>) {
    return this.#timing.within(() => this.#exchanges.bindings(source, query));
  }

  routes(...[name]: Parameters<Exchanges['routes']>) {
    return this.#timing.within(() => this.#exchanges.routes(name));
  }

  remember(...given: Parameters<Exchanges['remember']>) {
    return this.#timing.within(() => this.#exchanges.remember(...given));
  }
}

class TimedTimers implements Timers {
  readonly #timers: Timers;
  readonly #timing: RequestTiming;

  constructor(timers: Timers, timing: RequestTiming) {
    this.#timers = timers;
    this.#timing = timing;
  }

  load(...[id]: Parameters<Timers['load']>) {
    return this.#timing.within(() => this.#timers.load(id));
  }

  list(...[query]: Parameters<Timers['list']>) {
    return this.#timing.within(() => this.#timers.list(query));
  }

  count(...[target]: Parameters<Timers['count']>) {
    return this.#timing.within(() => this.#timers.count(target));
  }

  cancel(...[id]: Parameters<Timers['cancel']>) {
    return this.#timing.within(() => this.#timers.cancel(id));
  }

  release(...[options]: Parameters<Timers['release']>) {
    return this.#timing.within(() => this.#timers.release(options));
  }
}

class TimedCatalog implements Catalog {
  readonly #catalog: Catalog;
  readonly #timing: RequestTiming;

  constructor(catalog: Catalog, timing: RequestTiming) {
    this.#catalog = catalog;
    this.#timing = timing;
  }

  load(...[name]: Parameters<Catalog['load']>) {
    return this.#timing.within(() => this.#catalog.load(name));
  }

  create(entry: Omit<StreamEntry, 'revision'>) {
    return this.#timing.within(() => this.#catalog.create(entry));
  }

  saveSettings(...[streamId, change]: Parameters<Catalog['saveSettings']>) {
    return this.#timing.within(() => this.#catalog.saveSettings(streamId, change));
  }

  remove(...[name, streamId]: Parameters<Catalog['remove']>) {
    return this.#timing.within(() => this.#catalog.remove(name, streamId));
  }

  list(query: ListQuery) {
    return this.#timing.within(() => this.#catalog.list(query));
  }
}
