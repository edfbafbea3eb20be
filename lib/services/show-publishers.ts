/** What a stream remembers of its named publishers (SPEC D8): unknown is unknown, never 0. */
import type { PublisherName, StreamName } from '../core/log/ids.ts';
import type { ListQuery, PublisherEntry } from '../ports/log-store.ts';
import type { Components } from './components.ts';
import { type ListPage, listPage } from './list-page.ts';
import { loadStream } from './load-stream.ts';
import { LogError } from './log-error.ts';

export async function showPublisher(
  components: Components,
  stream: StreamName,
  name: PublisherName,
): Promise<PublisherEntry> {
  const { streamId } = await loadStream(components, stream);
  const record = await components.log.publisher(streamId, name);
  if (record !== undefined) return { name, record };

  throw new LogError(
    `publisher ${JSON.stringify(name)} has not published to stream ${JSON.stringify(stream)}, or was forgotten`,
    { code: 'publisher_not_found', details: { publisher: name } },
  );
}

export async function listPublishers(
  components: Components,
  stream: StreamName,
  query: ListQuery,
): Promise<ListPage<PublisherEntry>> {
  const { streamId } = await loadStream(components, stream);
  return await listPage(query, (wider) => components.log.listPublishers(streamId, wider));
}
