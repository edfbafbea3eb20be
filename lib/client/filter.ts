/**
 * Filters as readers give them, and the request that asks with one: in the query, or in the body of the
 * same read by POST where it would make a URL that something on the way may refuse.
 */
import { type ClientRequest, streamPath } from './transport.ts';

/** Values with a comma between them, an object of headers and places, or several of those (SPEC F1-F3). */
export type Filter = string | { readonly [name: string]: unknown } | readonly Filter[];

export interface FilterOptions {
  /** Only messages that match: `'north,south'`, `{ region: 'eu' }`, `{ 'geo-within-radius': {…} }`. */
  readonly filter?: Filter | undefined;
  /** Whether all parts of the filter are to match (the default), or any. */
  readonly match?: 'all' | 'any' | undefined;
  /** Messages without a filter value too, whatever else is asked for. */
  readonly matchUnfiltered?: boolean | undefined;
}

/** Half of what some proxies take as a whole line. */
const QUERY_CHARS_MAX = 4_096;

type Parameters = NonNullable<ClientRequest['query']>;

export interface ReadPlace {
  readonly stream: string;
  /** What is wanted. */
  readonly accept: string;
}

export function readRequest(
  { stream, accept }: ReadPlace,
  { filter, match, matchUnfiltered }: FilterOptions,
  parameters: Parameters,
): Omit<ClientRequest, 'signal' | 'waitMs'> {
  const asked = { ...parameters, match, match_unfiltered: matchUnfiltered };
  const text = filter === undefined ? undefined : queryText(filter);
  if (text === undefined || encodeURIComponent(text).length <= QUERY_CHARS_MAX) {
    const path = streamPath(stream, 'messages');
    return { method: 'GET', path, query: { ...asked, filter: text }, headers: { accept } };
  }
  return {
    method: 'POST',
    path: streamPath(stream, 'read'),
    headers: { accept, 'content-type': 'application/json' },
    body: new TextEncoder().encode(JSON.stringify({ ...asked, filter })),
    changesNothing: parameters['commit'] === undefined,
  };
}

/** A text that begins like JSON would be read as such. */
function queryText(filter: Filter): string {
  const isPlain = typeof filter === 'string' && !/^\s*[[{]/.test(filter);
  return isPlain ? filter : JSON.stringify(typeof filter === 'string' ? [filter] : filter);
}
