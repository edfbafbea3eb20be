/** Reads a page of messages, waiting for the first one if told to (SPEC O1-O17, LR1, LR2, LR4). */
import { type Offset, offset, type StreamId } from '../core/log/ids.ts';
import type { Gap } from '../core/log/position.ts';
import type { StreamState } from '../core/log/stream-state.ts';
import type { StoredChunk } from '../ports/log-store.ts';
import type { Watch } from '../ports/waker.ts';
import type { Components } from './components.ts';
import { linkAbort } from './linked-abort.ts';
import { loadStream } from './load-stream.ts';
import { type LocatedStart, offsetTrimmed } from './locate-start.ts';
import type { ReadPage } from './read-page.ts';
import { createScan, type Filtering, readWanted, type Scan } from './scan-page.ts';
import {
  type ReaderRequest,
  type StartedReader,
  startReader,
  tellingOfCommit,
} from './start-reader.ts';

export interface ReadRequest extends ReaderRequest {
  readonly limit: number;
  readonly bytesMax: number;
  /** Exclusive: messages stamped before this time. */
  readonly untilMs?: number;
  readonly waitMs: number;
  readonly ifStreamId?: string;
  readonly filtering?: Filtering;
}

/** What every reading answer says of itself, whatever its format (SPEC O15). */
export interface PageFacts {
  readonly streamId: StreamId;
  readonly resolved: LocatedStart['resolved'];
  readonly gap?: Gap;
  readonly clamped?: true;
  readonly first: Offset;
  readonly tail: Offset;
  readonly next: Offset;
  readonly upToDate: boolean;
}

export interface MessagePage extends PageFacts {
  readonly chunks: readonly StoredChunk[];
  /** Why it ends where it does. */
  readonly ended: ReadPage['ended'];
  /** What lies below this offset, if it is retained, never changes. */
  readonly sealedEnd: number;
}

export async function readMessages(
  components: Components,
  request: ReadRequest,
  signal: AbortSignal,
): Promise<MessagePage> {
  const loaded = await loadStream(components, request.stream, request.ifStreamId);
  // Watched from before the first look, so that a commit in between is not slept through (SPEC LR2).
  const watch = components.waker.watch(loaded.streamId);
  try {
    const started = await startReader(components, loaded, request);
    return await tellingOfCommit(request.consumer, () =>
      readOrWait(components, request, { started, watch, signal }),
    );
  } finally {
    watch.close();
  }
}

async function readOrWait(
  components: Components,
  request: ReadRequest,
  {
    started,
    watch,
    signal,
  }: {
    readonly started: StartedReader;
    readonly watch: Watch;
    readonly signal: AbortSignal;
  },
): Promise<MessagePage> {
  const { state, start } = started;
  const waiting = linkAbort(signal);
  let isWaiting = false;
  const scan = request.filtering && createScan(request.filtering, components.clock, waiting.signal);
  try {
    const reader = { request, streamId: state.streamId, ...(scan && { scan }) };
    // From what was asked for, so that a gap is one, however far it has grown by now (SPEC O16).
    const from = start.gap === undefined ? start.offset : offset(start.gap.requested);
    let page = await readFrom(components, reader, { from, known: state });
    const waitMs = usefulWaitMs(request, components.clock.nowMs());
    isWaiting = mustWait(page, waitMs);
    if (isWaiting) {
      components.metrics.waitingReaders.add(1);
      void components.clock.wait(waitMs, waiting.signal).then(waiting.end);
    }
    while (mustWait(page, waitMs) && !waiting.signal.aborted) {
      if (page.ended !== 'scan') await watch.changed(waiting.signal);
      // Nothing is read any more for a reader that went away (SPEC LR5).
      if (signal.aborted) break;
      page = await readFrom(components, reader, { from: page.next });
    }
    return messagePage(page, start);
  } finally {
    if (isWaiting) components.metrics.waitingReaders.add(-1);
    waiting.end();
  }
}

interface Reader {
  readonly request: ReadRequest;
  readonly streamId: StreamId;
  readonly scan?: Scan;
}

interface Place {
  readonly from: Offset;
  /** The stream as it was read for this very page. */
  readonly known?: StreamState;
}

async function readFrom(
  { log }: Components,
  { request, streamId, scan }: Reader,
  { from, known }: Place,
): Promise<ReadPage> {
  const { stream, limit, bytesMax, untilMs } = request;
  const asked = {
    stream,
    streamId,
    from,
    limit,
    bytesMax,
    ...(untilMs !== undefined && { untilMs }),
    known,
    firstBytesMax: Number.POSITIVE_INFINITY,
  };
  const page = await readWanted(log, asked, scan);
  if (page.gap !== undefined && request.onGap === 'error') throw offsetTrimmed(page.gap);
  return page;
}

/** From the time on that ends the page no message comes that it could hold. */
function usefulWaitMs({ waitMs, untilMs = Number.POSITIVE_INFINITY }: ReadRequest, nowMs: number) {
  return Math.min(waitMs, Math.max(untilMs - nowMs, 0));
}

/** Behind the tail for a publish, before it for more to look at. */
function mustWait({ count, gap, ended }: ReadPage, waitMs: number): boolean {
  const mayComeMore = ended === 'chunks' || ended === 'scan';
  return waitMs > 0 && count === 0 && gap === undefined && mayComeMore;
}

function messagePage(page: ReadPage, start: LocatedStart): MessagePage {
  const { chunks, ended, gap, next, state } = page;
  return {
    streamId: state.streamId,
    resolved: start.resolved,
    ...(gap && { gap }),
    ...(start.clamped && { clamped: true }),
    first: state.first,
    tail: state.next,
    next,
    upToDate: next === state.next,
    chunks,
    ended,
    sealedEnd: state.segment?.first ?? 0,
  };
}
