/** `/v1/streams/{s}/consumers`: offsets that consumers store (SPEC C1-C7). */
import type { ConsumerName } from '../../core/log/ids.ts';
import { invalid, LogError } from '../../services/log-error.ts';
import {
  type ConsumerDescription,
  listConsumers,
  removeConsumer,
  saveOffset,
  showConsumer,
} from '../../services/stored-offsets.ts';
import { emptyAnswer, jsonAnswer } from '../answer.ts';
import { readControlBody } from '../control-body.ts';
import { jsonEntityAnswer } from '../entity.ts';
import { parseListQuery } from '../list-query.ts';
import { refuseQuery } from '../no-query.ts';
import {
  acknowledgeOperation,
  acknowledgeSchema,
  listConsumersOperation,
  removeConsumerOperation,
  removeConsumerSchema,
  showConsumerOperation,
  storeOffsetOperation,
  storeOffsetSchema,
} from '../operations/consumers.ts';
import { parseQuery } from '../query.ts';
import { type Route, type RouteRequest, streamParam } from '../route.ts';
import { consumerName } from '../schemas/reading-consumer.ts';

const LIST = '/v1/streams/:stream/consumers';
const PATH = `${LIST}/:consumer`;

export const consumerRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: LIST,
    permission: 'read',
    operation: listConsumersOperation,
    async handle(request) {
      const query = parseListQuery(request.raw.url);
      const page = await listConsumers(request.components, streamParam(request), query);
      const { items, hasMore } = page;
      return jsonEntityAnswer(request, { items: items.map(consumerMembers), has_more: hasMore });
    },
  },
  {
    method: 'GET',
    path: PATH,
    permission: 'read',
    operation: showConsumerOperation,
    async handle(request) {
      refuseQuery(request.raw.url);
      const [stream, name] = [streamParam(request), consumerParam(request)];
      const shown = await showConsumer(request.components, stream, name);
      return jsonAnswer(request, consumerMembers(shown));
    },
  },
  {
    method: 'PUT',
    path: PATH,
    permission: 'read',
    operation: storeOffsetOperation,
    async handle(request) {
      refuseQuery(request.raw.url);
      const [stream, name] = [streamParam(request), consumerParam(request)];
      const wanted = wantedOffset(await readControlBody(request, storeOffsetSchema));
      const saved = await saveOffset(request.components, { stream, name, kind: 'set', ...wanted });
      return jsonAnswer(request, consumerMembers(saved));
    },
  },
  {
    method: 'POST',
    path: `${PATH}/ack`,
    permission: 'read',
    operation: acknowledgeOperation,
    async handle(request) {
      refuseQuery(request.raw.url);
      const [stream, name] = [streamParam(request), consumerParam(request)];
      const { through } = await readControlBody(request, acknowledgeSchema);
      const wanted = { next: through + 1, given: { field: 'through', value: through } };
      const saved = await saveOffset(request.components, {
        stream,
        name,
        kind: 'raise',
        ...wanted,
      });
      return jsonAnswer(request, consumerMembers(saved));
    },
  },
  {
    method: 'DELETE',
    path: PATH,
    permission: 'read',
    operation: removeConsumerOperation,
    async handle(request) {
      const { if_exists } = parseQuery(request.raw.url, removeConsumerSchema);
      const [stream, name] = [streamParam(request), consumerParam(request)];
      const isRemoved = await removeConsumer(request.components, stream, name);
      if (!isRemoved && !if_exists) throw notFound(name);
      return emptyAnswer(request);
    },
  },
];

function consumerParam(request: RouteRequest): ConsumerName {
  return consumerName(request.param('consumer'));
}

function wantedOffset({
  next,
  processed,
}: {
  next?: number | undefined;
  processed?: number | undefined;
}) {
  if (next !== undefined && processed !== undefined) {
    throw invalid('processed', 'processed says the same as next: give one of them');
  }
  if (processed !== undefined) {
    return { next: processed + 1, given: { field: 'processed', value: processed } };
  }
  if (next === undefined) {
    throw invalid('next', 'next is missing: give the first message that the consumer has not read');
  }
  return { next, given: { field: 'next', value: next } };
}

/** `name` too, as every list item has one. */
function consumerMembers({ name, stored, lag }: ConsumerDescription) {
  return {
    name,
    consumer: name,
    next: stored.next,
    processed: stored.next === 0 ? null : stored.next - 1,
    updated_at: stored.writtenMs,
    lag,
  };
}

function notFound(name: ConsumerName): LogError {
  return new LogError(`there is no consumer ${JSON.stringify(name)} to remove`, {
    code: 'consumer_not_found',
    details: { consumer: name },
  });
}
