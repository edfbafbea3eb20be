/** `/v1/streams/{s}/publishers`: the highest publishing ids (SPEC D8). */
import type { PublisherEntry } from '../../ports/log-store.ts';
import { listPublishers, showPublisher } from '../../services/show-publishers.ts';
import { jsonAnswer } from '../answer.ts';
import { parseListQuery } from '../list-query.ts';
import { refuseQuery } from '../no-query.ts';
import { publisherParam, type Route, streamParam } from '../route.ts';

export const publisherRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/streams/:stream/publishers',
    permission: 'read',
    async handle(request) {
      const query = parseListQuery(request.raw.url);
      const page = await listPublishers(request.components, streamParam(request), query);
      const { items, hasMore } = page;
      return jsonAnswer({ items: items.map(publisherMembers), has_more: hasMore }, request);
    },
  },
  {
    method: 'GET',
    path: '/v1/streams/:stream/publishers/:publisher',
    permission: 'read',
    async handle(request) {
      refuseQuery(request.raw.url);
      const [stream, publisher] = [streamParam(request), publisherParam(request)];
      const entry = await showPublisher(request.components, stream, publisher);
      return jsonAnswer(publisherMembers(entry), request);
    },
  },
];

/** `name` too, as every list item has one. */
function publisherMembers({ name, record }: PublisherEntry) {
  return {
    name,
    publisher: name,
    publishing_id: record.highestId,
    ...(record.epoch !== undefined && { epoch: record.epoch }),
  };
}
