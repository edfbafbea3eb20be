/**
 * The ports of a store over its reader and its writer: what is remembered of a stream is forgotten before a
 * change to it is acknowledged (SPEC P8), and nothing is done for a store that is closed.
 */
import type { Catalog } from '../ports/catalog.ts';
import type { Clock } from '../ports/clock.ts';
import type { Consumers } from '../ports/consumers.ts';
import type { Exchanges } from '../ports/exchanges.ts';
import type { LogStore } from '../ports/log-store.ts';
import { StoreError } from '../ports/store-error.ts';
import type { ExchangeReader } from './exchange-reader.ts';
import { type ExchangeChange, outcomeOf } from './exchange-writer.ts';
import type { LogReader } from './log-reader.ts';
import { SaveQueue } from './save-queue.ts';
import { toStoreError } from './sqlite-error.ts';
import type { StoreWriter } from './store-writer.ts';

export interface StorePorts {
  readonly log: LogStore;
  readonly catalog: Catalog;
  readonly consumers: Consumers;
  readonly exchanges: Exchanges;
}

export interface StorePortsParts {
  readonly reader: LogReader;
  readonly exchanges: ExchangeReader;
  readonly writer: StoreWriter;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly closing: AbortSignal;
  /** To be told when a segment was opened. */
  segmentOpened(): void;
}

export function createStorePorts(parts: StorePortsParts): StorePorts {
  const guard = new Guard(parts);
  return {
    log: logOf(parts, guard),
    catalog: catalogOf(parts, guard),
    consumers: consumersOf(parts, guard),
    exchanges: exchangesOf(parts, guard),
  };
}

class Guard {
  readonly #parts: StorePortsParts;

  constructor(parts: StorePortsParts) {
    this.#parts = parts;
  }

  async read<Result>(work: () => Result): Promise<Result> {
    this.#checkOpen();
    try {
      return work();
    } catch (error) {
      throw toStoreError(error, 'reading');
    }
  }

  async write<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#checkOpen();
    return await work();
  }

  /** Whatever became of a change, what was remembered before may be wrong now. */
  async change<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await this.write(work);
    } finally {
      this.#parts.reader.forget();
    }
  }

  #checkOpen(): void {
    if (!this.#parts.closing.aborted) return;
    throw new StoreError('the store is closed', { kind: 'unavailable', sideEffects: 'none' });
  }
}

function logOf({ reader, writer, segmentOpened }: StorePortsParts, guard: Guard): LogStore {
  return {
    async commit(appends) {
      // Of a commit that failed nobody knows whether it dropped anything.
      let mayHaveDropped = true;
      try {
        const outcomes = await guard.write(() => writer.commit(appends));
        mayHaveDropped = outcomes.some((one) => one.kind === 'stored' && one.opensSegment);
        if (mayHaveDropped) segmentOpened();
        return outcomes;
      } finally {
        for (const { stream } of appends) reader.forgetTail(stream);
        if (mayHaveDropped) reader.chunks.forget();
      }
    },
    trim: (streamId, before) => guard.change(() => writer.trim(streamId, before)),
    retain: (streamId, nowMs) => guard.change(() => writer.retain(streamId, nowMs)),
    setFencingToken: (streamId, token) =>
      guard.change(() => writer.setFencingToken(streamId, token)),
    tail: (stream) => guard.read(() => reader.tail(stream)),
    readChunks: (range) => guard.read(() => reader.read(range)),
    scanChunks: (range, filter) => guard.read(() => reader.scan(range, filter)),
    findTime: (query) => guard.read(() => reader.chunks.findTime(query)),
    usage: (streamId) => guard.read(() => reader.usage(streamId)),
    segments: (query) => guard.read(() => reader.segments(query)),
    publisher: (streamId, name) => guard.read(() => reader.publisher(streamId, name)),
    listPublishers: (streamId, query) => guard.read(() => reader.listPublishers(streamId, query)),
  };
}

/** Nothing is remembered of them, so nothing has to be forgotten. */
function consumersOf({ reader, writer }: StorePortsParts, guard: Guard): Consumers {
  const saves = new SaveQueue((some) => guard.write(() => writer.saveOffsets(some)));
  return {
    load: (streamId, name) => guard.read(() => reader.consumer(streamId, name)),
    save: (streamId, name, change) => saves.submit({ streamId, name, change }),
    remove: (streamId, name) => guard.write(() => writer.removeOffset(streamId, name)),
    list: (streamId, query) => guard.read(() => reader.listConsumers(streamId, query)),
  };
}

/** What is remembered of them is told apart by their revisions, so nothing has to be forgotten. */
function exchangesOf({ exchanges, writer }: StorePortsParts, guard: Guard): Exchanges {
  const change = (wanted: ExchangeChange) => guard.write(() => writer.changeExchange(wanted));
  return {
    load: (name) => guard.read(() => exchanges.entry(name)),
    create: async (entry) => (await change({ kind: 'create', entry })) === 'created',
    remove: async (_name, exchangeId) =>
      (await change({ kind: 'remove', exchangeId })) === 'removed',
    list: (query) => guard.read(() => exchanges.list(query)),
    async bind({ exchangeId: source }, binding) {
      const outcome = await change({ kind: 'bind', source, binding });
      return outcomeOf(outcome, 'bound', 'known', 'source_gone', 'destination_gone');
    },
    async unbind({ exchangeId: source }, name) {
      const outcome = await change({ kind: 'unbind', source, name });
      return outcomeOf(outcome, 'removed', 'unknown', 'source_gone');
    },
    bindings: ({ exchangeId }, query) => guard.read(() => exchanges.bindings(exchangeId, query)),
    async routes(name) {
      const graph = await guard.read(() => exchanges.routes(name));
      // Bindings go with the stream.
      return graph && { ...graph, forget: async () => {} };
    },
    remember: (exchange, tries, nowMs) =>
      guard.write(() => writer.remember({ exchange, tries, nowMs })),
  };
}

function catalogOf({ reader, writer, clock }: StorePortsParts, guard: Guard): Catalog {
  return {
    create: (entry) => guard.change(() => writer.create(entry)),
    saveSettings: (streamId, wanted) =>
      guard.change(() => writer.saveSettings(streamId, { ...wanted, nowMs: clock.nowMs() })),
    remove: (stream, streamId) => guard.change(() => writer.remove(stream, streamId)),
    load: (stream) => guard.read(() => reader.entry(stream)),
    list: (query) => guard.read(() => reader.list(query)),
  };
}
