/**
 * The client library: `connect({ url })` publishes, reads and follows over HTTP. It uses `fetch`, web
 * streams and one timer, so it runs in Node 20 and newer, browsers and Deno.
 */
import { type ConsumeOptions, Consumer, type ConsumerOptions } from './consumer.ts';
import { type FollowOptions, followMessages } from './follow.ts';
import { type LinkedAbort, linkAbort } from './linked-abort.ts';
import type { Message } from './message.ts';
import { loadPage, type Page } from './page.ts';
import { Publisher, type PublisherOptions } from './publisher.ts';
import { type LoadPage, type ReadOptions, readMessages, readPages } from './read.ts';
import {
  RETRY_DEFAULTS,
  type RetryEvent,
  type Retrying,
  type RetryPolicy,
  retried,
} from './retry.ts';
import { systemTimer, type Timer } from './timer.ts';
import { type ClientHeaders, createTransport } from './transport.ts';

export interface ConnectOptions {
  /** Of the server: `http://127.0.0.1:4600`. */
  readonly url: string;
  /** Sent with every request; a function is asked each time, for tokens that expire. */
  readonly headers?: ClientHeaders | (() => ClientHeaders | Promise<ClientHeaders>);
  readonly fetch?: typeof fetch;
  readonly retry?: Partial<RetryPolicy>;
  /** Told before each wait for another try. */
  readonly onRetry?: (event: RetryEvent) => void;
  /** How long a request may take, 30 s by default. */
  readonly timeoutMs?: number;
  /** Time and chance, for tests that must not depend on them. */
  readonly timer?: Timer;
  readonly random?: () => number;
}

/** Ends, and frees its connection at once, when the loop over it is left. */
export interface Reading<Item> extends AsyncIterableIterator<Item, void, void> {
  return(): Promise<IteratorResult<Item, void>>;
}

export interface Client {
  publisher(options: PublisherOptions): Publisher;
  /** The messages from a position to the tail. Throws the signal's reason when that aborts. */
  read(options: ReadOptions): Reading<Message>;
  /** The same by pages, whose messages are decoded only when they are iterated. */
  pages(options: ReadOptions): Reading<Page>;
  /** The messages from a position on, without end. The signal ends it, without an error. */
  follow(options: FollowOptions): Reading<Message>;
  /** An offset kept by the server under a name. */
  consumer(options: ConsumerOptions): Consumer;
  /**
   * The pages behind a consumer's stored offset, without end: each is committed when the next one is asked for,
   * so what was not handled comes again. The signal ends it, without an error.
   */
  consume(options: ConsumerOptions & ConsumeOptions): Reading<Page>;
}

const TIMEOUT_MS_DEFAULT = 30_000;

export function connect(options: ConnectOptions): Client {
  const { headers = {}, timer = systemTimer, onRetry } = options;
  const transport = createTransport({
    url: baseUrl(options.url),
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    headers: typeof headers === 'function' ? headers : () => headers,
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS_DEFAULT,
    timer,
  });
  const retrying: Retrying = {
    policy: { ...RETRY_DEFAULTS, ...options.retry },
    timer,
    random: options.random ?? Math.random,
    ...(onRetry && { onRetry }),
  };
  const load: LoadPage = (query, signal) =>
    retried(retrying, signal, () => loadPage(transport, query, signal));
  const { signal } = new AbortController();
  const consumer = (given: ConsumerOptions) =>
    new Consumer({ transport, retrying, load, signal }, given);
  return {
    publisher: (given) => new Publisher({ transport, retrying, signal }, given),
    read: (given) => reading(given, (bound) => readMessages(load, bound)),
    pages: (given) => reading(given, (bound) => readPages(load, bound)),
    follow: (given) =>
      reading(given, (bound) => followMessages({ transport, timer, retrying }, bound)),
    consumer,
    consume: (given) => reading(given, (bound) => consumer(given).pages(bound)),
  };
}

/** Throws TypeError when it is no URL. */
function baseUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

/**
 * A generator answers `return` only between two items. This one is let go at once, also while it waits
 * for a message that may never come.
 */
function reading<Item, Options extends { readonly signal?: AbortSignal }>(
  options: Options,
  start: (options: Options & { readonly signal: AbortSignal }) => AsyncGenerator<Item, void, void>,
): Reading<Item> {
  const life: LinkedAbort = linkAbort(options.signal);
  const items = start({ ...options, signal: life.signal });
  return {
    async next() {
      try {
        const item = await items.next();
        if (item.done) life.end();
        return item;
      } catch (error) {
        life.end();
        throw error;
      }
    },
    async return() {
      life.end();
      // What was waited for is told to whoever asked for it.
      return await items.return();
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
