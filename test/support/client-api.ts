/** The client library on an API in this process: real answers, without a socket in between. */
import { type Client, type ConnectOptions, connect } from '../../lib/client/connect.ts';
import type { Message } from '../../lib/client/message.ts';
import type { Api } from './api.ts';
import { createPromptTimer } from './client-timers.ts';

/** No wait is slept through; a second try comes as soon as the first one failed. */
export function clientOf(api: Api, options: Partial<ConnectOptions> = {}): Client {
  return connect({
    url: 'http://127.0.0.1:4600',
    fetch: fetchOf(api),
    timer: createPromptTimer(),
    random: () => 0,
    ...options,
  });
}

/** `fetch` as the client calls it: an address as text, bytes as the body. */
export function fetchOf(api: Api): typeof fetch {
  return async (input, init = {}) => {
    const { pathname, search } = new URL(String(input));
    const { method = 'GET', headers, body, signal } = init;
    return await api.open(`${method} ${pathname}${search}`, {
      headers: Object.fromEntries(new Headers(headers)),
      ...(body instanceof Uint8Array && { body }),
      ...(signal && { signal }),
    });
  };
}

/** A fetch that a test may answer first: what it returns is the answer, undefined lets the API answer. */
export function interceptedFetch(
  api: Api,
  intercept: (call: string, number: number) => Response | Promise<Response> | undefined,
): typeof fetch {
  const pass = fetchOf(api);
  let number = 0;
  return async (input, init) => {
    const call = `${init?.method ?? 'GET'} ${String(input).replace('http://127.0.0.1:4600', '')}`;
    return (await intercept(call, number++)) ?? (await pass(input, init));
  };
}

/** The next so many, leaving the iterator where it is. */
export async function take<Item>(
  items: AsyncIterator<Item, void, void>,
  count: number,
): Promise<Item[]> {
  const taken: Item[] = [];
  while (taken.length < count) {
    const { value, done } = await items.next();
    if (done) break;
    taken.push(value);
  }
  return taken;
}

export async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const taken: Item[] = [];
  for await (const item of items) taken.push(item);
  return taken;
}

export function offsets(messages: readonly Message[]): readonly number[] {
  return messages.map(({ offset }) => offset);
}

export function bodies(messages: readonly Message[]): readonly string[] {
  return messages.map((message) => message.text());
}
