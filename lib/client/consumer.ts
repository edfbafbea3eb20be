/**
 * A consumer: an offset that the server keeps under a name. `consume` reads on from it for ever, page after page, and
 * commits a page when the next one is asked for: what was not handled when a process ended comes again.
 */
import { WAIT_SECONDS_MAX } from '../wire/request-limits.ts';
import { ClientError } from './client-error.ts';
import type { FilterOptions } from './filter.ts';
import { integer, type Page, type PageQuery } from './page.ts';
import { firstQuery, type LoadPage, type StartOptions } from './read.ts';
import { type Retrying, retried } from './retry.ts';
import { streamPath, type Transport } from './transport.ts';

export interface ConsumerOptions {
  readonly stream: string;
  /** Up to 255 bytes; whoever uses the same name shares its offset. */
  readonly name: string;
}

/** What reading by pages takes, but for a position: that is the stored one. */
export interface ConsumeOptions
  extends FilterOptions,
    Pick<StartOptions, 'onGap' | 'pageBytes' | 'signal' | 'fromDefault'> {
  /** Messages of a page at most. */
  readonly pageMessages?: number;
}

export interface ConsumerTools {
  readonly transport: Transport;
  readonly retrying: Retrying;
  readonly load: LoadPage;
  readonly signal: AbortSignal;
}

export class Consumer {
  readonly #tools: ConsumerTools;
  readonly #options: ConsumerOptions;
  readonly #path: string;

  constructor(tools: ConsumerTools, options: ConsumerOptions) {
    this.#tools = tools;
    this.#options = options;
    this.#path = streamPath(options.stream, 'consumers', options.name);
  }

  /** The first message that it has not handled; undefined when nothing is stored, which is not 0. */
  async get(): Promise<number | undefined> {
    try {
      return await this.#ask('GET', this.#path);
    } catch (error) {
      if (error instanceof ClientError && error.code === 'no_stored_offset') return undefined;
      throw error;
    }
  }

  /** Replaces what is stored, also by less. Gives what is stored now, as {@link ack} does. */
  set(next: number): Promise<number> {
    return this.#ask('PUT', this.#path, { next });
  }

  /** Stores that all up to this message is handled, unless more is stored: it may come twice, and late. */
  ack(through: number): Promise<number> {
    return this.#ask('POST', `${this.#path}/ack`, { through });
  }

  async *pages(
    options: ConsumeOptions & { readonly signal: AbortSignal },
  ): AsyncGenerator<Page, void, void> {
    let page = await this.#next(options, undefined);
    while (page !== undefined) {
      if (page.gap !== undefined) options.onGap?.(page.gap);
      if (page.count > 0) yield page;
      page = await this.#next(options, page);
    }
  }

  /** Undefined when the signal has ended it. */
  async #next(
    options: ConsumeOptions & { readonly signal: AbortSignal },
    before: Page | undefined,
  ): Promise<Page | undefined> {
    const { signal } = options;
    if (signal.aborted) return undefined;
    try {
      return await this.#tools.load(this.#query(options, before), signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  /** From the first answer on by its `next`: what `fromDefault` means may be another place a moment later. */
  #query(options: ConsumeOptions, before: Page | undefined): PageQuery {
    const { stream, name } = this.#options;
    const query = firstQuery({ ...options, stream, consumer: name });
    return {
      ...query,
      limit: options.pageMessages,
      waitSeconds: WAIT_SECONDS_MAX,
      streamId: before?.streamId,
      commit: before?.next,
    };
  }

  async #ask(method: 'GET' | 'PUT' | 'POST', path: string, body?: object): Promise<number> {
    const { transport, retrying, signal } = this.#tools;
    const bytes = body && new TextEncoder().encode(JSON.stringify(body));
    const answer = await retried(retrying, signal, () =>
      transport.exchange({
        method,
        path,
        signal,
        ...(bytes && { headers: { 'content-type': 'application/json' }, body: bytes }),
      }),
    );
    const text = new TextDecoder().decode(answer.bytes);
    return integer(/"next":([0-9]+)[,}]/.exec(text)?.[1], 'next');
  }
}
