/**
 * Reads one page of one incarnation from an offset on, as the stream stands now (PROTOCOL R8).
 *
 * What the store no longer has is a gap only when a fresh `first` says so: a range that is neither
 * trimmed nor found is an error, never a silent jump (SPEC O16).
 */
import { type Offset, offset, type StreamId, type StreamName } from '../core/log/ids.ts';
import type { Gap } from '../core/log/position.ts';
import type { StreamState } from '../core/log/stream-state.ts';
import type { ChunkRange, LogStore, StoredChunk } from '../ports/log-store.ts';
import { LostMessages, StoreError } from '../ports/store-error.ts';
import { withoutBlindCopies } from './blind-copies.ts';
import { LogError } from './log-error.ts';
import { type Slices, takeSlices } from './page-slices.ts';

export interface PageRequest {
  readonly stream: StreamName;
  /** The incarnation the reader began with; another one of that name is not read (SPEC T13). */
  readonly streamId: StreamId;
  readonly from: Offset;
  readonly limit: number;
  readonly bytesMax: number;
  readonly untilMs?: number;
  /** The stream as this request read it already: good for one look. */
  readonly known?: StreamState | undefined;
  /** How large a first message may be that is above `bytesMax`. */
  readonly firstBytesMax: number;
}

export interface ReadPage extends Slices {
  readonly state: StreamState;
  /** Set when messages from the page's `from` on were dropped: the page begins behind them. */
  readonly gap?: Gap;
}

/** The messages from an offset on, taken from a stream that stands so; undefined when nothing is there. */
export type TakeSlices = (
  from: Offset,
  state: StreamState,
) => Promise<Slices | LostMessages | undefined>;

export async function readPage(log: LogStore, request: PageRequest): Promise<ReadPage> {
  return await readPageBy(log, request, async (from, state) => {
    // No chunk is fetched of which the page could not take a message.
    const end = offset(Math.min(state.next, from + request.limit));
    const chunks = await readUnlessLost(log, { ...request, from, end });
    if (chunks instanceof LostMessages) return chunks;
    return chunks.length > 0 ? takeSlices(chunks, { ...request, from, end }) : undefined;
  });
}

/** Finds where the page begins, as often as what it was to begin with goes meanwhile. */
export async function readPageBy(
  log: LogStore,
  request: PageRequest,
  take: TakeSlices,
): Promise<ReadPage> {
  let { known } = request;
  for (let missed: Offset | undefined; ; ) {
    const state = known ?? (await log.tail(request.stream));
    known = undefined;
    if (state?.streamId !== request.streamId) throw deleted(request.stream);

    const { gap, from } = behindGap(request.from, state);
    if (from >= state.next) return { ...emptyPage(from), state, ...(gap && { gap }) };

    const slices = await take(from, state);
    if (slices instanceof LostMessages) return lostPage(slices, { state, requested: request.from });
    if (slices !== undefined) return { ...slices, state, ...(gap && { gap }) };
    // Retention may have passed between the two reads, but then `from` has risen by now.
    if (from === missed) throw lost(from, request.streamId);
    missed = from;
  }
}

async function readUnlessLost(
  log: LogStore,
  { streamId, from, end, bytesMax }: ChunkRange,
): Promise<readonly StoredChunk[] | LostMessages> {
  try {
    const chunks = await log.readChunks({ streamId, from, end, bytesMax });
    return chunks.map(withoutBlindCopies);
  } catch (error) {
    if (error instanceof LostMessages) return error;
    throw error;
  }
}

/** Readers go on behind what is lost, and are told exactly what it is. */
function lostPage(
  { end }: LostMessages,
  { state, requested }: { readonly state: StreamState; readonly requested: Offset },
): ReadPage {
  const gap = { requested, firstAvailable: end, missing: end - requested };
  return { ...emptyPage(end), state, gap };
}

function behindGap(from: Offset, { first }: StreamState): { from: Offset; gap?: Gap } {
  if (from >= first) return { from };
  return { from: first, gap: { requested: from, firstAvailable: first, missing: first - from } };
}

function emptyPage(next: Offset): Slices {
  return { chunks: [], count: 0, bytes: 0, next, ended: 'chunks' };
}

function lost(from: Offset, streamId: StreamId): StoreError {
  return new StoreError(
    `messages from offset ${from} of stream ${streamId} are retained but were not found`,
    { kind: 'corrupt', sideEffects: 'none' },
  );
}

/** A waiting reader of a deleted stream learns that, also when the name exists again (SPEC T13). */
function deleted(stream: StreamName): LogError {
  return new LogError(`stream ${JSON.stringify(stream)} has been deleted`, {
    code: 'stream_not_found',
    details: { stream },
  });
}
