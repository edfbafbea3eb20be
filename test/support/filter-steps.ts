/** What tests of filtered reads do over and over, on the stream `s`. */
import type { Answer, Api } from './api.ts';
import { createStream, publish, STREAM } from './publish-steps.ts';
import { offsetsOf, type Page, pageOf, type Query, read } from './read-steps.ts';

export type Headers = Readonly<Record<string, unknown>>;

export function valued(value: string, rest: Headers = {}): { readonly headers: Headers } {
  return { headers: { 'x-stream-filter-value': value, ...rest } };
}

export function placed(lat: unknown, lon: unknown, rest: Headers = {}) {
  return { headers: { 'x-geo-lat': lat, 'x-geo-lon': lon, ...rest } };
}

/** Messages of which only the headers matter. */
export async function publishAll(api: Api, messages: readonly object[]): Promise<void> {
  const answer = await publish(
    api,
    messages.map((message) => ({ text: 'm', ...message })),
  );
  if (answer.status !== 200 && answer.status !== 201) throw new Error(answer.text);
}

/** Six messages: none, `foo`, `bar`, both and a header of its own, three, none. One request each. */
export async function createFiltered(api: Api, settings: object = {}): Promise<void> {
  await createStream(api, settings);
  const messages = [
    {},
    valued('foo'),
    valued('bar'),
    valued('foo,bar', { 'x-foo': 'bar' }),
    valued('foo,bar,xyz'),
    {},
  ];
  for (const message of messages) await publishAll(api, [message]);
}

/** A filter as a query has it. */
export function filterText(filter: unknown): string {
  return typeof filter === 'string' ? filter : JSON.stringify(filter);
}

export async function filteredOffsets(api: Api, query: Query): Promise<readonly number[]> {
  return offsetsOf(pageOf(await read(api, query)));
}

/** The same by `POST …/read`: members as JSON, the filter as its text. */
export function readByBody(api: Api, members: object, filter?: string): Promise<Answer> {
  const text = JSON.stringify(members);
  const body =
    filter === undefined
      ? text
      : `${text.slice(0, -1)}${text === '{}' ? '' : ','}"filter":${filter}}`;
  const headers = { 'content-type': 'application/json' };
  return api.call(`POST ${STREAM}/read`, { body, headers });
}

/** All pages from a position on, by `next`. */
export async function walk(api: Api, query: Query, pagesMax = 1_000): Promise<readonly Page[]> {
  const pages: Page[] = [];
  for (let from = query['from'] ?? 0; pages.length < pagesMax; from = pages.at(-1)?.next ?? 0) {
    const page = pageOf(await read(api, { ...query, from, wait: 0 }));
    pages.push(page);
    if (page.up_to_date) return pages;
    if (page.next <= Number(from)) throw new Error(`no progress at ${from}`);
  }
  throw new Error('no end');
}
