/** What tests of exchanges do over and over. */
import type { Answer, Api } from './api.ts';
import { type ReadMessage, readMessages, told } from './publish-steps.ts';

type Told = Promise<Record<string, unknown>>;

export function exchangePath(name: string): string {
  return `/v1/exchanges/${encodeURIComponent(name)}`;
}

export async function declareExchange(api: Api, name: string, body: object): Told {
  return told(await api.call(`PUT ${exchangePath(name)}`, { body }));
}

export async function declareStreams(api: Api, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    const answer = await api.call(`PUT /v1/streams/${encodeURIComponent(name)}`);
    if (answer.status >= 300) throw new Error(`no stream: ${answer.text}`);
  }
}

export interface WantedBinding {
  readonly key?: string;
  readonly args?: object;
  readonly type?: 'stream' | 'exchange' | 'queue';
}

export async function bind(
  api: Api,
  [source, destination]: readonly [source: string, destination: string],
  { key, args, type = 'stream' }: WantedBinding = {},
): Told {
  const body = {
    destination_type: type,
    destination,
    ...(key !== undefined && { routing_key: key }),
    ...(args !== undefined && { arguments: args }),
  };
  return told(await api.call(`POST ${exchangePath(source)}/bindings`, { body }));
}

export async function unbind(api: Api, source: string, name: unknown): Promise<number> {
  return (await api.call(`DELETE ${exchangePath(source)}/bindings/${name}`)).status;
}

/** Names of what is bound, in their order. */
export async function boundTo(api: Api, source: string): Promise<readonly string[]> {
  const answer = await api.call(`GET ${exchangePath(source)}/bindings?limit=1000`);
  const { items }: { items?: readonly { readonly name: string }[] } = answer.json();
  if (items === undefined) throw new Error(`no list: ${answer.text}`);
  return items.map(({ name }) => name);
}

/** A message, or all of an envelope: `{messages, …options}`. */
export function send(api: Api, exchange: string, sent: object): Promise<Answer> {
  const body = 'messages' in sent ? sent : { messages: [{ text: 'm', ...sent }] };
  return api.call(`POST ${exchangePath(exchange)}/messages`, { body });
}

/** One plain message with these options. */
export function withOptions(options: object): object {
  return { messages: [{ text: 'm' }], ...options };
}

/** A fanout exchange `e` with these streams bound to it. */
export async function fanout(api: Api, ...streams: readonly string[]): Promise<void> {
  await declareStreams(api, ...streams);
  await declareExchange(api, 'e', { type: 'fanout' });
  for (const stream of streams) await bind(api, ['e', stream]);
}

export interface SentTo {
  readonly status: number;
  readonly routed: unknown;
  /** By stream. */
  readonly outcomes: { readonly [stream: string]: unknown };
}

/** What became of it, destination by destination. */
export function outcomesOf(answer: Answer): SentTo {
  const { routed, destinations }: Outcomes = answer.json();
  const entries = (destinations ?? []).map(({ stream, outcome }) => [stream, outcome] as const);
  return { status: answer.status, routed, outcomes: Object.fromEntries(entries) };
}

interface Outcomes {
  readonly routed?: unknown;
  readonly destinations?: readonly { readonly stream: string; readonly outcome: unknown }[];
}

/** The streams that took it, in the order of their names. */
export async function takers(api: Api, exchange: string, message: object): Promise<string[]> {
  const { status, outcomes } = outcomesOf(await send(api, exchange, message));
  if (status !== 200) throw new Error(`not published: ${status}`);
  return Object.keys(outcomes).sort();
}

export function messagesIn(api: Api, stream: string): Promise<readonly ReadMessage[]> {
  return readMessages(api, `/v1/streams/${encodeURIComponent(stream)}`);
}

export async function countsIn(api: Api, ...streams: readonly string[]): Promise<number[]> {
  const counts: number[] = [];
  for (const stream of streams) counts.push((await messagesIn(api, stream)).length);
  return counts;
}
