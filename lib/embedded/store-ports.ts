/**
 * The ports of a store over its reader and its writer: what is remembered of a stream is forgotten before a
 * change to it is acknowledged (SPEC P8), and nothing is done for a store that is closed.
 */
import type { CommitOutcome } from '../core/log/commit-batch.ts';
import type { Catalog } from '../ports/catalog.ts';
import type { Clock } from '../ports/clock.ts';
import type { Consumers } from '../ports/consumers.ts';
import type { Exchanges } from '../ports/exchanges.ts';
import type { Append, LogStore } from '../ports/log-store.ts';
import { StoreError } from '../ports/store-error.ts';
import type { Timers } from '../ports/timers.ts';
import type { ExchangeReader } from './exchange-reader.ts';
import { type ExchangeChange, outcomeOf } from './exchange-writer.ts';
import { type HeldParts, releaseHeld } from './held-messages.ts';
import type { HeldTable } from './held-table.ts';
import type { LogReader } from './log-reader.ts';
import { SaveQueue } from './save-queue.ts';
import { toStoreError } from './sqlite-error.ts';
import type { StoreWriter } from './store-writer.ts';

export interface StorePorts {
  readonly log: LogStore;
  readonly catalog: Catalog;
  readonly consumers: Consumers;
  readonly exchanges: Exchanges;
  readonly timers: Timers;
}

export interface StorePortsParts {
  readonly reader: LogReader;
  readonly exchanges: ExchangeReader;
  readonly held: HeldTable;
  readonly writer: StoreWriter;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly closing: AbortSignal;
  /** To be told of a release that failed: what it was to release stays due. */
  releaseFailed(error: unknown): void;
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
    timers: timersOf(parts, guard),
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

/** What is remembered of the streams is forgotten, however the commit ends. */
async function committing<Outcomes extends readonly CommitOutcome[] | undefined>(
  { reader, segmentOpened }: StorePortsParts,
  appends: readonly Append[],
  commit: () => Promise<Outcomes>,
): Promise<Outcomes> {
  // Of a commit that failed nobody knows whether it dropped anything.
  let mayHaveDropped = true;
  try {
    const outcomes = await commit();
    mayHaveDropped = outcomes?.some((one) => one.kind === 'stored' && one.opensSegment) ?? false;
    if (mayHaveDropped) segmentOpened();
    return outcomes;
  } finally {
    for (const { stream } of appends) reader.forgetTail(stream);
    if (mayHaveDropped) reader.chunks.forget();
  }
}

function timersOf(parts: StorePortsParts, guard: Guard): Timers {
  const { held, writer } = parts;
  const release: HeldParts['release'] = (ids, appends) =>
    committing(parts, appends, () => guard.write(() => writer.release(ids, appends)));
  return {
    load: (id) => guard.read(() => held.get(id)),
    list: (query) => guard.read(() => held.list(query)),
    count: (target) => guard.read(() => held.count(target)),
    cancel: (id) => guard.write(() => writer.cancelHeld(id)),
    release: async (options) =>
      await releaseHeld({ held, release, failed: parts.releaseFailed }, options),
  };
}

function logOf(parts: StorePortsParts, guard: Guard): LogStore {
  const { reader, writer } = parts;
  return {
    commit: (appends) =>
      committing(parts, appends, () => guard.write(() => writer.commit(appends))),
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
      return outcomeOf(outcome, 'unbound', 'source_gone');
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
