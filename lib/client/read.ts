/**
 * Reads what is there: pages from a position to the tail, each asked for while the one before is used.
 * Goes on over broken connections from where it was: no message twice, none left out.
 */
import { READ_LIMIT_MAX } from '../wire/request-limits.ts';
import type { FilterOptions } from './filter.ts';
import { linkAbort } from './linked-abort.ts';
import type { Message } from './message.ts';
import type { Gap, Page, PageQuery } from './page.ts';

export interface StartOptions extends FilterOptions {
  readonly stream: string;
  /** A position of the API: an offset, `first` (the default), `last`, `next`, -100, `ts:…`, `1h`. */
  readonly from?: number | string;
  /** Reads as this consumer: without `from` it starts at the offset that is stored for it. */
  readonly consumer?: string;
  /** Of a consumer: stored before anything is read, unless more is stored. */
  readonly commit?: number;
  /** Of a consumer: what is stored goes before `from`, which is then for the first time. */
  readonly track?: boolean;
  /** Of a consumer: where it starts when nothing is stored; `first` unless given. */
  readonly fromDefault?: number | string;
  /**
   * Called where messages are missing that were asked for, with the next message still to come. Without
   * it a gap is an error, `offset_trimmed`: nothing is left out silently.
   */
  readonly onGap?: (gap: Gap) => void;
  /** What an offset beyond the end means: the end (the default), or 416 `offset_past_tail`. */
  readonly onFuture?: 'clamp' | 'error';
  /** How much a page holds: 1 MiB by default, 4 MiB at most. Two are held at a time. */
  readonly pageBytes?: number;
  readonly signal?: AbortSignal;
}

export interface ReadOptions extends StartOptions {
  /** Messages in all. */
  readonly limit?: number;
  /** Ends before the first message of this time or later: milliseconds, or RFC 3339. */
  readonly until?: number | string;
}

export type LoadPage = (query: PageQuery, signal: AbortSignal) => Promise<Page>;

/** Where a reader is. Moved on before a message is handed out, so that it is never asked for again. */
export interface ReadCursor {
  /** Undefined for a consumer that goes by what is stored. */
  from: number | string | undefined;
  /** Undefined until the first answer. */
  streamId: string | undefined;
}

export function startOf({ from, consumer }: StartOptions): ReadCursor {
  return { from: from ?? (consumer === undefined ? 'first' : undefined), streamId: undefined };
}

/** Only the first request is the consumer's: from its answer on a reader knows where it is. */
export function pageQuery(options: ReadOptions, cursor: ReadCursor): PageQuery {
  const { from, streamId } = cursor;
  const { stream, onGap, onFuture = 'clamp', until, pageBytes } = options;
  const { filter, match, matchUnfiltered } = options;
  return {
    stream,
    filter,
    match,
    matchUnfiltered,
    from,
    streamId,
    onGap: onGap === undefined ? 'error' : 'continue',
    // A reader that was told where to go on is never moved back from there.
    onFuture: streamId === undefined ? onFuture : 'error',
    bytesMax: pageBytes,
    until,
    ...(streamId === undefined && consumerQuery(options)),
  };
}

export function firstQuery(options: ReadOptions): PageQuery {
  return pageQuery(options, startOf(options));
}

function consumerQuery({ consumer, commit, track, fromDefault }: StartOptions) {
  return { consumer, commit, track, fromDefault };
}

export async function* readPages(
  load: LoadPage,
  options: ReadOptions & { readonly signal: AbortSignal },
  cursor: ReadCursor = startOf(options),
): AsyncGenerator<Page, void, void> {
  const life = linkAbort(options.signal);
  let left = options.limit ?? Number.POSITIVE_INFINITY;
  const ask = (place: ReadCursor) =>
    load({ ...pageQuery(options, place), limit: Math.min(left, READ_LIMIT_MAX) }, life.signal);
  try {
    let coming: Promise<Page> | undefined = left > 0 ? ask(cursor) : undefined;
    while (coming !== undefined) {
      const page: Page = await coming;
      left -= page.count;
      const behind = { from: page.next, streamId: page.streamId };
      coming = isLast(page, left) ? undefined : ask(behind);
      // It may fail while this page is used; it is told when its turn comes.
      coming?.catch(() => undefined);
      if (page.gap !== undefined) options.onGap?.(page.gap);
      yield page;
    }
  } finally {
    life.end();
  }
}

/** A page that got nowhere and is not at the tail was ended by `until`. */
function isLast({ count, gap, isUpToDate, start, next }: Page, left: number): boolean {
  const isStuck = count === 0 && gap === undefined && next === start;
  return isUpToDate || left <= 0 || isStuck;
}

export async function* readMessages(
  load: LoadPage,
  options: ReadOptions & { readonly signal: AbortSignal },
): AsyncGenerator<Message, void, void> {
  for await (const page of readPages(load, options)) yield* page.messages;
}
