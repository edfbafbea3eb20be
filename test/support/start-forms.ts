/** The forms in which a reader can ask where it starts, each told as a JSON answer of the same members. */
import type { Api } from './api.ts';
import { STREAM, told } from './publish-steps.ts';
import { type Query, queryText, read, resolve } from './read-steps.ts';

export type Ask = (api: Api, query: Query) => Promise<Record<string, unknown>>;

/** Each has its start in `resolved`. */
export const START_FORMS: readonly [string, Ask][] = [
  ['a read', async (api, query) => told(await read(api, query))],
  [
    'a read by POST',
    async (api, query) => told(await api.call(`POST ${STREAM}/read`, { body: query })),
  ],
  ['its offset', resolve],
  ['an event stream', (api, query) => head(api, { ...query, as: 'sse', limit: 1 })],
  ['lines', (api, query) => head(api, { ...query, as: 'ndjson' })],
  [
    'lines that go on',
    (api, query) => head(api, { ...query, as: 'ndjson', follow: 'true', limit: 1 }),
  ],
];

/** What the headers say. */
async function head(api: Api, query: Query): Promise<Record<string, unknown>> {
  const response = await api.open(`GET ${STREAM}/messages?${queryText(query)}`);
  const { status, headers } = response;
  if (status !== 200) return { ...JSON.parse(await response.text()), status };
  await response.body?.cancel();
  return {
    status,
    resolved: JSON.parse(headers.get('varve-resolved') ?? ''),
    ...(headers.has('varve-gap') && { gap: JSON.parse(headers.get('varve-gap') ?? '') }),
  };
}
