/** `/v1/exchanges` and `/v1/exchanges/{x}`: declare, describe, delete, list (SPEC X5, X9, X10). */
import { DEFAULT_EXCHANGE } from '../../core/routing/exchange.ts';
import { exchangeMembers, parseExchange } from '../../core/routing/parse-exchange.ts';
import type { ExchangeEntry } from '../../ports/exchanges.ts';
import {
  declareExchange,
  deleteExchange,
  listExchanges,
  loadExchange,
} from '../../services/exchanges.ts';
import { exchangeNotFound, LogError } from '../../services/log-error.ts';
import { emptyAnswer, jsonAnswer } from '../answer.ts';
import type { JsonObject } from '../body/json-body.ts';
import { readJsonObject } from '../control-body.ts';
import { jsonEntityAnswer } from '../entity.ts';
import { parseListQuery } from '../list-query.ts';
import { refuseQuery } from '../no-query.ts';
import {
  declareExchangeOperation,
  deleteExchangeOperation,
  listExchangesOperation,
  showExchangeOperation,
} from '../operations/exchanges.ts';
import { deleteQuerySchema } from '../operations/streams.ts';
import { parseQuery } from '../query.ts';
import { exchangeParam, type Route } from '../route.ts';

const LIST = '/v1/exchanges';
const PATH = `${LIST}/:exchange`;

/** Of every service, and of nobody's making. */
const DEFAULT_MEMBERS = {
  name: DEFAULT_EXCHANGE,
  ...exchangeMembers({ type: 'direct', internal: false, autoDelete: false }),
  exchange_id: null,
  created_at: null,
};

export const exchangeRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: LIST,
    permission: 'read',
    operation: listExchangesOperation,
    async handle(request) {
      const query = parseListQuery(request.raw.url);
      const { items, hasMore } = await listExchanges(request.components, query);
      return jsonEntityAnswer(request, { items: items.map(entryMembers), has_more: hasMore });
    },
  },
  {
    method: 'PUT',
    path: PATH,
    permission: 'configure',
    operation: declareExchangeOperation,
    mayLackStream: () => true,
    async handle(request) {
      refuseQuery(request.raw.url);
      const name = exchangeParam(request);
      const settings = settingsOf((await readJsonObject(request)) ?? {});
      const { created, entry } = await declareExchange(request.components, name, settings);
      return jsonAnswer(request, entryMembers(entry), { status: created ? 201 : 200 });
    },
  },
  {
    method: 'GET',
    path: PATH,
    permission: 'read',
    operation: showExchangeOperation,
    async handle(request) {
      refuseQuery(request.raw.url);
      const name = exchangeParam(request);
      if (name === DEFAULT_EXCHANGE) return jsonEntityAnswer(request, DEFAULT_MEMBERS);
      return jsonEntityAnswer(request, entryMembers(await loadExchange(request.components, name)));
    },
  },
  {
    method: 'DELETE',
    path: PATH,
    permission: 'configure',
    operation: deleteExchangeOperation,
    mayLackStream: () => true,
    async handle(request) {
      const { if_exists = false } = parseQuery(request.raw.url, deleteQuerySchema);
      const name = exchangeParam(request);
      const removed = await deleteExchange(request.components, name);
      if (!(removed || if_exists)) throw exchangeNotFound(name);
      return emptyAnswer(request);
    },
  },
];

function settingsOf(members: JsonObject) {
  const parsed = parseExchange(members);
  if (parsed.kind === 'ok') return parsed.settings;
  const { code, field, reason } = parsed;
  throw new LogError(reason, { code, details: { field } });
}

function entryMembers({ name, exchangeId, settings, createdMs }: ExchangeEntry) {
  return {
    name,
    ...exchangeMembers(settings),
    exchange_id: exchangeId,
    created_at: createdMs,
  };
}
