/**
 * What one release does: which of the due messages it covers, and what each stream gets of them, in the order in
 * which they are due (SPEC L4, L7). Small enough for one batch a stream, and for one item that remembers it.
 */
import { assert } from '../assert.ts';
import type { StreamId } from '../log/ids.ts';
import type { StreamDestination } from '../routing/route.ts';

/** Why a held message goes nowhere (SPEC L7, L12). */
export type DropReason = 'unroutable' | 'target_deleted';

/** Where a due message goes. */
export type DueRouting =
  | {
      readonly kind: 'to';
      readonly destinations: readonly StreamDestination[];
      /** Its target is the stream, which recorded its value when it accepted it (SPEC L3). */
      readonly isDirect: boolean;
    }
  | { readonly kind: 'dropped'; readonly reason: DropReason };

export interface Sending {
  readonly destination: StreamDestination;
  /** Places among the due messages; they rise. */
  readonly indexes: readonly number[];
  /** Which of its messages, by their places in `indexes`, have their values recorded already. */
  readonly recordedBefore: readonly number[];
}

export interface ReleasePlan {
  /** The plan covers so many of the due messages, from the first on; at least one. */
  readonly count: number;
  readonly sendings: readonly Sending[];
  readonly dropped: { readonly [Reason in DropReason]: number };
}

export interface PlannedMessage {
  readonly bytes: number;
  readonly routing: DueRouting;
}

/** Ids that an item holds beside what else it knows (PROTOCOL R12). */
export const RELEASED_MAX = 1_000;
/** Of one stream: what one publish may store. */
const STREAM_BYTES_MAX = 4 * 1024 * 1024;
/** Places of messages at all streams together. */
const COPIES_MAX = 10_000;
/** An item that remembers so many, each with its name, stays below 400 KB. */
const STREAMS_MAX = 500;

/** Reads on for as long as the plan has room; `messages` is not empty, and read no further than the plan goes. */
export function planRelease(messages: Iterable<PlannedMessage>): ReleasePlan {
  const streams = new Map<StreamId, Draft>();
  const dropped = { unroutable: 0, target_deleted: 0 };
  let [count, copies] = [0, 0];
  for (const { bytes, routing } of messages) {
    const destinations = routing.kind === 'to' ? routing.destinations : [];
    copies += destinations.length;
    const isFull =
      count >= RELEASED_MAX || copies > COPIES_MAX || !hasRoom(streams, destinations, bytes);
    if (isFull && count > 0) break;
    if (routing.kind === 'dropped') dropped[routing.reason]++;
    else
      for (const one of destinations)
        add(streams, one, { index: count, bytes, isDirect: routing.isDirect });
    count++;
  }
  assert(count > 0, 'a release of nothing');
  const sendings = [...streams.values()].map(({ destination, indexes, recordedBefore }) => {
    return { destination, indexes, recordedBefore };
  });
  return { count, sendings, dropped };
}

interface Draft extends Sending {
  readonly indexes: number[];
  readonly recordedBefore: number[];
  bytes: number;
}

function hasRoom(
  streams: ReadonlyMap<StreamId, Draft>,
  destinations: readonly StreamDestination[],
  bytes: number,
): boolean {
  const isBelow = ({ id }: StreamDestination) =>
    (streams.get(id)?.bytes ?? 0) + bytes <= STREAM_BYTES_MAX;
  const added = destinations.filter(({ id }) => !streams.has(id)).length;
  return streams.size + added <= STREAMS_MAX && destinations.every(isBelow);
}

function add(
  streams: Map<StreamId, Draft>,
  destination: StreamDestination,
  {
    index,
    bytes,
    isDirect,
  }: { readonly index: number; readonly bytes: number; readonly isDirect: boolean },
): void {
  const draft = streams.get(destination.id) ?? {
    destination,
    indexes: [],
    recordedBefore: [],
    bytes: 0,
  };
  if (isDirect) draft.recordedBefore.push(draft.indexes.length);
  draft.indexes.push(index);
  draft.bytes += bytes;
  streams.set(destination.id, draft);
}
