/** Stores, shows, lists and removes the offsets of consumers on a stream (SPEC C1-C7). */
import type { OffsetChange, StoredOffset } from '../core/consumers/stored-offset.ts';
import { type ConsumerName, isNeverStored, offset, type StreamName } from '../core/log/ids.ts';
import type { StreamState } from '../core/log/stream-state.ts';
import type { StoredConsumer } from '../ports/consumers.ts';
import type { ListQuery } from '../ports/log-store.ts';
import { LostMessages } from '../ports/store-error.ts';
import type { Components } from './components.ts';
import { type ListPage, listPage } from './list-page.ts';
import { loadStream } from './load-stream.ts';
import { LogError, streamNotFound } from './log-error.ts';

export interface ConsumerDescription extends StoredConsumer {
  readonly lag: ConsumerLag;
}

/** What of the retained messages a consumer has not read. */
export interface ConsumerLag {
  readonly messages: number;
  /** The age of the oldest of them, 0 when there are none; absent where it would take a look at the messages. */
  readonly ms?: number;
}

export interface StoringRequest {
  readonly stream: StreamName;
  readonly name: ConsumerName;
  readonly kind: OffsetChange['kind'];
  /** The first message that it has not read. */
  readonly next: number;
  /** What the client called it, and as it gave it. */
  readonly given: { readonly field: string; readonly value: number };
}

export async function saveOffset(
  components: Components,
  request: StoringRequest,
): Promise<ConsumerDescription> {
  const { stream, name } = request;
  const state = await loadStream(components, stream);
  const stored = await storeOffset(components, state, request);
  return { name, stored, lag: lagOf(state, stored) };
}

/** Of a stream that was loaded: what is stored now. */
export async function storeOffset(
  { consumers, clock, metrics }: Components,
  { streamId }: StreamState,
  { stream, name, kind, next, given }: StoringRequest,
): Promise<StoredOffset> {
  if (isNeverStored(name)) throw neverStored(name);
  const change = { kind, next: offset(next), nowMs: clock.nowMs() };
  const outcome = await consumers.save(streamId, name, change);
  if (outcome === undefined) throw streamNotFound(stream);
  if (outcome.kind === 'beyond') throw beyond(given, outcome.next);
  metrics.storedOffsets.add(1);
  return outcome.stored;
}

export async function loadOffset(
  { consumers }: Components,
  { streamId }: StreamState,
  name: ConsumerName,
): Promise<StoredOffset | undefined> {
  return isNeverStored(name) ? undefined : await consumers.load(streamId, name);
}

export async function showConsumer(
  components: Components,
  stream: StreamName,
  name: ConsumerName,
): Promise<ConsumerDescription> {
  const state = await loadStream(components, stream);
  const stored = await loadOffset(components, state, name);
  if (stored === undefined) {
    throw new LogError(
      `consumer ${JSON.stringify(name)} has stored no offset on stream ${JSON.stringify(stream)}`,
      { code: 'no_stored_offset', details: { consumer: name } },
    );
  }
  return { name, stored, lag: await timedLag(components, state, stored) };
}

export async function listConsumers(
  components: Components,
  stream: StreamName,
  query: ListQuery,
): Promise<ListPage<ConsumerDescription>> {
  const state = await loadStream(components, stream);
  const page = await listPage(query, (wider) => components.consumers.list(state.streamId, wider));
  return {
    ...page,
    items: page.items.map(({ name, stored }) => ({ name, stored, lag: lagOf(state, stored) })),
  };
}

/** False when it had none. */
export async function removeConsumer(
  components: Components,
  stream: StreamName,
  name: ConsumerName,
): Promise<boolean> {
  const { streamId } = await loadStream(components, stream);
  return !isNeverStored(name) && (await components.consumers.remove(streamId, name));
}

/** What is dropped cannot be read any more, so it does not count (SPEC T9). */
function lagOf({ first, next: end }: StreamState, { next }: StoredOffset): ConsumerLag {
  const messages = Math.max(end - Math.max(next, first), 0);
  return messages === 0 ? { messages, ms: 0 } : { messages };
}

async function timedLag(
  { log, clock }: Components,
  state: StreamState,
  stored: StoredOffset,
): Promise<ConsumerLag> {
  const lag = lagOf(state, stored);
  if (lag.messages === 0) return lag;
  const from = offset(Math.max(stored.next, state.first));
  const range = { streamId: state.streamId, from, end: offset(from + 1), bytesMax: 1 };
  const [chunk] = await log.readChunks(range).catch(noneIfLost);
  // Dropped meanwhile, or lost: how old the next one is, the next request tells.
  if (chunk === undefined) return lag;
  return { ...lag, ms: Math.max(clock.nowMs() - chunk.timeMs, 0) };
}

function noneIfLost(error: unknown): readonly [] {
  if (error instanceof LostMessages) return [];
  throw error;
}

function neverStored(name: ConsumerName): LogError {
  return new LogError(
    `an offset of ${JSON.stringify(name)} is never stored, as its name begins with "amq.ctag-": choose another name`,
    { code: 'invalid_name', details: { field: 'consumer' } },
  );
}

function beyond({ field, value }: StoringRequest['given'], next: number): LogError {
  return new LogError(`${field} is ${value}, but the stream ends at ${next}`, {
    code: 'invalid_request',
    details: { field, next },
  });
}
