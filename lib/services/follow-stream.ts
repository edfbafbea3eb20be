/**
 * Follows a stream: what is there, then what comes, as events that each say how far they cover
 * (SPEC LR3). Pulled by its consumer, one page at a time: a slow one holds nothing up and fills no
 * buffer (SPEC LR5).
 */
import { type Offset, offset, type StreamId } from '../core/log/ids.ts';
import type { Gap } from '../core/log/position.ts';
import type { StoredChunk } from '../ports/log-store.ts';
import type { Watch } from '../ports/waker.ts';
import type { Components } from './components.ts';
import { detached } from './detached-chunk.ts';
import { loadStream } from './load-stream.ts';
import { offsetTrimmed } from './locate-start.ts';
import type { PageFacts, ReadRequest } from './read-messages.ts';
import type { ReadPage } from './read-page.ts';
import { createScan, readWanted, type Scan } from './scan-page.ts';
import { startReader } from './start-reader.ts';
import { Telling } from './telling.ts';

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
  /** Messages were passed over that its filter does not match: not told, but where a reader resumes. */
  | { readonly kind: 'advance' }
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
  const { filtering } = request;
  return {
    facts,
    start: progress,
    events(signal) {
      const scan = filtering && createScan(filtering, components.clock, signal);
      const following = { components, request, streamId: state.streamId, signal };
      return followEvents({ ...following, ...(scan && { scan }) }, { from, progress });
    },
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
  readonly signal: AbortSignal;
  readonly scan?: Scan;
}

interface Cursor {
  readonly from: Offset;
  readonly progress: Progress;
}

async function* followEvents(
  follower: Follower,
  start: Cursor,
): AsyncGenerator<FollowEvent, void, void> {
  const { waker, metrics, clock } = follower.components;
  const watch = waker.watch(follower.streamId);
  metrics.followers.add(1);
  const telling = new Telling(clock);
  let cursor = start;
  let wasAtTail = false;
  try {
    while (goesOn(follower, cursor)) {
      const page = await readNext(follower, cursor);
      for (const event of pageEvents(page, cursor)) {
        cursor = { from: page.next, progress: event.progress };
        telling.note(event.kind);
        yield event;
      }
      if (isDone(page, follower, cursor)) return;

      const isAtTail = page.next >= page.state.next;
      if (telling.isDue() || (isAtTail && !wasAtTail)) yield ping(page, cursor, telling);
      if (!isAtTail) continue;
      wasAtTail = true;
      yield* pingsUntilChange(follower, { page, cursor }, { watch, telling });
    }
  } finally {
    metrics.followers.add(-1);
    watch.close();
  }
}

interface Reached {
  readonly page: ReadPage;
  readonly cursor: Cursor;
}

/** Silence is told from a broken connection by a ping (SPEC LR3). */
async function* pingsUntilChange(
  follower: Follower,
  { page, cursor }: Reached,
  { watch, telling }: { readonly watch: Watch; readonly telling: Telling },
): AsyncGenerator<FollowEvent, void, void> {
  while ((await nextChange(follower, watch, telling.silenceMs())) === 'silence') {
    // Read once more, since the last message may have come at the same moment.
    if (isDone(page, follower, cursor)) return;
    yield ping(page, cursor, telling);
  }
}

async function readNext(follower: Follower, { from, progress }: Cursor) {
  const { components, request, streamId, scan } = follower;
  const left = (request.bytesMax ?? Number.POSITIVE_INFINITY) - progress.bytes;
  const asked = {
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
  };
  const page = await readWanted(components.log, asked, scan);
  if (page.gap !== undefined && request.onGap === 'error') throw offsetTrimmed(page.gap);
  return { ...page, chunks: page.chunks.map(detached) };
}

function* pageEvents(page: ReadPage, { progress }: Cursor): Generator<FollowEvent, void, void> {
  let { covered } = progress;
  if (page.gap !== undefined) {
    covered = page.gap.firstAvailable - 1;
    yield { kind: 'gap', gap: page.gap, progress: { ...progress, covered } };
  }
  const reached = {
    covered: page.next - 1,
    count: progress.count + page.count,
    bytes: progress.bytes + page.bytes,
  };
  if (page.count > 0) {
    const { chunks, next, state } = page;
    yield { kind: 'batch', chunks, next, tail: state.next, progress: reached };
  } else if (reached.covered > covered) {
    yield { kind: 'advance', progress: reached };
  }
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
function goesOn({ request, signal }: Follower, { progress }: Cursor): boolean {
  return !signal.aborted && (request.limit === undefined || progress.count < request.limit);
}

function ping({ state }: ReadPage, { from, progress }: Cursor, telling: Telling): FollowEvent {
  telling.note('ping');
  return { kind: 'ping', next: from, tail: state.next, progress };
}

/** That the reader went away counts as a change. */
function nextChange(
  { components: { clock }, request, signal }: Follower,
  watch: Watch,
  silenceMs: number,
): Promise<'change' | 'silence'> {
  // The time at which it is to end ends the silence too: no message would.
  const leftMs = (request.untilMs ?? Number.POSITIVE_INFINITY) - clock.nowMs();
  return new Promise((resolve) => {
    const cancel = clock.alarm(Math.min(silenceMs, leftMs), () => resolve('silence'));
    void watch.changed(signal).then(() => {
      cancel();
      resolve('change');
    });
  });
}
