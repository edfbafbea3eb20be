/**
 * Follows a stream: what is there, then what comes, as events that each say how far they cover
 * (SPEC LR3). Pulled by its consumer, one page at a time: a slow one holds nothing up and fills no
 * buffer (SPEC LR5).
 */
import { type Offset, offset, type StreamId } from '../core/log/ids.ts';
import { PING_EVERY_MS } from '../core/log/limits.ts';
import type { Gap } from '../core/log/position.ts';
import type { StoredChunk } from '../ports/log-store.ts';
import type { Watch } from '../ports/waker.ts';
import type { Components } from './components.ts';
import { loadStream } from './load-stream.ts';
import { offsetTrimmed } from './locate-start.ts';
import type { PageFacts, ReadRequest } from './read-messages.ts';
import { type ReadPage, readPage } from './read-page.ts';
import { startReader } from './start-reader.ts';

/** Enough for a socket's buffer; a hundred slow followers then hold a few MiB, not their pages. */
const EVENT_BYTES_MAX = 64 * 1024;
const EVENT_MESSAGES_MAX = 1_000;

/** How far a reader is: the last offset covered, and what was delivered up to there. */
export interface Progress {
  readonly covered: number;
  readonly count: number;
  readonly bytes: number;
}

export interface FollowRequest extends Omit<ReadRequest, 'limit' | 'bytesMax' | 'waitMs'> {
  /** Over all events, those before a resumption included; absent means without end. */
  readonly limit?: number;
  readonly bytesMax?: number;
  /** Where an earlier stream of events broke off; goes before the position. */
  readonly resume?: Progress;
}

export type FollowEvent = { readonly progress: Progress } & (
  | {
      readonly kind: 'batch';
      readonly chunks: readonly StoredChunk[];
      readonly next: Offset;
      readonly tail: Offset;
    }
  | { readonly kind: 'ping'; readonly next: Offset; readonly tail: Offset }
  | { readonly kind: 'gap'; readonly gap: Gap }
);

export interface Following {
  /** How it stands at the beginning. */
  readonly facts: PageFacts;
  /** What is covered before the first event. */
  readonly start: Progress;
  /** Ends when a limit is reached or the consumer goes away. Throws as {@link readPage} does. */
  events(signal: AbortSignal): AsyncGenerator<FollowEvent, void, void>;
}

/** Decides everything that can be refused before the first event. */
export async function followStream(
  components: Components,
  request: FollowRequest,
): Promise<Following> {
  const loaded = await loadStream(components, request.stream, request.ifStreamId);
  const { state, start } = await startReader(components, loaded, startRequest(request));
  const progress = { count: 0, bytes: 0, ...request.resume, covered: start.offset - 1 };
  const from = start.gap === undefined ? start.offset : offset(start.gap.requested);
  const facts: PageFacts = {
    streamId: state.streamId,
    resolved: start.resolved,
    ...(start.gap && { gap: start.gap }),
    ...(start.clamped && { clamped: true }),
    first: state.first,
    tail: state.next,
    ...reach(start.offset, state.next, request),
  };
  const follower = { components, request, streamId: state.streamId };
  return {
    facts,
    start: progress,
    events: (signal) => followEvents(follower, { from, progress }, signal),
  };
}

/** How far it brings its reader without anything new; a limit in bytes may end it before. */
function reach(start: Offset, tail: Offset, { limit, resume }: FollowRequest) {
  const left = Math.max((limit ?? Number.POSITIVE_INFINITY) - (resume?.count ?? 0), 0);
  const next = offset(Math.min(start + left, tail));
  return { next, upToDate: next === tail };
}

/** Whoever resumes had its commit stored when it began. */
function startRequest(request: FollowRequest): FollowRequest {
  if (request.resume === undefined) return request;
  const { consumer: _, ...rest } = request;
  const from = request.resume.covered + 1;
  return { ...rest, position: { kind: 'offset', offset: from } as const, from: String(from) };
}

interface Follower {
  readonly components: Components;
  readonly request: FollowRequest;
  readonly streamId: StreamId;
}

interface Cursor {
  readonly from: Offset;
  readonly progress: Progress;
}

async function* followEvents(
  follower: Follower,
  start: Cursor,
  signal: AbortSignal,
): AsyncGenerator<FollowEvent, void, void> {
  const { waker, metrics } = follower.components;
  const watch = waker.watch(follower.streamId);
  metrics.followers.add(1);
  let cursor = start;
  let wasAtTail = false;
  try {
    while (goesOn(follower, cursor, signal)) {
      const page = await readNext(follower, cursor);
      for (const event of pageEvents(page, cursor)) {
        cursor = { from: page.next, progress: event.progress };
        yield event;
      }
      if (isDone(page, follower, cursor)) return;
      if (page.next < page.state.next) continue;

      if (!wasAtTail) yield ping(page, cursor);
      wasAtTail = true;
      // Silence is told from a broken connection by a ping (SPEC LR3).
      while ((await nextChange(follower, watch, signal)) === 'silence') {
        // Read once more, since the last message may have come at the same moment.
        if (isDone(page, follower, cursor)) break;
        yield ping(page, cursor);
      }
    }
  } finally {
    metrics.followers.add(-1);
    watch.close();
  }
}

async function readNext({ components, request, streamId }: Follower, { from, progress }: Cursor) {
  const left = (request.bytesMax ?? Number.POSITIVE_INFINITY) - progress.bytes;
  const page = await readPage(components.log, {
    stream: request.stream,
    streamId,
    from,
    limit: Math.min(
      EVENT_MESSAGES_MAX,
      (request.limit ?? Number.POSITIVE_INFINITY) - progress.count,
    ),
    bytesMax: Math.min(EVENT_BYTES_MAX, Math.max(left, 0)),
    ...(request.untilMs !== undefined && { untilMs: request.untilMs }),
    firstBytesMax: progress.count === 0 ? Number.POSITIVE_INFINITY : left,
  });
  if (page.gap !== undefined && request.onGap === 'error') throw offsetTrimmed(page.gap);
  return { ...page, chunks: page.chunks.map(detached) };
}

function* pageEvents(page: ReadPage, { progress }: Cursor): Generator<FollowEvent, void, void> {
  if (page.gap !== undefined) {
    const covered = page.gap.firstAvailable - 1;
    yield { kind: 'gap', gap: page.gap, progress: { ...progress, covered } };
  }
  if (page.count === 0) return;

  const reached = {
    covered: page.next - 1,
    count: progress.count + page.count,
    bytes: progress.bytes + page.bytes,
  };
  const { chunks, next, state } = page;
  yield { kind: 'batch', chunks, next, tail: state.next, progress: reached };
}

/**
 * A slow consumer keeps its page for long: not the chunk of up to 4 MiB that it is a small part of. Whole
 * ones stay the same for all followers.
 */
function detached(chunk: StoredChunk): StoredChunk {
  const { records } = chunk;
  if (records.length * 2 >= records.buffer.byteLength) return chunk;
  return { ...chunk, records: new Uint8Array(records) };
}

/** Nothing more can come: a limit is reached, or the time that ends it has come. */
function isDone(page: ReadPage, { components, request }: Follower, { progress }: Cursor): boolean {
  if (page.ended === 'until') return true;
  if (page.ended === 'bytes' && page.count === 0) return true;
  if (request.limit !== undefined && progress.count >= request.limit) return true;
  if (request.bytesMax !== undefined && progress.count > 0 && progress.bytes >= request.bytesMax) {
    return true;
  }
  const isAtTail = page.next >= page.state.next;
  return isAtTail && request.untilMs !== undefined && components.clock.nowMs() >= request.untilMs;
}

/** A reader that resumes may have had all that it asked for. */
function goesOn({ request }: Follower, { progress }: Cursor, signal: AbortSignal): boolean {
  return !signal.aborted && (request.limit === undefined || progress.count < request.limit);
}

function ping({ state }: ReadPage, { from, progress }: Cursor): FollowEvent {
  return { kind: 'ping', next: from, tail: state.next, progress };
}

/** That the reader went away counts as a change. */
function nextChange(
  { components: { clock }, request }: Follower,
  watch: Watch,
  signal: AbortSignal,
): Promise<'change' | 'silence'> {
  // The time at which it is to end ends the silence too: no message would.
  const leftMs = (request.untilMs ?? Number.POSITIVE_INFINITY) - clock.nowMs();
  return new Promise((resolve) => {
    const cancel = clock.alarm(Math.min(PING_EVERY_MS, leftMs), () => resolve('silence'));
    void watch.changed(signal).then(() => {
      cancel();
      resolve('change');
    });
  });
}
