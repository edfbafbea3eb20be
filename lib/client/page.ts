/**
 * A page of messages: the binary answer of a read, held to what it must be. A page whose messages do not
 * follow each other from where it was asked for to its `next` was cut off on its way, and is refused; with a
 * filter they need only rise.
 */
import { decodeFrames, type Frame, MESSAGES_TYPE } from '../wire/frame.ts';
import { decodeRecord } from '../wire/record.ts';
import { Malformed, VarintReader } from '../wire/varint.ts';
import { badAnswer } from './client-error.ts';
import { type FilterOptions, readRequest } from './filter.ts';
import { Message } from './message.ts';
import type { Transport, WholeAnswer } from './transport.ts';

/** Messages that were asked for and are no longer retained (SPEC O5, O16). */
export interface Gap {
  readonly requested: number;
  readonly firstAvailable: number;
  readonly missing: number;
}

export interface Page {
  /** Decoded as they are iterated; `count` and the offsets cost nothing. */
  readonly messages: Iterable<Message>;
  readonly count: number;
  /** Of the first message, or `next` when there is none. */
  readonly start: number;
  /** Where reading goes on. */
  readonly next: number;
  /** Nothing lay behind this page when it was read. */
  readonly isUpToDate: boolean;
  readonly streamId: string;
  /** What is missing before this page. */
  readonly gap?: Gap;
}

export interface PageQuery extends FilterOptions {
  readonly stream: string;
  /** Undefined for what is stored for the consumer. */
  readonly from: number | string | undefined;
  /** Of the pages before: another incarnation of the stream is `stream_recreated`. */
  readonly streamId: string | undefined;
  readonly onGap: 'continue' | 'error';
  readonly onFuture: 'clamp' | 'error';
  readonly limit?: number | undefined;
  readonly bytesMax?: number | undefined;
  readonly until?: number | string | undefined;
  readonly consumer?: string | undefined;
  readonly commit?: number | undefined;
  readonly track?: boolean | undefined;
  readonly fromDefault?: number | string | undefined;
  /** How long to wait for the first message. */
  readonly waitSeconds?: number | undefined;
}

/** Asks once. */
export async function loadPage(
  transport: Transport,
  query: PageQuery,
  signal: AbortSignal,
): Promise<Page> {
  const { limit, bytesMax, until, waitSeconds } = query;
  const place = { stream: query.stream, accept: MESSAGES_TYPE };
  const bounds = { limit, max_bytes: bytesMax, until, wait: waitSeconds };
  const answer = await transport.exchange({
    ...readRequest(place, query, { ...startQuery(query), ...bounds }),
    signal,
    waitMs: (waitSeconds ?? 0) * 1_000,
  });
  return decodePage(answer, query);
}

/** The same for pages and for event streams. */
export function startQuery({ from, streamId, onGap, onFuture, ...query }: PageQuery) {
  const { consumer, commit, track, fromDefault } = query;
  return {
    from,
    on_gap: onGap,
    on_future: onFuture,
    if_stream_id: streamId,
    consumer,
    commit,
    track,
    from_default: fromDefault,
  };
}

function decodePage({ headers, bytes }: WholeAnswer, { from, track, filter }: PageQuery): Page {
  const gap = headers.has('varve-gap') ? parseGap(headers.get('varve-gap') ?? '') : undefined;
  const next = integer(headers.get('varve-next'), 'Varve-Next');
  const streamId = headers.get('varve-stream-id');
  if (streamId === null) throw badAnswer('it has no Varve-Stream-Id');

  const frames = wellFormed(() => decodeFrames(bytes));
  const count = frames.reduce((sum, frame) => sum + frame.count, 0);
  const start = gap?.firstAvailable ?? resolvedOffset(headers.get('varve-resolved'));
  const asked = gap?.requested ?? start;
  const isAsked = typeof from === 'number' && from >= 0 && !track;
  const isExact = isAsked && !headers.has('varve-clamped');
  const isFiltered = filter !== undefined;
  // One that waited may meet a gap behind what it passed over.
  if (isExact && (isFiltered ? asked < from : asked !== from)) {
    throw badAnswer(`it begins at ${asked}, not at ${from}`);
  }
  refuseHoles(frames, { start, next, isFiltered });
  return {
    messages: { [Symbol.iterator]: () => decodeMessages(frames) },
    count,
    start,
    next,
    isUpToDate: headers.get('varve-up-to-date') === 'true',
    streamId,
    ...(gap && { gap }),
  };
}

/** `{"from":"-100","offset":20,"why":"…"}` */
function resolvedOffset(text: string | null): number {
  return integer(/"offset":([0-9]+)[,}]/.exec(text ?? '')?.[1], 'Varve-Resolved');
}

interface PageRange {
  readonly start: number;
  readonly next: number;
  /** Then what lies between its messages was left out. */
  readonly isFiltered: boolean;
}

function refuseHoles(frames: readonly Frame[], { start, next, isFiltered }: PageRange): void {
  const end = frames.reduce((expected, { position, count }) => {
    const base = position?.base ?? Number.NaN;
    if (isFiltered ? base >= expected : base === expected) return base + count;
    throw badAnswer(`${position?.base} follows where ${expected} is due`);
  }, start);
  if (isFiltered ? end > next : end !== next) throw badAnswer(`it ends at ${end}, not at ${next}`);
}

function* decodeMessages(frames: readonly Frame[]): Generator<Message, void, void> {
  for (const { count, records, position } of frames) {
    const reader = new VarintReader(records);
    const base = position?.base ?? 0;
    const timestamp = position?.timestampMs ?? 0;
    for (let index = 0; index < count; index++) {
      yield new Message(
        { offset: base + index, timestamp },
        wellFormed(() => decodeRecord(reader)),
      );
    }
  }
}

function wellFormed<Value>(decode: () => Value): Value {
  try {
    return decode();
  } catch (cause) {
    if (!(cause instanceof Malformed)) throw cause;
    throw badAnswer(cause.message, cause);
  }
}

/** `{"requested":100,"first_available":120,"missing":20}` */
export function parseGap(text: string): Gap {
  const member = (name: string) =>
    integer(new RegExp(`"${name}":([0-9]+)[,}]`).exec(text)?.[1], name);
  return {
    requested: member('requested'),
    firstAvailable: member('first_available'),
    missing: member('missing'),
  };
}

/** Throws when it is none: a place in the stream is never guessed (SPEC O17). */
export function integer(text: string | null | undefined, name: string): number {
  const value = Number(text);
  if (text && /^[0-9]+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw badAnswer(`${name} is ${JSON.stringify(text)}`);
}
