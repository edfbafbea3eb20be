/** What tests of reading do over and over, on the stream `s`. */
import type { Answer, Api } from './api.ts';
import {
  createStream,
  numbered,
  publish,
  type ReadMessage,
  STREAM,
  told,
} from './publish-steps.ts';

export interface Page {
  readonly messages: readonly ReadMessage[];
  readonly next: number;
  readonly first: number;
  readonly tail: number;
  readonly up_to_date: boolean;
  readonly resolved: { readonly from: string; readonly offset: number; readonly why: string };
  readonly stream_id: string;
  readonly gap?: object;
  readonly clamped?: boolean;
  readonly poll_after_ms: number;
}

/** Query parameters by name; what is undefined is left out. */
export type Query = { readonly [name: string]: string | number | undefined };

export function queryText(query: Query): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  return pairs.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
}

export function read(api: Api, query: Query = {}): Promise<Answer> {
  return api.call(`GET ${STREAM}/messages?${queryText(query)}`);
}

export async function readPage(api: Api, query: Query = {}): Promise<Page> {
  return pageOf(await read(api, query));
}

export function pageOf(answer: Answer): Page {
  if (answer.status !== 200) throw new Error(`no page: ${answer.text}`);
  return JSON.parse(answer.text);
}

export function offsetsOf({ messages }: Page): readonly number[] {
  return messages.map(({ offset }) => offset);
}

/** `[start, end)` as a list. */
export function range(start: number, end: number): readonly number[] {
  return Array.from({ length: end - start }, (_, index) => start + index);
}

/** What `/offsets` answers, with its status. */
export async function resolve(api: Api, query: Query): Promise<Record<string, unknown>> {
  return told(await api.call(`GET ${STREAM}/offsets?${queryText(query)}`));
}

/** One request for each number, of so many messages, one after the other. */
export async function publishEach(api: Api, ...counts: readonly number[]): Promise<void> {
  for (const count of counts) await publish(api, numbered(count));
}

export async function trim(api: Api, before: number): Promise<Answer> {
  return await api.call(`POST ${STREAM}/trim`, { body: { before } });
}

/** A stream of which [first, next) is retained, in two chunks. */
export async function retained(api: Api, first: number, next: number): Promise<void> {
  await createStream(api);
  await publishEach(api, next - 1, 1);
  await trim(api, first);
}
