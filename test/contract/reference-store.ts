/**
 * The store as core means it: plain maps, changed by core's own functions, nothing stored as bytes.
 * What every adapter must be equal to.
 */
import {
  applyOffsetChange,
  planRemoval,
  type StoredOffset,
} from '../../lib/core/consumers/stored-offset.ts';

import {
  type CommitOutcome,
  type CommitPlan,
  planCommit,
} from '../../lib/core/log/commit-batch.ts';
import type { RecordedValue } from '../../lib/core/log/deduplication.ts';
import {
  type ConsumerName,
  type Offset,
  offset,
  type PublisherName,
  type StreamId,
  streamId,
} from '../../lib/core/log/ids.ts';
import { PUBLISHERS_PER_STREAM_MAX } from '../../lib/core/log/limits.ts';
import { type PublisherRecord, planEviction } from '../../lib/core/log/publisher.ts';
import { planRetention } from '../../lib/core/log/retention.ts';
import { effectiveSettings } from '../../lib/core/log/settings.ts';
import {
  applyFencingToken,
  applyTrim,
  newStreamState,
  type StreamState,
} from '../../lib/core/log/stream-state.ts';
import { withoutLeftOut } from '../../lib/format/chunk-content.ts';
import { messageValues } from '../../lib/format/message-values.ts';
import type { StreamEntry } from '../../lib/ports/catalog.ts';
import type { Append, Batch, StoredChunk } from '../../lib/ports/log-store.ts';
import { recordStart, skipRecord } from '../../lib/wire/record.ts';
import { VarintReader } from '../../lib/wire/varint.ts';
import { createReferenceExchanges, type ReferenceRecords } from './reference-exchanges.ts';
import { page } from './reference-page.ts';
import { segmentsOf } from './reference-segments.ts';
import { createReferenceTimers } from './reference-timers.ts';
import type { StoreUnderTest } from './store-under-test.ts';

interface Stream {
  readonly entry: Omit<StreamEntry, 'settings' | 'revision'>;
  state: StreamState;
  readonly chunks: (StoredChunk & { readonly opensSegment: boolean })[];
  readonly publishers: Map<PublisherName, PublisherRecord>;
  readonly consumers: Map<ConsumerName, StoredOffset>;
  /** All that were ever recorded: the one numbered 1 first. */
  readonly values: RecordedValue[];
}

export function createReferenceStore(): StoreUnderTest {
  const streams = new Map<string, Stream>();
  const byId = (id: StreamId) => [...streams.values()].find(({ entry }) => entry.streamId === id);
  const { exchanges, records } = createReferenceExchanges((id) => byId(id) !== undefined, page);
  /** What exchanges hold is accepted by streams that are in no list. */
  const places = new Map<string, Stream>();
  const append = (one: Append): CommitOutcome => {
    const outcome = commitOne({ streams: one.heldFor ? placesOf(one) : streams, records }, one);
    timers.hold(one, outcome);
    return outcome;
  };
  const placesOf = ({ stream: name, heldFor }: Append) => {
    const isThere = heldFor && exchanges.isThere(heldFor.id);
    if (!isThere) return new Map<string, Stream>();
    const id = streamId(heldFor.id);
    const entry = { name, streamId: id, createdMs: 0 };
    if (!places.has(name)) places.set(name, newStream(entry, newStreamState(id, {})));
    return places;
  };
  const timers = createReferenceTimers({
    append,
    isThere: (target) =>
      target.kind === 'stream' ? byId(target.id) !== undefined : exchanges.isThere(target.id),
  });

  return {
    log: {
      commit: async (appends) => {
        const outcomes = appends.map(append);
        evictPublishers(streams);
        return outcomes;
      },
      tail: async (stream) => streams.get(stream)?.state,
      readChunks: async ({ streamId, from, end, bytesMax }) => {
        const stream = byId(streamId);
        if (stream === undefined || from < stream.state.first) return [];
        return takeChunks(stream.chunks, { from, end, bytesMax });
      },
      scanChunks: async (range) => {
        const stream = byId(range.streamId);
        if (stream === undefined || range.from < stream.state.first) {
          return { chunks: [], end: range.from };
        }
        const chunks = takeChunks(stream.chunks, range);
        const last = chunks.at(-1);
        const end = last === undefined ? range.from : Math.min(last.base + last.count, range.end);
        return { chunks, end: offset(end) };
      },
      findTime: async ({ streamId, first, next, timeMs }) => {
        const chunk = byId(streamId)?.chunks.find(
          ({ base, count, timeMs: takenMs }) => takenMs >= timeMs && base + count > first,
        );
        return offset(Math.min(Math.max(chunk?.base ?? next, first), next));
      },
      usage: async (streamId) => usage(byId(streamId)),
      segments: async ({ streamId, from, limit }) => {
        const segments = segmentsOf(byId(streamId)).filter(({ end }) => end > from);
        return segments.slice(0, limit);
      },
      publisher: async (streamId, name) => byId(streamId)?.publishers.get(name),
      listPublishers: async (streamId, query) => {
        const entries = [...(byId(streamId)?.publishers ?? [])];
        return page(
          entries.map(([name, record]) => ({ name, record })),
          query,
        );
      },
      trim: async (streamId, before) => {
        const stream = byId(streamId);
        if (stream === undefined) return undefined;
        const { first: old, next } = stream.state;
        if (before !== 'next' && before > next) return { kind: 'beyond', next };
        stream.state = applyTrim(stream.state, before === 'next' ? next : before);
        return { kind: 'trimmed', first: stream.state.first, dropped: stream.state.first - old };
      },
      retain: async (streamId, nowMs) => {
        const stream = byId(streamId);
        if (stream === undefined) return undefined;
        const { first: old } = stream.state;
        retain(stream, nowMs);
        return { first: stream.state.first, dropped: stream.state.first - old };
      },
      setFencingToken: async (streamId, token) => {
        const stream = byId(streamId);
        if (stream !== undefined) stream.state = applyFencingToken(stream.state, token);
        return stream !== undefined;
      },
    },
    catalog: {
      load: async (name) => entryOf(streams.get(name)),
      create: async ({ settings, ...entry }) => {
        if (streams.has(entry.name)) return false;
        streams.set(entry.name, newStream(entry, newStreamState(entry.streamId, settings)));
        return true;
      },
      saveSettings: async (streamId, { settings, expected }) => {
        const stream = byId(streamId);
        if (stream?.state.revision !== expected) return false;
        stream.state = { ...stream.state, settings, revision: expected + 1 };
        keepConsumers(stream);
        return true;
      },
      remove: async (name, streamId) =>
        streams.get(name)?.entry.streamId === streamId && streams.delete(name),
      list: async (query) => {
        const entries = [...streams.values()].flatMap((stream) => entryOf(stream) ?? []);
        return page(entries, query);
      },
    },
    exchanges,
    timers,
    consumers: {
      load: async (streamId, name) => byId(streamId)?.consumers.get(name),
      save: async (streamId, name, change) => {
        const stream = byId(streamId);
        if (stream === undefined) return undefined;
        const outcome = applyOffsetChange(stream.consumers.get(name), change, stream.state);
        if (outcome.kind === 'stored') stream.consumers.set(name, outcome.stored);
        keepConsumers(stream);
        return outcome;
      },
      remove: async (streamId, name) => byId(streamId)?.consumers.delete(name) ?? false,
      list: async (streamId, query) => {
        const entries = [...(byId(streamId)?.consumers ?? [])];
        return page(
          entries.map(([name, stored]) => ({ name, stored })),
          query,
        );
      },
    },
    close: async () => {},
  };
}

function keepConsumers({ consumers, state }: Stream): void {
  const { consumer_limit } = effectiveSettings(state.settings);
  for (const name of planRemoval(consumers, consumer_limit)) consumers.delete(name);
}

function newStream(entry: Stream['entry'], state: StreamState): Stream {
  return { entry, state, chunks: [], publishers: new Map(), consumers: new Map(), values: [] };
}

function entryOf(stream: Stream | undefined): StreamEntry | undefined {
  if (stream === undefined) return undefined;
  const { settings, revision } = stream.state;
  return { ...stream.entry, settings, revision };
}

interface Log {
  readonly streams: Map<string, Stream>;
  readonly records: ReferenceRecords;
}

function evictPublishers(streams: ReadonlyMap<string, Stream>): void {
  for (const { publishers } of streams.values()) {
    const forgotten = planEviction(publishers, PUBLISHERS_PER_STREAM_MAX);
    for (const name of forgotten) publishers.delete(name);
  }
}

function commitOne({ streams, records }: Log, append: Append): CommitOutcome {
  const stream = streams.get(append.stream);
  const { batch } = append;
  const plan = planCommit(
    {
      state: stream?.state,
      record: (name) => stream?.publishers.get(name),
      isOpen: (claim) => records.isOpen(claim, stream?.entry.streamId),
      values: {
        count: stream?.values.length ?? 0,
        find: (value) => stream?.values.findLast((one) => one.value === value),
      },
    },
    [
      {
        ...append,
        count: batch.count,
        bytesFrom: (index) => cut(batch, index).bytes,
        valuesOf: (header) => messageValues(batch, header),
      },
    ],
  );
  const [outcome] = plan.outcomes;
  if (outcome === undefined) throw new Error('an append without an outcome');
  if (outcome.kind !== 'reject') {
    for (const claim of plan.taken) records.take(claim, outcome.streamId);
  }
  if (stream !== undefined) remember(stream, plan);
  const isChanged = outcome.kind === 'stored' || outcome.kind === 'held';
  if (!isChanged || plan.state === undefined) return outcome;

  const entry = { name: append.stream, streamId: outcome.streamId, createdMs: append.timeMs };
  const target = stream ?? newStream(entry, plan.state);
  streams.set(append.stream, target);
  remember(target, plan);
  if (outcome.kind === 'held') return outcome;
  const { opensSegment, timeMs, start: base } = outcome;
  target.state = plan.state;
  target.chunks.push({ ...withoutLeftOut(batch, outcome), base, timeMs, opensSegment });
  if (opensSegment) retain(target, timeMs);
  return outcome;
}

/** Also of an append that stores nothing, since all of it was known by its values. */
function remember(stream: Stream, { changed, recorded }: CommitPlan): void {
  for (const [name, record] of changed) stream.publishers.set(name, record);
  const unknown = recorded.filter(({ number }) => number > stream.values.length);
  stream.values.push(...unknown);
}

function cut(batch: Batch, duplicates: number): Batch {
  const reader = new VarintReader(batch.records);
  let dropped = 0;
  for (let index = 0; index < duplicates; index++) dropped += skipRecord(reader);
  return {
    ...batch,
    count: batch.count - duplicates,
    records: batch.records.subarray(recordStart(batch.records, duplicates)),
    bytes: batch.bytes - dropped,
  };
}

function takeChunks(
  chunks: Stream['chunks'],
  range: { readonly from: Offset; readonly end: Offset; readonly bytesMax: number },
): StoredChunk[] {
  const taken: StoredChunk[] = [];
  let bytes = 0;
  for (const chunk of chunks) {
    if (chunk.base + chunk.count <= range.from) continue;
    if (chunk.base >= range.end || (taken.length > 0 && bytes >= range.bytesMax)) break;
    const { opensSegment: _, ...stored } = chunk;
    taken.push(stored);
    bytes += cut(chunk, Math.max(0, range.from - chunk.base)).bytes;
  }
  return taken;
}

function usage(stream: Stream | undefined) {
  if (stream === undefined || stream.state.first === stream.state.next) {
    return { segments: 0, bytes: 0 };
  }
  const { state, chunks } = stream;
  const segments = segmentsOf(stream);
  const [oldest] = segments;
  const chunk = chunks.find(({ base, count }) => base + count > state.first);
  return {
    segments: segments.length,
    bytes: segments.reduce((sum, { bytes = 0 }) => sum + bytes, 0),
    ...(chunk && { oldestMs: chunk.timeMs }),
    ...(oldest && { oldest }),
  };
}

function retain(stream: Stream, nowMs: number): void {
  const { settings, next, bytes } = stream.state;
  const sealed = segmentsOf(stream).filter(({ state }) => state !== 'active');
  const { dropBelow } = planRetention(
    sealed.map(({ first, end, bytesThrough, lastTimeMs }) => {
      return { first, end, bytesThrough, lastTimeMs };
    }),
    { settings: effectiveSettings(settings), next, bytes, nowMs, holders: [] },
  );
  if (dropBelow !== undefined) stream.state = applyTrim(stream.state, offset(dropBelow));
}
