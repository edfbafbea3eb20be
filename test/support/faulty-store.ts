/**
 * A store that fails when it is told to: before a call takes effect, or after it did while the answer is
 * lost. Also holds calls back, and counts them.
 */
import type { LogStore } from '../../lib/ports/log-store.ts';
import type { StoreError } from '../../lib/ports/store-error.ts';

export type StoreMethod = keyof LogStore;

export interface FaultyStore {
  readonly log: LogStore;
  /** The next call of the method fails; unless told otherwise, the next commit. Several add up, in order. */
  failNext(when: 'before' | 'after', error: StoreError, method?: StoreMethod): void;
  /** The next call of the method takes no effect until the function that is returned is called. */
  holdNext(method?: StoreMethod): () => void;
  /** How many calls of the method there were, those that failed or are held among them. */
  calls(method: StoreMethod): number;
}

type Fault =
  | { readonly kind: 'before' | 'after'; readonly error: StoreError }
  | { readonly kind: 'hold'; readonly released: Promise<void> };

export function createFaultyStore(log: LogStore): FaultyStore {
  const faults = new Map<StoreMethod, Fault[]>();
  const counts = new Map<StoreMethod, number>();
  const add = (method: StoreMethod, fault: Fault) => {
    faults.set(method, [...(faults.get(method) ?? []), fault]);
  };

  async function call<Result>(method: StoreMethod, work: () => Promise<Result>): Promise<Result> {
    counts.set(method, (counts.get(method) ?? 0) + 1);
    const fault = faults.get(method)?.shift();
    if (fault?.kind === 'hold') await fault.released;
    if (fault?.kind === 'before') throw fault.error;
    const result = await work();
    if (fault?.kind === 'after') throw fault.error;
    return result;
  }

  return {
    failNext: (kind, error, method = 'commit') => add(method, { kind, error }),
    holdNext: (method = 'commit') => {
      const { promise, resolve } = Promise.withResolvers<void>();
      add(method, { kind: 'hold', released: promise });
      return resolve;
    },
    calls: (method) => counts.get(method) ?? 0,
    log: {
      commit: (appends) => call('commit', () => log.commit(appends)),
      tail: (stream) => call('tail', () => log.tail(stream)),
      readChunks: (range) => call('readChunks', () => log.readChunks(range)),
      scanChunks: (range, filter) => call('scanChunks', () => log.scanChunks(range, filter)),
      findTime: (query) => call('findTime', () => log.findTime(query)),
      usage: (streamId) => call('usage', () => log.usage(streamId)),
      segments: (query) => call('segments', () => log.segments(query)),
      publisher: (streamId, name) => call('publisher', () => log.publisher(streamId, name)),
      listPublishers: (streamId, query) =>
        call('listPublishers', () => log.listPublishers(streamId, query)),
      trim: (streamId, before) => call('trim', () => log.trim(streamId, before)),
      retain: (streamId, nowMs) => call('retain', () => log.retain(streamId, nowMs)),
      setFencingToken: (streamId, token) =>
        call('setFencingToken', () => log.setFencingToken(streamId, token)),
    },
  };
}
