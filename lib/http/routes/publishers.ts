/** `/v1/streams/{s}/publishers`: the highest publishing ids (SPEC D8). */
import type { PublisherEntry } from '../../ports/log-store.ts';
import { listPublishers, showPublisher } from '../../services/show-publishers.ts';
import { jsonEntityAnswer } from '../entity.ts';
import { parseListQuery } from '../list-query.ts';
import { refuseQuery } from '../no-query.ts';
import { listPublishersOperation, showPublisherOperation } from '../operations/publishers.ts';
import { publisherParam, type Route, streamParam } from '../route.ts';

export const publisherRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/streams/:stream/publishers',
    permission: 'read',
    operation: listPublishersOperation,
    async handle(request) {
      const query = parseListQuery(request.raw.url);
      const page = await listPublishers(request.components, streamParam(request), query);
      const { items, hasMore } = page;
      return jsonEntityAnswer(request, {
        items: items.map(publisherMembers),
        has_more: hasMore,
      });
    },
  },
  {
    method: 'GET',
    path: '/v1/streams/:stream/publishers/:publisher',
    permission: 'read',
    operation: showPublisherOperation,
    async handle(request) {
      refuseQuery(request.raw.url);
      const [stream, publisher] = [streamParam(request), publisherParam(request)];
      const entry = await showPublisher(request.components, stream, publisher);
      return jsonEntityAnswer(request, publisherMembers(entry));
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
