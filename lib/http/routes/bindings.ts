/** `/v1/exchanges/{x}/bindings`: bind, unbind, list (SPEC X6). */
import { parseStreamName } from '../../core/log/ids.ts';
import {
  type Binding,
  type BindingName,
  bindingName,
  type DestinationName,
  NO_ARGUMENTS,
  type PropertiesKey,
  parseArguments,
  propertiesKey,
  storedPropertiesKey,
} from '../../core/routing/binding.ts';
import { CANONICAL_DEPTH_MAX } from '../../core/routing/canonical-json.ts';
import { DEFAULT_EXCHANGE, parseExchangeName } from '../../core/routing/exchange.ts';
import { bindExchange, listBindings, unbindExchange } from '../../services/bindings.ts';
import { type ExchangeReference, refuseDefault } from '../../services/exchanges.ts';
import { invalid, LogError } from '../../services/log-error.ts';
import { emptyAnswer, jsonTextAnswer } from '../answer.ts';
import { readWrittenObject, type WrittenObject } from '../control-body.ts';
import { jsonTextEntityAnswer, sha256 } from '../entity.ts';
import { parseListQuery } from '../list-query.ts';
import { refuseQuery } from '../no-query.ts';
import { bindOperation, listBindingsOperation, unbindOperation } from '../operations/exchanges.ts';
import { notSupported, validate } from '../query.ts';
import { exchangeParam, type Route } from '../route.ts';
import { bindingRequest } from '../schemas/exchange.ts';

const LIST = '/v1/exchanges/:exchange/bindings';

/** As many bits as an id has. */
const HASH_CHARS = 22;

export const bindingRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: LIST,
    permission: 'read',
    operation: listBindingsOperation,
    async handle(request) {
      const query = parseListQuery(request.raw.url);
      const source = exchangeParam(request);
      const { items, hasMore } = await listBindings(request.components, source, query);
      const texts = items.map((one) => bindingText(source, one));
      return jsonTextEntityAnswer(request, `{"items":[${texts.join(',')}],"has_more":${hasMore}}`);
    },
  },
  {
    method: 'POST',
    path: LIST,
    permission: 'write',
    operation: bindOperation,
    async handle(request) {
      refuseQuery(request.raw.url);
      const source = exchangeParam(request);
      const wanted = wantedBinding(await readWrittenObject(request));
      const bound = await bindExchange(request.components, { source, ...wanted });
      const status = bound.created ? 201 : 200;
      return jsonTextAnswer(request, bindingText(source, bound.binding), status);
    },
  },
  {
    method: 'DELETE',
    path: `${LIST}/:kind/:destination/:properties_key`,
    permission: 'write',
    operation: unbindOperation,
    async handle(request) {
      refuseQuery(request.raw.url);
      const source = exchangeParam(request);
      const kind = request.param('kind');
      const key = storedPropertiesKey(request.param('properties_key'));
      const name = unboundName(kind, request.param('destination'), key);
      await unbindExchange(request.components, { source, name });
      return emptyAnswer(request);
    },
  },
];

function wantedBinding(body: WrittenObject | undefined) {
  refuseQueue(body?.members['destination_type']);
  const { destination_type, destination, routing_key } = validate(
    body?.members ?? {},
    bindingRequest(),
  );
  const args = parseArguments(body?.textOf('arguments') ?? NO_ARGUMENTS);
  if (args === undefined) {
    throw invalid('arguments', `arguments are nested more than ${CANONICAL_DEPTH_MAX} deep`);
  }
  const routingKey = routing_key ?? '';
  return {
    destination: destinationOf(destination_type, destination),
    routingKey,
    arguments: args,
    propertiesKey: propertiesKey(routingKey, args, shortHash),
  };
}

function refuseQueue(kind: unknown): void {
  if (kind === 'queue') throw notSupported('destination_type queue');
}

function shortHash(text: string): string {
  const hash = sha256(text).slice(0, HASH_CHARS);
  return hash.replaceAll('+', '-').replaceAll('/', '_');
}

/** A queue too: there is none, so nothing is bound to it. */
function unboundName(kind: string, name: string, key: PropertiesKey): BindingName {
  if (kind === 'queue') return bindingName({ kind, name }, key);
  if (kind === 'stream' || kind === 'exchange') return bindingName(destinationOf(kind, name), key);
  throw invalid('kind', 'what is bound is a stream, a queue or an exchange: name one in the path');
}

function destinationOf(kind: 'stream' | 'exchange', name: string): DestinationName {
  if (kind === 'stream') {
    const parsed = parseStreamName(name);
    if (parsed.kind === 'ok') return { kind, name: parsed.name };
    throw badName(parsed.reason);
  }
  if (name === DEFAULT_EXCHANGE) return { kind, name: refuseDefault(name) };
  const parsed = parseExchangeName(name);
  if (parsed.kind === 'ok') return { kind, name: parsed.name };
  throw badName(parsed.reason);
}

function badName(reason: string): LogError {
  return new LogError(reason, { code: 'invalid_name', details: { field: 'destination' } });
}

/** The arguments as they are kept: parsed, their numbers would lose digits. */
function bindingText(source: ExchangeReference, binding: Binding): string {
  const { name, propertiesKey: key, destination, routingKey, arguments: args } = binding;
  const members = {
    name,
    source,
    destination_type: destination.kind,
    destination: destination.name,
    routing_key: routingKey,
    properties_key: key,
  };
  return `${JSON.stringify(members).slice(0, -1)},"arguments":${args}}`;
}
