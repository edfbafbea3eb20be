/** `/v1/delayed` and `/v1/delayed/{id}`: messages that are held until their time (SPEC L10). */

import { parseStreamName } from '../../core/log/ids.ts';
import { LIST_LIMIT_DEFAULT } from '../../core/log/limits.ts';
import { parseExchangeName } from '../../core/routing/exchange.ts';
import {
  cancelHeld,
  type HeldBy,
  type HeldListQuery,
  heldNotFound,
  listHeld,
  showHeld,
} from '../../services/held-list.ts';
import { invalid, LogError } from '../../services/log-error.ts';
import { emptyAnswer } from '../answer.ts';
import { jsonEntityAnswer, jsonTextEntityAnswer } from '../entity.ts';
import { refuseQuery } from '../no-query.ts';
import {
  cancelHeldOperation,
  listHeldOperation,
  showHeldOperation,
} from '../operations/delayed.ts';
import { deleteQuerySchema } from '../operations/streams.ts';
import { parseQuery } from '../query.ts';
import { heldJson, heldListMembers } from '../render/held-json.ts';
import type { Route } from '../route.ts';
import { heldQuerySchema } from '../schemas/delayed.ts';

const LIST = '/v1/delayed';
const PATH = `${LIST}/:delayed`;

export const delayedRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: LIST,
    permission: 'read',
    operation: listHeldOperation,
    async handle(request) {
      const page = await listHeld(request.components, parseHeldQuery(request.raw.url));
      return jsonEntityAnswer(request, heldListMembers(page));
    },
  },
  {
    method: 'GET',
    path: PATH,
    permission: 'read',
    operation: showHeldOperation,
    async handle(request) {
      refuseQuery(request.raw.url);
      const held = await showHeld(request.components, request.param('delayed'));
      return jsonTextEntityAnswer(request, heldJson(held));
    },
  },
  {
    method: 'DELETE',
    path: PATH,
    permission: 'write',
    operation: cancelHeldOperation,
    async handle(request) {
      const { if_exists = false } = parseQuery(request.raw.url, deleteQuerySchema);
      const id = request.param('delayed');
      const isCancelled = await cancelHeld(request.components, id);
      if (!(isCancelled || if_exists)) throw heldNotFound(id);
      return emptyAnswer(request);
    },
  },
];

function parseHeldQuery(url: string): HeldListQuery {
  const query = parseQuery(url, heldQuerySchema);
  const { start_after: startAfter = '', limit = LIST_LIMIT_DEFAULT, count = false } = query;
  if (!/^(?:[0-9a-f]{2}){0,22}$/.test(startAfter)) {
    throw invalid('start_after', 'start_after: give the id of the last one you were given');
  }
  const by = heldBy(query);
  return { ...(by && { by }), startAfter, limit, count };
}

function heldBy({
  stream,
  exchange,
}: {
  readonly stream?: string | undefined;
  readonly exchange?: string | undefined;
}): HeldBy | undefined {
  if (stream !== undefined && exchange !== undefined) {
    throw invalid('exchange', 'stream and exchange: give one of them');
  }
  if (stream !== undefined) {
    const parsed = parseStreamName(stream);
    if (parsed.kind === 'ok') return { kind: 'stream', name: parsed.name };
    throw badName('stream', parsed.reason);
  }
  if (exchange === undefined) return undefined;
  const parsed = parseExchangeName(exchange);
  if (parsed.kind === 'ok') return { kind: 'exchange', name: parsed.name };
  throw badName('exchange', parsed.reason);
}

function badName(field: string, reason: string): LogError {
  return new LogError(reason, { code: 'invalid_name', details: { field } });
}
