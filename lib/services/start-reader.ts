/**
 * Where a reader starts that may be a consumer (SPEC O10, O14, C4, C5): stores what it commits, then goes by the offset
 * that is stored for it, or by what it asked for.
 */
import type { StoredOffset } from '../core/consumers/stored-offset.ts';
import type { ConsumerName, StreamName } from '../core/log/ids.ts';
import type { Position } from '../core/log/position.ts';
import type { StreamState } from '../core/log/stream-state.ts';
import { StoreError } from '../ports/store-error.ts';
import type { Components } from './components.ts';
import { loadStream } from './load-stream.ts';
import { type LocatedStart, locateStart, type StartRequest } from './locate-start.ts';
import { LogError } from './log-error.ts';
import { loadOffset, storeOffset } from './stored-offsets.ts';

export interface ReaderRequest extends StartRequest {
  readonly stream: StreamName;
  readonly consumer?: ReadingConsumer;
}

export interface ReadingConsumer {
  readonly name: ConsumerName;
  /** Stored, unless more is, before anything is read. */
  readonly commit?: number;
  /** The stored offset goes before a position that was asked for. */
  readonly track: boolean;
  /** Where it starts when nothing is stored, and how that was written. */
  readonly otherwise: { readonly position: Position; readonly from?: string };
}

export interface StartedReader {
  /** Not older than what is stored. */
  readonly state: StreamState;
  readonly start: LocatedStart;
}

export async function startReader(
  components: Components,
  state: StreamState,
  request: ReaderRequest,
): Promise<StartedReader> {
  const { consumer } = request;
  if (consumer === undefined) {
    return { state, start: await locateStart(components, state, request) };
  }
  return consumer.track || request.position.kind === 'stored'
    ? await startAtStored(components, state, { ...request, consumer })
    : await startAsAsked(components, state, { ...request, consumer });
}

type ConsumerRequest = ReaderRequest & { readonly consumer: ReadingConsumer };

/** A position that is refused is refused before anything is stored. */
async function startAsAsked(
  components: Components,
  state: StreamState,
  request: ConsumerRequest,
): Promise<StartedReader> {
  const start = await locateStart(components, state, request);
  if (request.consumer.commit !== undefined) await commit(components, state, request);
  return { state, start };
}

async function startAtStored(
  components: Components,
  before: StreamState,
  request: ConsumerRequest,
): Promise<StartedReader> {
  const { consumer, stream } = request;
  const stored =
    consumer.commit === undefined
      ? await loadOffset(components, before, consumer.name)
      : await commit(components, before, request);
  return await tellingOfCommit(consumer, async () => {
    // Somebody published and stored an offset after the stream was looked at.
    const isOlder = stored !== undefined && stored.next > before.next;
    const state = isOlder ? await loadStream(components, stream, before.streamId) : before;
    return { state, start: await locateStored(components, state, { request, stored }) };
  });
}

async function locateStored(
  components: Components,
  state: StreamState,
  {
    request,
    stored,
  }: { readonly request: ConsumerRequest; readonly stored: StoredOffset | undefined },
): Promise<LocatedStart> {
  const { consumer, position, onGap, onFuture } = request;
  const { name, otherwise } = consumer;
  if (stored !== undefined) {
    const at = { kind: 'offset', offset: stored.next } as const;
    const start = await locateStart(components, state, { position: at, onGap, onFuture });
    const why = `stored offset of consumer ${name}`;
    return { ...start, resolved: { from: 'stored', offset: start.offset, why } };
  }
  const asked = position.kind === 'stored' ? otherwise : request;
  const start = await locateStart(components, state, { ...asked, onGap, onFuture });
  const instead =
    asked === request || asked.from === undefined ? start.resolved.why : 'from_default';
  const why = `consumer ${name} has none stored: ${instead}`;
  return { ...start, resolved: { ...start.resolved, why } };
}

async function commit(
  components: Components,
  state: StreamState,
  { stream, consumer: { name, commit: next = 0 } }: ConsumerRequest,
): Promise<StoredOffset> {
  const given = { field: 'commit', value: next };
  return await storeOffset(components, state, { stream, name, kind: 'raise', next, given });
}

/** What fails behind a commit does not undo it (SPEC P7). */
export async function tellingOfCommit<Result>(
  consumer: ReadingConsumer | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw consumer?.commit === undefined ? error : withSideEffects(error);
  }
}

function withSideEffects(error: unknown): unknown {
  if (error instanceof LogError) {
    const { code, details, message } = error;
    return new LogError(message, { code, details, sideEffects: 'possible', cause: error });
  }
  if (error instanceof StoreError) {
    const { kind, message } = error;
    return new StoreError(message, { kind, sideEffects: 'possible', cause: error });
  }
  return error;
}
